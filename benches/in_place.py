#!/usr/bin/env python3
"""Compares what `indexing-lower-in-place` and upstream's passes make of programs with `mapwright run` of them.

usage: in_place.py [--bin target/release] [--llvm /usr/lib/llvm-22] [--seconds 0.3] [--rounds 3] [--threads 1,2] [--only NAME,NAME] [--folder DIR]

Programs are those `.mlir` files of `--folder` (default: `../shared/bench/programs` beside the checkout) and of `examples` that are one function.
Both forms run in turn, `--rounds` times; a figure is the least time of a call. The table has the ratio of the two: above 1, the way through
upstream's passes is slower. Needs NumPy.
"""
import argparse
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
PIPELINE = (
    "builtin.module(indexing-lower-in-place{{cpu=native threads={threads}}},"
    "one-shot-bufferize{{bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map "
    "allow-return-allocs-from-loops=true}},"
    "{deallocation}func.func(llvm-request-c-wrappers),expand-strided-metadata,lower-affine,convert-vector-to-scf,convert-scf-to-cf,convert-vector-to-llvm,"
    "convert-to-llvm,reconcile-unrealized-casts)"
)
# A result is memory of its own after it, and none of an argument.
DEALLOCATION = (
    "ownership-based-buffer-deallocation,canonicalize,buffer-deallocation-simplification,bufferization-lower-deallocations,"
    "convert-bufferization-to-memref,"
)
ELEMENTS = {"f32": "f4", "f64": "f8", "f16": "f2", "bf16": "i2", "i1": "i1", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8",
            "ui8": "u1", "ui16": "u2", "ui32": "u4", "ui64": "u8", "complex<f32>": "c8", "complex<f64>": "c16"}


def signature(path):
    """Types of arguments and results of the only function; None where it is not one function of static tensors."""
    text = open(path, encoding="utf-8").read()
    if text.count("func.func") != 1:
        return None
    head = re.search(r"func\.func (?:public )?@main\((.*?)\)\s*->\s*(.*?)\s*(?:attributes.*)?\{\s*\n", text, re.S)
    if not head:
        return None

    def types(part):
        found = []
        for shape in re.findall(r"tensor<([^>]*(?:<[^>]*>)?[^>]*)>", part):
            *sizes, element = shape.split("x") if "complex" not in shape else shape.replace("complex", "x", 0).split("x")
            if element not in ELEMENTS or not all(size.isdigit() for size in sizes):
                return None
            found.append(([int(size) for size in sizes], element))
        return found

    arguments, results = types(head.group(1)), types(head.group(2))
    return (arguments, results) if arguments is not None and results else None


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[0] if done.stderr.strip() else f"{command[0]} failed")
    return done.stdout


CALLS = """
#include <stdlib.h>
void _mlir_ciface_main({types});
/* Calls the function so many times, and frees what it allocates for its results. */
void calls(char *answer, void **a, long count) {{
  static const long offsets[] = {{{offsets}}};
  for (long k = 0; k < count; ++k) {{
    _mlir_ciface_main({values});
    for (int i = 0; i < {results}; ++i) {{
      void *base = *(void **)(answer + offsets[i]);
      int kept = 0;
      for (int j = 0; j < {inputs}; ++j)
        kept |= base == *(void **)a[j];
      for (int j = 0; j < i; ++j)
        kept |= base == *(void **)(answer + offsets[j]);
      if (!kept)
        free(base);
    }}
  }}
}}
"""


def calls(path):
    """A C function that calls that of the program many times: a call from Python takes longer than a small kernel."""
    arguments, results = signature(path)
    offsets, at = [], 0
    for shape, _ in results:
        offsets.append(str(at))
        at += 24 + 16 * len(shape)
    values = ["answer"] + [f"a[{i}]" for i in range(len(arguments))]
    return CALLS.format(types=", ".join(["void *"] * len(values)), offsets=", ".join(offsets), values=", ".join(values),
                        results=len(results), inputs=len(arguments))


def build(path, folder, options, threads):
    """The program as a shared library, through upstream's passes and LLVM's tools."""
    tool = lambda name: os.path.join(options.llvm, "bin", name)
    library = os.path.join(options.bin, "libmapwright.so")
    base = os.path.join(folder, f"f{threads}")
    source = calls(path)
    text = open(path, encoding="utf-8").read()
    donates = "tf.aliasing_output" in text
    if not donates:
        # As `mapwright run`, the function leaves its arguments as they are.
        head, body = text.split("->", 1)
        head = re.sub(r"(%\w+: tensor<[^{}(]*?>)(?=[,)])", r"\1 {bufferization.writable = false}", head)
        text = head + "->" + body
    path = base + ".stablehlo.mlir"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    pipeline = PIPELINE.format(threads="none" if threads == 1 else "runtime", deallocation="" if donates else DEALLOCATION)
    run([tool("mlir-opt"), f"--load-dialect-plugin={library}", f"--load-pass-plugin={library}",
         f"--pass-pipeline={pipeline}", path, "-o", base + ".mlir"])
    run([tool("mlir-translate"), "--mlir-to-llvmir", base + ".mlir", "-o", base + ".ll"])
    run([tool("opt"), "-O3", "-mcpu=native", base + ".ll", "-o", base + ".bc"])
    run([tool("llc"), "-O3", "-mcpu=native", "-filetype=obj", "-relocation-model=pic", base + ".bc", "-o", base + ".o"])
    with open(base + ".c", "w", encoding="utf-8") as file:
        file.write(source)
    run(["cc", "-O2", "-fPIC", "-shared", base + ".c", base + ".o", "-o", base + ".so", f"-L{options.bin}", "-lmapwright_runtime", "-lm",
         f"-Wl,-rpath,{os.path.abspath(options.bin)}"])
    return base + ".so"


