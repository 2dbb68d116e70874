"""Calls of compiled programs with arrays of NumPy and JAX, compared with NumPy."""

import itertools
import threading
import unittest

import ml_dtypes
import numpy as np

import mapwright_hlo as mw


def identity(type: str) -> str:
    return f"func.func @main(%x: {type}) -> {type} {{ return %x : {type} }}"


def binary(op: str, type: str) -> str:
    return f"func.func @main(%x: {type}, %y: {type}) -> {type} {{ %0 = stablehlo.{op} %x, %y : {type} return %0 : {type} }}"


class Elements(unittest.TestCase):
    def test_every_element_type_goes_in_and_out(self):
        pairs = {
            "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32,
            "ui64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64, "complex<f32>": np.complex64, "complex<f64>": np.complex128,
            "bf16": ml_dtypes.bfloat16, "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2, "i4": ml_dtypes.int4, "ui4": ml_dtypes.uint4,
        }
        for element, dtype in pairs.items():
            with self.subTest(element):
                # Negative ones, where there are such: they lie sign-extended in memory.
                values = np.array([[-3, 1, 0], [2, 5, 7]]) if np.dtype(dtype).kind not in "ub" and not element.startswith("ui") else np.array([[3, 1, 0], [2, 5, 7]])
                given = values.astype(dtype)
                found = mw.run(identity(f"tensor<2x3x{element}>"), given)
                self.assertEqual(found.dtype, given.dtype)
                np.testing.assert_array_equal(found.astype(np.complex128), given.astype(np.complex128))

    def test_arithmetic_below_eight_bits(self):
        given = np.array([-8, -3, 7], ml_dtypes.int4), np.array([1, -4, -7], ml_dtypes.int4)
        found = mw.run(binary("add", "tensor<3xi4>"), *given)
        np.testing.assert_array_equal(found.astype(int), [-7, -7, 0])

    def test_numbers_and_lists_take_the_type_of_the_argument(self):
        self.assertEqual(mw.run(binary("add", "tensor<f32>"), 1, 2.5), np.float32(3.5))
        np.testing.assert_array_equal(mw.run(binary("multiply", "tensor<2xi64>"), [2, 3], [4, 5]), [8, 15])
        # 300 is no number of eight bits.
        for wrong in (300, 2.5):
            with self.assertRaisesRegex(mw.Error, "argument 0 of @main: elements are"):
                mw.run(binary("add", "tensor<i8>"), wrong, 1)

    def test_types_and_shapes_that_do_not_fit_are_refused(self):
        add = mw.compile(binary("add", "tensor<2xf32>"))
        x = np.ones(2, np.float32)
        for arguments, reason in (
            ((x, x.astype(np.float64)), "argument 1 of @main: elements are float64, but f32 is expected"),
            ((x, np.ones(3, np.float32)), r"argument 1 of @main is of type tensor<2xf32>"),
            ((x,), "takes 2 arguments, not 1"),
            ((x, None), "elements are object"),
        ):
            with self.assertRaisesRegex(mw.Error, reason):
                add(*arguments)
        # The process lives on.
        np.testing.assert_array_equal(add(x, x), [2, 2])


