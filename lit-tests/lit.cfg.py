# The lit suite: `lit-tests` mirrors `src`. `cargo test` runs it (tests/lit.rs); by hand: lit-22 lit-tests -v
#
# Environment: MAPWRIGHT_BIN_DIR is the folder with the built programs and libmapwright.so (target/release without it),
# MLIR_SYS_220_PREFIX that of LLVM and MLIR.

import os
import subprocess

import lit.formats

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
bin_dir = os.environ.get("MAPWRIGHT_BIN_DIR", os.path.join(root, "target", "release"))
llvm = os.environ.get("MLIR_SYS_220_PREFIX", "/usr/lib/llvm-22")

config.name = "Mapwright"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "Output"]
config.test_source_root = os.path.join(root, "lit-tests")
# Beside the programs, so that two builds do not share their outputs.
config.test_exec_root = os.path.join(bin_dir, "lit-tests")

# Programs are found by name: ours, then mlir-opt, FileCheck, not, count, split-file and the rest of LLVM's.
config.environment["PATH"] = os.pathsep.join([bin_dir, os.path.join(llvm, "bin"), os.environ["PATH"]])
config.environment["FILECHECK_OPTS"] = "--dump-input-filter=error"
# What is tested is compiled each time.
config.environment["MAPWRIGHT_CACHE"] = "off"
for name in ["HOME", "TMPDIR", "MAPWRIGHT_SHARED"]:
    if name in os.environ:
        config.environment[name] = os.environ[name]

# `cargo test` leaves the library in `deps`; `cargo build` makes a link to it one folder up.
library = os.path.join(bin_dir, "deps", "libmapwright.so")
if not os.path.exists(library):
    library = os.path.join(bin_dir, "libmapwright.so")
config.substitutions.append(("%mapwright_lib", library))
config.substitutions.append(
    ("%mlir_opt_with_passes", f"mlir-opt --load-pass-plugin={library}")
)
config.substitutions.append(
    ("%mlir_opt_with_plugin", f"mlir-opt --load-dialect-plugin={library} --load-pass-plugin={library}")
)
# A module whose StableHLO is lowered in place, through upstream's passes to the LLVM dialect, and run by upstream's runner.
runtime = os.path.join(bin_dir, "deps", "libmapwright_runtime.so")
if not os.path.exists(runtime):
    runtime = os.path.join(bin_dir, "libmapwright_runtime.so")
bufferize = (
    "one-shot-bufferize{bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map}"
)
to_llvm = (
    "convert-linalg-to-loops,memref-expand,expand-strided-metadata,lower-affine,convert-vector-to-scf,convert-scf-to-cf,"
    "convert-vector-to-llvm,convert-to-llvm,reconcile-unrealized-casts"
)
libraries = [os.path.join(llvm, "lib", f"libmlir_{name}runner_utils.so") for name in ["", "c_"]] + [runtime]
config.substitutions.append(("%one_shot_bufferize", bufferize))
# What loops carry may be allocated anew in each round.
with_loops = bufferize.replace("}", " allow-return-allocs-from-loops=true}")
config.substitutions.append(("%one_shot_bufferize_with_loops", with_loops))
config.substitutions.append(("%to_llvm", to_llvm))
config.substitutions.append(
    ("%run_main", f"mlir-runner -e main --entry-point-result=void --shared-libs={','.join(libraries)}")
)
# Coroutines, which upstream's asynchronous tasks are, need passes of LLVM's.
with_async = libraries + [os.path.join(llvm, "lib", "libmlir_async_runtime.so")]
config.substitutions.append(
    ("%run_main_with_async", f"mlir-runner -O0 -e main --entry-point-result=void --shared-libs={','.join(with_async)}")
)
config.substitutions.append(("%examples", os.path.join(root, "examples")))

# lit replaces substitutions in order; a longer name must come before its prefix.
config.substitutions.sort(key=lambda pair: -len(pair[0]))

# Tests of Shardy's annotations in modules need its dialect.
known = subprocess.run(
    [os.path.join(bin_dir, "mapwright-opt"), "--show-dialects"], capture_output=True, text=True
).stdout
if "sdy" in known.replace(",", " ").split():
    config.available_features.add("sdy")
