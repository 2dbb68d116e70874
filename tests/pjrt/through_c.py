"""The plugin through the PJRT C API alone, without JAX: programs are StableHLO text, and pypjrt makes the calls.

Usage: through_c.py LIBRARY
"""

import array
import sys
import threading

from pypjrt._loader import Plugin
from pypjrt.client import Client
from pypjrt import errors

F32, S32, S4 = 11, 4, 21

ADD = """
module @add { func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
} }"""

DONATES = """
module { func.func @main(%a: tensor<1024xf32> {tf.aliasing_output = 0 : i32}) -> tensor<1024xf32> {
  %0 = stablehlo.add %a, %a : tensor<1024xf32>
  return %0 : tensor<1024xf32>
} }"""

COUNTS = """
module { func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %zero) : tensor<i32>, tensor<i32>
    cond { %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1> stablehlo.return %c : tensor<i1> }
    do { %j = stablehlo.add %i, %one : tensor<i32>
         %t = stablehlo.multiply %x, %x : tensor<i32>
         %y = stablehlo.add %t, %j : tensor<i32>
         stablehlo.return %j, %y : tensor<i32>, tensor<i32> }
  return %0#1 : tensor<i32>
} }"""

SMALL = """
module { func.func @main(%a: tensor<3xi4>) -> tensor<3xi4> {
  %0 = stablehlo.negate %a : tensor<3xi4>
  return %0 : tensor<3xi4>
} }"""


def floats(buffer):
    values = array.array("f")
    values.frombytes(buffer.to_host())
    return list(values)


def refused(call, part):
    try:
        call()
    except errors.PjrtError as error:
        assert part in str(error), error
        return
    raise AssertionError(f"this is accepted; it should say {part!r}")


def main():
    client = Client.create(Plugin(sys.argv[1]), options={"num_devices": 2})
    assert client.platform_name == "cpu" and client.device_count == 2
    with client.devices() as devices:
        on(client, devices[0])
    print("through_c: passed")


def on(client, device):
    def floats_of(values):
        return client.buffer_from_host(array.array("f", values), F32, [len(values)], device)

    add = client.compile(ADD)
    a, b = floats_of([1, 2, 3, 4]), floats_of([10, 20, 30, 40])
    for _ in range(3):
        (sums,) = add(a, b)
        assert floats(sums) == [11, 22, 33, 44], floats(sums)
    assert add.name == "add" and add.num_outputs == 1 and add.output_types() == [F32]

    # An executable is kept as the code that runs: damaged code is refused, whatever the program beside it says.
    kept = add.serialize()
    (sums,) = client.deserialize_executable(kept)(a, b)
    assert floats(sums) == [11, 22, 33, 44], floats(sums)
    damaged = kept[:-1] + bytes([kept[-1] ^ 1])
    refused(lambda: client.deserialize_executable(damaged), "it is damaged")
    for wrong in (b"", kept[:40], kept[:-1], b"x" + kept):
        refused(lambda: client.deserialize_executable(wrong), "")

    # What was given up is gone, and its memory is the result's; once more it cannot be given.
    donates = client.compile(DONATES)
    given = floats_of([1.5] * 1024)
    before = given.device_pointer()
    (twice,) = donates(given)
    assert floats(twice) == [3.0] * 1024
    assert twice.device_pointer() == before and given.is_deleted
    kept = floats_of([1.5] * 1024)
    (twice,) = donates(kept, non_donatable=[0])
    assert floats(twice) == [3.0] * 1024 and floats(kept) == [1.5] * 1024

    # A long program runs beside its caller; what depends on it waits.
    counts = client.compile(COUNTS)

    def counted(n):
        x = 0
        for i in range(1, n + 1):
            x = (x * x + i) & 0xFFFFFFFF
        return x - (1 << 32) if x >= 1 << 31 else x

    for n in (5, 300000, 300000):
        (number,) = counts(client.buffer_from_host(array.array("i", [n]), S32, [], device))
        values = array.array("i")
        values.frombytes(number.to_host())
        assert values[0] == counted(n), (n, values[0])

    # Numbers of four bits are bytes on the host, whose upper halves say nothing.
    small = client.compile(SMALL)
    (negated,) = small(client.buffer_from_host(bytearray([0xF1, 0x02, 0x0D]), S4, [3], device))
    assert [v - 16 if v > 7 else v for v in (b & 15 for b in negated.to_host())] == [-1, -2, 3]

    # Other threads compile and run at the same time.
    wrong = []

    def work(k):
        program = ADD.replace("add %a, %b", "subtract %a, %b").replace("@add", f"@m{k}")
        (difference,) = client.compile(program)(b, a)
        if floats(difference) != [9, 18, 27, 36]:
            wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong

    refused(lambda: client.compile("module { func.func @main( }"), "program:1")
    refused(lambda: client.compile("module {}"), "no function @main")
    refused(lambda: client.compile(ADD.replace("stablehlo.add", "stablehlo.no_such_operation")), "no_such_operation")
    refused(lambda: add(a), "takes 2 arguments, not 1")
    refused(lambda: Client.create(Plugin(sys.argv[1]), options={"colour": 1}), "colour")


if __name__ == "__main__":
    main()