class Memory(unittest.TestCase):
    def test_any_strides_and_byte_orders(self):
        subtract = mw.compile(binary("subtract", "tensor<3x4xi32>"))
        base = np.arange(96, dtype=np.int32).reshape(6, 16)
        views = [base[:3, :4], base[::2, ::4], base[5:2:-1, 15:11:-1], base[:4, :3].T, base[:3, :4].astype(">i4")]
        zero = np.zeros((3, 4), np.int32)
        for view in views:
            np.testing.assert_array_equal(subtract(view, zero), view)
            np.testing.assert_array_equal(subtract(zero, view), -view.astype(np.int32))

    def test_memory_at_every_address(self):
        # Whether it is read where it lies or copied, the result is the same, and the argument stays as it is.
        double = mw.compile(binary("add", "tensor<1000xf32>"))
        memory = np.zeros(8192, np.uint8)
        for shift in range(0, 128, 4):
            x = memory[shift : shift + 4000].view(np.float32)
            x[:] = np.arange(1000)
            np.testing.assert_array_equal(double(x, x), 2 * np.arange(1000, dtype=np.float32))
            np.testing.assert_array_equal(x, np.arange(1000))

    def test_arguments_that_may_not_be_written_to(self):
        # The loop's state begins in the argument.
        program = """
        func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
          %c = stablehlo.constant dense<2.0> : tensor<64xf32>
          %0 = stablehlo.multiply %x, %c : tensor<64xf32>
          return %0, %x : tensor<64xf32>, tensor<64xf32>
        }"""
        x = np.arange(64, dtype=np.float32)
        x.flags.writeable = False
        double, same = mw.run(program, x)
        np.testing.assert_array_equal(double, 2 * np.arange(64))
        np.testing.assert_array_equal(same, np.arange(64))
        same[0] = 7
        self.assertEqual(x[0], 0)

    def test_donated_arguments_stay_the_callers(self):
        program = """
        func.func @main(%x: tensor<64xf32> {tf.aliasing_output = 0 : i32}) -> tensor<64xf32> {
          %0 = stablehlo.add %x, %x : tensor<64xf32>
          return %0 : tensor<64xf32>
        }"""
        x = np.arange(64, dtype=np.float32)
        for _ in range(2):
            np.testing.assert_array_equal(mw.run(program, x), 2 * np.arange(64))
            np.testing.assert_array_equal(x, np.arange(64))

    def test_nothing_and_one(self):
        for shape in ((0,), (3, 0, 2), ()):
            type = f"tensor<{'x'.join([*map(str, shape), 'f32'])}>"
            x = np.full(shape, 1.5, np.float32)
            np.testing.assert_array_equal(mw.run(binary("add", type), x, x), x + x)

    def test_results_that_are_many_or_none(self):
        self.assertEqual(mw.run("func.func @main() { return }"), ())
        two = mw.run("func.func @main(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) { return %x, %x : tensor<2xi32>, tensor<2xi32> }", [1, 2])
        self.assertIsInstance(two, tuple)
        np.testing.assert_array_equal(two, [[1, 2], [1, 2]])


class Sizes(unittest.TestCase):
    PROGRAM = """
    func.func @main(%x: tensor<?x4xf32>) -> tensor<4x?xf32> {
      %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x4xf32>) -> tensor<4x?xf32>
      return %0 : tensor<4x?xf32>
    }"""

    def test_sizes_of_arguments(self):
        for specialize in (True, False):
            transpose = mw.compile(self.PROGRAM, specialize=specialize)
            self.assertEqual(transpose.inputs[0]["shape"], [None, 4])
            for n in (1, 5, 0, 33):
                x = np.random.default_rng(n).random((n, 4), np.float32)
                np.testing.assert_array_equal(transpose(x), x.T)
            with self.assertRaisesRegex(mw.Error, r"a tensor of shape \[2, 3\] does not fit|does not fit"):
                transpose(np.ones((2, 3), np.float32))

    def test_sizes_that_are_found_at_run_time(self):
        # The result is as long as the number that is given.
        program = """
        func.func @main(%n: tensor<1xi32>) -> tensor<?xi32> {
          %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
          return %0 : tensor<?xi32>
        }"""
        iota = mw.compile(program)
        for n in (0, 3, 100):
            np.testing.assert_array_equal(iota(np.array([n], np.int32)), np.arange(n))


class Threads(unittest.TestCase):
    def test_calls_from_several_threads(self):
        # And while one compiles, others go on: the lock of the interpreter is free.
        square = mw.compile(binary("multiply", "tensor<1000xf64>"))
        failures = []

        def work(number):
            for i in range(20):
                x = np.full(1000, number * 100.0 + i)
                if not (square(x, x) == x * x).all():
                    failures.append((number, i))
            found = mw.run(binary("add", f"tensor<{number + 1}xf64>"), np.ones(number + 1), np.ones(number + 1))
            if not (found == 2).all():
                failures.append(number)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_the_lock_is_free_while_a_program_runs(self):
        # As long as the call lasts, the other thread counts: with the lock held it would stand still.
        n = 700
        type = f"tensor<{n}x{n}xf64>"
        dot = f"%0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : ({type}, {type}) -> {type}"
        product = mw.compile(f"func.func @main(%x: {type}, %y: {type}) -> {type} {{ {dot} return %0 : {type} }}", threads=1)
        x = np.random.default_rng(0).random((n, n))
        done = threading.Event()

        def work():
            product(x, x)
            done.set()

        thread = threading.Thread(target=work)
        thread.start()
        counted = next(i for i in itertools.count() if done.is_set())
        thread.join()
        self.assertGreater(counted, 1000)