def child(library, path, seconds):
    """The least time of a call in milliseconds, in a process of its own."""
    import numpy as np

    libc = ctypes.CDLL(None)
    # Memory that is freed is kept (no mappings, no trimming): its pages would be made anew for each call otherwise, and that would be measured.
    libc.mallopt(-4, 0)
    libc.mallopt(-1, 1 << 30)
    arguments, results = signature(path)
    generator = np.random.default_rng(0)

    def descriptor(shape):
        rank = len(shape)
        fields = [("base", ctypes.c_void_p), ("data", ctypes.c_void_p), ("offset", ctypes.c_int64)]
        if rank:
            fields += [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
        return type("Descriptor", (ctypes.Structure,), {"_fields_": fields})

    kept = []
    for shape, element in arguments:
        kind = np.dtype(ELEMENTS[element])
        count = int(np.prod(shape)) if shape else 1
        memory = np.zeros(count * kind.itemsize + 64, np.uint8)
        start = -memory.ctypes.data % 64
        data = memory[start:start + count * kind.itemsize].view(kind)
        # As `mapwright run` has them.
        if kind.kind in "fc":
            data[:] = generator.uniform(-1, 1, count)
        elif element == "bf16":
            data[:] = (generator.uniform(-1, 1, count).astype("f4").view("u4") >> 16).astype("u2").view("i2")
        elif element == "i1":
            data[:] = generator.integers(0, 2, count)
        else:
            data[:] = generator.integers(0, 8, count) - (4 if kind.kind == "i" else 0)
        value = descriptor(shape)()
        value.base = value.data = data.ctypes.data
        stride = 1
        for k in reversed(range(len(shape))):
            value.sizes[k], value.strides[k] = shape[k], stride
            stride *= shape[k]
        kept.append((memory, value))
    fields = [(f"r{i}", descriptor(shape)) for i, (shape, _) in enumerate(results)]
    answer = type("Results", (ctypes.Structure,), {"_fields_": fields})()
    function = ctypes.CDLL(library).calls
    pointers = (ctypes.c_void_p * max(1, len(kept)))(*[ctypes.addressof(value) for _, value in kept])
    least, spent, count, runs = float("inf"), 0.0, 1, 0
    while runs < 3 or spent < seconds:
        start = time.perf_counter()
        function(ctypes.byref(answer), pointers, ctypes.c_long(count))
        elapsed = time.perf_counter() - start
        spent, runs = spent + elapsed, runs + 1
        if elapsed < 2e-4:
            count *= 4
            continue
        least = min(least, elapsed / count)
    print(json.dumps(least * 1e3))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default=os.path.join(ROOT, "target", "release"))
    parser.add_argument("--llvm", default="/usr/lib/llvm-22")
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--only", default="")
    parser.add_argument("--folder", default=os.path.join(os.path.dirname(ROOT), "shared", "bench", "programs"))
    parser.add_argument("--child", nargs=2)
    options = parser.parse_args()
    if options.child:
        return child(*options.child, options.seconds)
    programs = {}
    for name in sorted(os.listdir(os.path.join(ROOT, "examples"))):
        path = os.path.join(ROOT, "examples", name, "program.mlir")
        if os.path.exists(path):
            programs["example_" + name] = path
    if os.path.isdir(options.folder):
        for file in sorted(os.listdir(options.folder)):
            if file.endswith(".mlir"):
                programs[file[:-len(".mlir")]] = os.path.join(options.folder, file)
    only = [name for name in options.only.split(",") if name]
    ratios = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, path in programs.items():
            if (only and name not in only) or signature(path) is None:
                continue
            for threads in map(int, options.threads.split(",")):
                try:
                    library = build(path, folder, options, threads)
                    ours, own = float("inf"), float("inf")
                    for _ in range(options.rounds):
                        # Large pages where there are such, as the memory of `mapwright run` has.
                        environment = dict(os.environ, MAPWRIGHT_THREADS=str(threads), GLIBC_TUNABLES="glibc.malloc.hugetlb=1")
                        done = subprocess.run([sys.executable, os.path.abspath(__file__), "--child", library, path,
                                               "--seconds", str(options.seconds)], capture_output=True, text=True, env=environment)
                        if done.returncode:
                            raise RuntimeError((done.stderr.strip().splitlines() or [f"signal {-done.returncode}"])[-1])
                        ours = min(ours, float(done.stdout))
                        command = [os.path.join(options.bin, "mapwright"), "run", path, f"--bench={options.seconds}",
                                   "--threads", str(threads), "--json"]
                        own = min(own, json.loads(run(command))["min_ms"])
                    ratios[name, threads] = ours / own
                    print(f"{name:36} {threads}  {ours:9.3f} ms  {own:9.3f} ms  {ours / own:6.2f}", flush=True)
                except (RuntimeError, ValueError) as error:
                    print(f"{name:36} {threads}  {error}", flush=True)
    for threads in sorted({threads for _, threads in ratios}):
        values = [ratio for (_, n), ratio in ratios.items() if n == threads]
        product = 1.0
        for value in values:
            product *= value
        slow = sum(value > 1.05 for value in values)
        print(f"{threads} threads: {product ** (1 / len(values)):.3f} in geometric mean, {slow} of {len(values)} above 1.05")


if __name__ == "__main__":
    main()
