#!/usr/bin/env python3
"""The conformance programs, compiled ahead of time, under AddressSanitizer and under valgrind.

    python3 tests/sanitize.py [--every N] [--size N,…] [--only asan|valgrind] [FOLDER…]

Each program of the folders (without any: the execution tests, programs of arrays whose offsets are any numbers, and `programs`, `units` and
`quantized` of the shared conformance data and `faults` where they are there) becomes an object; objects are linked in batches with the runtime and a C program that calls them with tensors of exactly their size, every one an allocation of its own. For
AddressSanitizer every load and store of the generated code is instrumented (by clang, from the optimised LLVM IR) and so is the runtime (by
rustc); the tool needs clang-22 and a rustc that takes -Zsanitizer. Valgrind checks the same code as it is for x86-64-v3, and leaks.

The shared data is found in the folder that MAPWRIGHT_SHARED names, or in `../shared` beside the project. MAPWRIGHT names the command if it is
not target/release/mapwright. `--every N` takes every Nth program, `--size N,…` says how many elements there are along dimensions of
run-time size (3 if it is not given): of several numbers, sizes of different names get one after the other. Exit code 1 where anything is found.

Random programs of run-time sizes, those of `src/native/tests/run_time_sizes.rs` (or `states_of_sizes.rs`, loops whose sizes change), are written to a
folder by

    FOLDER=target/programs COUNT=500 cargo test --release -p mapwright-native --test all run_time_sizes::written -- --ignored
    python3 tests/sanitize.py --only asan --size 5,18,3 target/programs
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
WORK = TARGET / "sanitize"
MAPWRIGHT = os.environ.get("MAPWRIGHT", str(TARGET / "release" / "mapwright"))
BATCH = 40
TRIPLE = "x86_64-unknown-linux-gnu"
WIDTHS = {"bool": 1, "float": 4, "double": 8}

HARNESS = r"""
#include "mapwright-c/runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int32_t entry(const mw_context *, const void *const *, const int64_t *, void **, int64_t *);

static void *tensor(int64_t bytes) {
  void *p = NULL;
  if (posix_memalign(&p, 64, bytes > 0 ? bytes : 1) != 0)
    abort();
  memset(p, 0, bytes > 0 ? bytes : 1);
  return p;
}

/* Small numbers of both signs, so that some indices lie outside and loops end. Booleans are 0 or 1. */
static void fill(void *p, int64_t bytes, char kind) {
  int64_t state = 1;
  int64_t width = kind == 'd' ? 8 : kind == 'f' ? 4 : kind == 'b' ? 1 : kind - '0';
  for (int64_t i = 0; i < bytes / width; ++i) {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    int64_t number = (state >> 16) % 43 - 3;
    double real = number / 4.0;
    float single = (float)real;
    uint8_t truth = number & 1;
    const void *source = kind == 'd' ? (void *)&real : kind == 'f' ? (void *)&single : kind == 'b' ? (void *)&truth : (void *)&number;
    memcpy((char *)p + i * width, source, width);
  }
}

static int failed = 0;