class Ragged(unittest.TestCase):
    PROGRAM = """
    !list = !tarray.array<tensor<3xf32>, max = 5>
    func.func @main(%x: !tarray.array<!list, max = 4>) -> !tarray.array<!list, max = 4> {
      %y = tarray.parallel_foreach (%l in %x : !tarray.array<!list, max = 4>) {
        %z = tarray.parallel_foreach (%e in %l : !list) {
          %0 = stablehlo.add %e, %e : tensor<3xf32>
          tarray.yield %0 : tensor<3xf32>
        }
        tarray.yield %z : !list
      }
      return %y : !tarray.array<!list, max = 4>
    }"""

    def test_lists_go_in_and_out(self):
        double = mw.compile(self.PROGRAM)
        random = np.random.default_rng(0)
        for lengths in ((2, 0, 5, 1), (0,), (), (5, 5, 5, 5), (0, 0)):
            lists = [[random.random(3, np.float32) for _ in range(n)] for n in lengths]
            for given in (lists, mw.ragged(lists, levels=2)):
                found = double(given)
                self.assertEqual([len(own) for own in found], list(lengths))
                for own, result in zip(lists, found.to_lists()):
                    for x, y in zip(own, result):
                        np.testing.assert_array_equal(y, x + x)

    def test_three_levels_are_taken_apart_again(self):
        lists = [[[np.full(2, 10 * i + j + k) for k in range(j)] for j in range(i)] for i in range(4)]
        packed = mw.ragged(lists)
        self.assertEqual(packed.levels, 3)
        for i, outer in enumerate(packed):
            for j, inner in enumerate(outer):
                for k, leaf in enumerate(inner):
                    np.testing.assert_array_equal(leaf, lists[i][j][k])
        self.assertEqual([[len(inner) for inner in outer] for outer in packed], [[len(inner) for inner in outer] for outer in lists])

    def test_what_is_too_long_or_of_another_shape_is_refused(self):
        double = mw.compile(self.PROGRAM)
        row = np.ones(3, np.float32)
        for lists, reason in (
            ([[row] * 6], "list 0 has 6 elements, the declared maximum is 5"),
            ([[]] * 5, "has 5 elements, the declared maximum is 4"),
            ([[row], [np.ones(2, np.float32)]], "different shapes"),
            ([[np.ones(2, np.float32)]], r"have the shape \[2\], but \[3\] is expected"),
            ([row], "a list is expected"),
            (row, "is a tensor array"),
        ):
            with self.assertRaisesRegex(mw.Error, reason):
                double(lists)