/* Results of a size below zero are the program's own: their element size with the sign turned, and their rank. */
static void run(const char *name, entry *call, int inputs, const int64_t *input_bytes, const char *kinds, const int64_t *sizes,
                int outputs, const int64_t *output_bytes, const int64_t *ranks) {
  const void *arguments[64] = {0};
  void *results[256] = {0};
  int64_t result_sizes[1024] = {0};
  fprintf(stderr, "%s\n", name);
  mw_context *context = mw_context_create(2);
  for (int i = 0; i < inputs; ++i) {
    arguments[i] = tensor(input_bytes[i]);
    fill((void *)arguments[i], input_bytes[i], kinds[i]);
  }
  for (int i = 0; i < outputs; ++i)
    results[i] = output_bytes[i] < 0 ? NULL : tensor(output_bytes[i]);
  if (call(context, arguments, sizes, results, result_sizes) != 0) {
    printf("%s: %s\n", name, mw_error_message(context));
    ++failed;
  }
  const int64_t *at = result_sizes;
  for (int i = 0; i < outputs; ++i) {
    int64_t bytes = -output_bytes[i];
    for (int d = 0; d < ranks[i]; ++d)
      bytes *= *at++;
    if (output_bytes[i] < 0)
      mw_free(context, results[i], bytes);
    else
      free(results[i]);
  }
  for (int i = 0; i < inputs; ++i)
    free((void *)arguments[i]);
  mw_context_destroy(context);
}
"""


def sh(*command, **more):
    return subprocess.run(command, check=True, **more)


def described(header, what):
    """Element bytes, sizes (text: known at run time) and the kind of numbers of the arguments or results that a header describes."""
    found = []
    pattern = rf" \*   {what}\[\d+\]: (\w+) \*, tensor<(.*)>(?: of sizes \[(.*)\])?"
    for c_type, tensor, names in re.findall(pattern, header):
        width = WIDTHS.get(c_type) or int(re.search(r"\d+", c_type).group()) // 8
        kind = c_type[0] if c_type in WIDTHS else str(width)
        if "complex<" in tensor:
            width *= 2
        sizes = re.match(r"(?:(?:\d+|\?)x)*", tensor).group().split("x")[:-1]
        names = (names.split(", ") if names else []) or ["?"] * len(sizes)
        found.append((width, [name if n == "?" else int(n) for n, name in zip(sizes, names)], kind))
    return found


def chosen(inputs, numbers):
    """The arguments with numbers as sizes: names are given them one after the other, and what is computed from names follows."""
    known = {}
    found = []
    for width, sizes, kind in inputs:
        own = []
        for size in sizes:
            if isinstance(size, str) and re.fullmatch(r"\w+(\[\d+\])?", size):
                size = known.setdefault(size, numbers[len(known) % len(numbers)])
            elif isinstance(size, str):
                size = numbers[0]
            own.append(size)
        found.append((width, own, kind))
    return found


def product(numbers):
    result = 1
    for n in numbers:
        result *= n
    return result


def array(numbers):
    return "(const int64_t[]){%s}" % ", ".join(map(str, numbers or [0]))


def programs(folders, every):
    shared = pathlib.Path(os.environ.get("MAPWRIGHT_SHARED", ROOT.parent / "shared"))
    beside = ["conformance/programs", "conformance/units", "conformance/quantized", "faults"]
    folders = folders or [ROOT / "lit-tests" / "execute", ROOT / "tests" / "arrays", *(shared / name for name in beside)]
    files = [file for folder in folders for file in sorted(pathlib.Path(folder).glob("*.mlir"))]
    if not files:
        sys.exit("no programs are there")
    for file in files[::every]:
        for i, text in enumerate(file.read_text().split("// -----")):
            yield f"{file.stem}.{i}", text


def compiled(name, text, number, size):
    """One program, for calls with these run-time sizes: its LLVM IR, its entries and the calls of them in the harness; None where it cannot be compiled."""
    source, ir, header = WORK / "p.mlir", WORK / f"p{number}.ll", WORK / "p.h"
    source.write_text(text)
    command = [MAPWRIGHT, "compile", source, "-o", ir, "--header", header, "--target-cpu", "x86-64-v3"]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        print(f"{name} is not compiled: {done.stderr.strip().splitlines()[0][-200:]}")
        return None
    calls, declared = [], []
    for block, entry in re.findall(r"/\* @(.*?)\*/\nint32_t p\d+_(\w+)\(", header.read_text(), flags=re.S):
        inputs, outputs = described(block, "arguments"), described(block, "results")
        inputs = chosen(inputs, size)
        declared.append(f"p{number}_{entry}")
        calls.append(
            '  run("%s %s", %s, %d, %s, "%s", %s, %d, %s, %s);'
            % (
                name,
                entry,
                declared[-1],
                len(inputs),
                array([width * product(sizes) for width, sizes, _ in inputs]),
                "".join(kind for *_, kind in inputs),
                array([n for _, sizes, _ in inputs for n in sizes]),
                len(outputs),
                array([-width if any(isinstance(n, str) for n in sizes) else width * product(sizes) for width, sizes, _ in outputs]),
                array([len(sizes) for _, sizes, _ in outputs]),
            )
        )
        # Programs that run beside others are no entries of their own.
        if entry == "main":
            calls, declared = calls[-1:], declared[-1:]
            break
    # One program holds many of these objects: the names in each begin with that of its file.
    return ir, declared, calls


def instrumented(ir):
    """LLVM IR whose functions AddressSanitizer looks at."""
    text = re.sub(r"^(define .*?)( !dbg \S+)? \{$", r"\1 sanitize_address\2 {", ir.read_text(), flags=re.M)
    ir.write_text(text)


def runtime(asan):
    """The static library of the runtime."""
    folder = WORK / ("asan" if asan else "plain")
    environment = dict(os.environ)
    if asan:
        environment.update(RUSTC_BOOTSTRAP="1", RUSTFLAGS="-Zsanitizer=address")
    command = ["cargo", "build", "--release", "--locked", "-p", "mapwright-runtime", "--target", TRIPLE]
    # Instrumented and fully optimised, the product kernels of the libraries take half an hour to compile.
    command += ["--config", 'profile.release.package."*".opt-level=1']
    sh(*command, "--target-dir", folder, cwd=ROOT, env=environment)
    return folder / TRIPLE / "release" / "libmapwright_runtime.a"


def check(kind, batch, library, number):
    """Links a batch and runs it; False where something was found."""
    main = WORK / "main.c"
    declared = [f"entry {name};" for _, names, _ in batch for name in names]
    calls = [call for _, _, more in batch for call in more]
    main.write_text("\n".join([HARNESS, *declared, "int main(void) {", *calls, "  return failed > 0 ? 3 : 0;", "}", ""]))
    objects = []
    for ir, *_ in batch:
        out = ir.with_suffix(f".{kind}.o")
        flags = ["-O1", "-march=x86-64-v3", "-Wno-override-module"]
        if kind == "asan":
            copy = ir.with_suffix(".asan.ll")
            shutil.copy(ir, copy)
            instrumented(copy)
            sh("clang-22", "-c", *flags, "-fsanitize=address", copy, "-o", out)
            copy.unlink()
        else:
            sh("clang-22", "-c", *flags, ir, "-o", out)
        objects.append(out)
    program = WORK / f"check-{kind}"
    extra, sanitize = [], []
    if kind == "asan":
        sysroot = sh("rustc", "--print", "sysroot", stdout=subprocess.PIPE, text=True).stdout.strip()
        found = sorted(pathlib.Path(sysroot).glob(f"lib/rustlib/{TRIPLE}/lib/librustc-*rt.asan.a"))
        extra = ["-Wl,--whole-archive", found[0], "-Wl,--no-whole-archive", "-Wl,--export-dynamic"]
        sanitize = ["-fsanitize=address"]
    sh("clang-22", "-c", "-g", *sanitize, "-I", ROOT / "include", main, "-o", WORK / "main.o")
    libraries = ["-lpthread", "-lm", "-ldl", "-lrt", "-lresolv", "-lgcc_s"]
    sh("cc", WORK / "main.o", *objects, library, *extra, *libraries, "-o", program)
    command = [program]
    if kind == "valgrind":
        options = ["--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite,possible"]
        command = ["valgrind", "-q", *options, f"--suppressions={ROOT / 'tests' / 'valgrind.supp'}", program]
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, ASAN_OPTIONS="detect_leaks=1"))
    for out in objects:
        out.unlink()
    print(done.stdout, end="")
    if done.returncode in (0, 3):
        return True
    log = WORK / f"{kind}-{number}.log"
    log.write_text(done.stderr)
    lines = done.stderr.splitlines()
    problem = next((i for i, line in enumerate(lines) if "ERROR" in line or line.startswith("==")), len(lines))
    print(f"{kind}: batch {number} ends with {done.returncode} after {lines[problem - 1] if problem else 'nothing'}; see {log}")
    print("\n".join(lines[problem : problem + 20]))
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--size", type=lambda text: [int(n) for n in text.split(",")], default=[3])
    parser.add_argument("--only", choices=["asan", "valgrind"])
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    kinds = [options.only] if options.only else ["asan", "valgrind"]
    libraries = {kind: runtime(kind == "asan") for kind in kinds}
    good, count, left_out, batch, number = True, 0, 0, [], 0

    def flush():
        nonlocal good, batch, number
        for kind in kinds if batch else []:
            good &= check(kind, batch, libraries[kind], number)
        for ir, *_ in batch:
            ir.unlink()
        batch, number = [], number + 1

    for name, text in programs(options.folders, options.every):
        part = compiled(name, text, count, options.size)
        if part is None:
            left_out += 1
            continue
        count += 1
        batch.append(part)
        if len(batch) == BATCH:
            flush()
            print(f"{count} programs", flush=True)
    flush()
    print(f"{count} programs under {' and '.join(kinds)}, {left_out} not compiled: {'clean' if good else 'NOT CLEAN'}")
    sys.exit(0 if good else 1)


main()