class GradientsOfArrays(unittest.TestCase):
    """What ``mw.differentiate`` makes of functions of arrays takes and gives lists; beside finite differences of the function."""

    LOOP = """
      %n = stablehlo.constant dense<3> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %none = stablehlo.constant dense<0> : tensor<i32>
      %loop:2 = stablehlo.while(%i = %none, %l = %x) : tensor<i32>, ARRAY
        cond {
          %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %more : tensor<i1>
        } do {
          %j = stablehlo.add %i, %one : tensor<i32>
          %m = tarray.parallel_foreach (%e in %l : ARRAY) {
            %0 = stablehlo.multiply %e, %w : tensor<2xf64>
            %1 = stablehlo.sine %0 : tensor<2xf64>
            tarray.yield %1 : tensor<2xf64>
          }
          stablehlo.return %j, %m : tensor<i32>, ARRAY
        }
      %r = stablehlo.optimization_barrier %loop#1 : ARRAY"""
    WAYS = {
        "if": "%r = \"stablehlo.if\"(%p) ({ stablehlo.return %scaled : ARRAY }, { stablehlo.return %x : ARRAY }) : (tensor<i1>) -> ARRAY",
        "case": """
      %i = stablehlo.convert %p : (tensor<i1>) -> tensor<i32>
      %r = "stablehlo.case"(%i) ({ stablehlo.return %x : ARRAY }, { stablehlo.return %scaled : ARRAY }) : (tensor<i32>) -> ARRAY""",
        "select": "%r = stablehlo.select %p, %scaled, %x : (tensor<i1>, ARRAY, ARRAY) -> ARRAY",
        "scf.if": """
      %q = tensor.extract %p[] : tensor<i1>
      %r = scf.if %q -> (ARRAY) { scf.yield %scaled : ARRAY } else { scf.yield %x : ARRAY }""",
        "while": LOOP,
        "call": "%r = func.call @squares(%scaled) : (ARRAY) -> ARRAY",
    }
    PROGRAM = """
    func.func @main(%p: tensor<i1>, %x: ARRAY, %w: tensor<2xf64>) -> ARRAY {
      %scaled = tarray.parallel_foreach (%e in %x : ARRAY) {
        %0 = stablehlo.multiply %e, %w : tensor<2xf64>
        tarray.yield %0 : tensor<2xf64>
      }
      BODY
      %y = func.call @squares(%r) : (ARRAY) -> ARRAY
      return %y : ARRAY
    }
    func.func private @squares(%x: ARRAY) -> ARRAY {
      %y = tarray.parallel_foreach (%e in %x : ARRAY) {
        %0 = stablehlo.multiply %e, %e : tensor<2xf64>
        tarray.yield %0 : tensor<2xf64>
      }
      return %y : ARRAY
    }"""

    def test_branches_and_loops_that_carry_arrays(self):
        for (way, body), most in itertools.product(self.WAYS.items(), (", max = 4", "")):
            text = self.PROGRAM.replace("BODY", body).replace("ARRAY", f"!tarray.array<tensor<2xf64>{most}>")
            forward = mw.compile(text)
            backward = mw.compile(mw.differentiate(text, wrt=[1, 2]), entry="main_vjp")
            for chosen, n in itertools.product((False, True), (3, 1, 0)):
                with self.subTest(way=way, most=most, chosen=chosen, n=n):
                    self.compare(forward, backward, chosen, n)

    def compare(self, forward, backward, chosen, n):
        random = np.random.default_rng(n)
        x, w, cotangent = random.random((n, 2)), random.random(2), random.random((n, 2))

        def value(x, w):
            found = forward(np.array(chosen), list(x), w).to_lists()
            return sum(float(np.sum(own * seed)) for own, seed in zip(found, cotangent))

        def slope(of, point):
            found = np.zeros_like(point)
            for i in np.ndindex(point.shape):
                step = np.zeros_like(point)
                step[i] = 1e-5
                found[i] = (of(point + step) - of(point - step)) / 2e-5
            return found

        of_x, of_w = backward(np.array(chosen), list(x), w, list(cotangent))
        self.assertEqual(len(of_x), n)
        np.testing.assert_allclose(np.reshape(of_x.to_lists(), (n, 2)), slope(lambda x: value(x, w), x), atol=1e-8)
        np.testing.assert_allclose(of_w, slope(lambda w: value(x, w), w), atol=1e-8)

    def test_lists_of_lists(self):
        for outer, inner in itertools.product((", max = 4", ""), (", max = 5", "")):
            with self.subTest(outer=outer, inner=inner):
                text = Ragged.PROGRAM.replace(", max = 5", inner).replace(", max = 4", outer).replace("stablehlo.add", "stablehlo.multiply")
                backward = mw.compile(mw.differentiate(text), entry="main_vjp")
                lists = [[np.full(3, 10.0 * i + j, np.float32) for j in range(n)] for i, n in enumerate((2, 0, 5, 1))]
                ones = [[np.ones(3, np.float32) for _ in own] for own in lists]
                found = backward(mw.ragged(lists, levels=2), mw.ragged(ones, levels=2)).to_lists()
                self.assertEqual([len(own) for own in found], [2, 0, 5, 1])
                for own, result in zip(lists, found):
                    for x, y in zip(own, result):
                        np.testing.assert_array_equal(y, 2 * x)


if __name__ == "__main__":
    unittest.main()
