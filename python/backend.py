"""Builds the wheel: a build backend (PEP 517) for pip, and a program for `make wheel`.

The extension module is linked here, not by cargo: with the archives of LLVM and MLIR, of which it gets what it refers to, and with all
symbols hidden but those that Python and JAX look for. So it needs nothing of what it was built with, and lives in one process with other LLVMs.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PREFIX = Path(os.environ.get("MLIR_SYS_220_PREFIX", "/usr/lib/llvm-22"))
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
NAME = "mapwright_hlo"
MODULE = f"{NAME}/_native.abi3.so"
# What is found in the library from outside.
EXPORTS = ("PyInit__native", "GetPjrtApi")
# Static where the distribution has that: what a bare system lacks must be inside.
SYSTEM = ("-l:libz.a", "-l:libzstd.a", "-static-libstdc++", "-static-libgcc", "-lpthread", "-ldl", "-lm")
# What code is made for. MLIR names the other targets of LLVM where it registers them; they are half of it, and stay out.
TARGETS = ("X86", "AArch64")
PARTS = ("TargetInfo", "Target", "TargetMC", "AsmPrinter", "AsmParser", "Disassembler")
ARCHIVES = "Info|CodeGen|Desc|AsmParser|Disassembler|Utils|Analysis|TargetMCA"


def version() -> str:
    """That of the workspace."""
    return tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]


def rust_archive() -> Path:
    """Everything of ours, in Rust or C++."""
    command = ["cargo", "rustc", "--release", "--locked", "-p", "mapwright-python", "--lib", "--crate-type", "staticlib"]
    built = subprocess.run([*command, "--message-format=json-render-diagnostics"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if built.returncode:
        raise SystemExit("cargo could not build the extension module")
    archive = None
    for line in built.stdout.splitlines():
        message = json.loads(line)
        if message["reason"] == "compiler-artifact" and message["target"]["name"] == "mapwright_python":
            archive = next(Path(name) for name in message["filenames"] if name.endswith(".a"))
    if archive is None:
        raise SystemExit("cargo does not say which archive it built")
    return archive


def link(output: Path) -> None:
    """Links the extension module with what it needs of LLVM and MLIR inside."""
    archive = rust_archive()
    lib = PREFIX / "lib"
    exports = output.with_suffix(".map")
    exports.write_text(f"{{ global: {' '.join(f'{name};' for name in EXPORTS)} local: *; }};\n")
    built = subprocess.run([PREFIX / "bin/llvm-config", "--targets-built"], stdout=subprocess.PIPE, text=True, check=True)
    left_out = [target for target in built.stdout.split() if target not in TARGETS]
    # Registering one of them does nothing; neither does registering LLVM's interpreter, which is never asked for and needs libffi, or a
    # disassembler: nothing reads machine code.
    nothing = output.with_suffix(".c")
    names = [f"LLVMInitialize{target}{part}" for target in left_out for part in PARTS]
    names += [f"LLVMInitialize{target}Disassembler" for target in TARGETS]
    nothing.write_text("".join(f"void {name}(void) {{}}\n" for name in [*names, "LLVMLinkInInterpreter"]))
    others = re.compile(f"libLLVM(Interpreter|({'|'.join(left_out)})({ARCHIVES})|({'|'.join(TARGETS)})Disassembler).a")
    archives = [path for path in sorted(lib.glob("libMLIR*.a")) + sorted(lib.glob("libLLVM*.a")) if not others.fullmatch(path.name)]
    linked = subprocess.run(
        [
            PREFIX / "bin/clang++",
            "-shared",
            "-fuse-ld=lld",
            "-fPIC",
            "-O2",
            "-o",
            output,
            "-xc",
            nothing,
            "-xnone",
            *(f"-Wl,-u,{name}" for name in EXPORTS),
            archive,
            *archives,
            *SYSTEM,
            f"-Wl,--version-script={exports}",
            "-Wl,--gc-sections",
            "-Wl,--icf=all",
            "-Wl,-O2",
            "-Wl,--strip-all",
            "-Wl,-z,pack-relative-relocs",
            f"-Wl,-soname,{Path(MODULE).name}",
        ]
    )
    exports.unlink()
    nothing.unlink()
    if linked.returncode:
        raise SystemExit("the extension module cannot be linked")
    # Whatever is missing is found out here, not by a user: names of the C library have versions, those of the interpreter begin so.
    names = symbols(output, "--undefined-only", "--no-weak")
    missing = [name for name in names if "@" not in name and not re.match("_?Py", name)]
    if missing:
        raise SystemExit(f"the extension module lacks {', '.join(missing)}")
    if sorted(symbols(output, "--defined-only")) != sorted(EXPORTS):
        raise SystemExit(f"the extension module does not export {' and '.join(EXPORTS)} alone")


def symbols(library: Path, *which: str) -> list[str]:
    """The names that a library asks for or has, with their versions."""
    listed = subprocess.run([PREFIX / "bin/llvm-nm", "-D", "--format=just-symbols", *which, library], stdout=subprocess.PIPE, text=True, check=True)
    return listed.stdout.split()


def files() -> dict[str, Path]:
    """The sources in the wheel: the package, and what JAX looks for in `jax_plugins`."""
    found = {}
    for folder in (NAME, "jax_plugins"):
        for path in sorted((HERE / folder).rglob("*")):
            if path.suffix in (".py", ".pyi", ".typed") or path.name == "py.typed":
                found[path.relative_to(HERE).as_posix()] = path
    return found


def tag() -> str:
    """One wheel for every CPython from 3.10 on, and for systems whose C library is as new as the one here."""
    name, number = platform.libc_ver()
    if name != "glibc":
        raise SystemExit("a wheel is built on a system with glibc")
    return f"cp310-abi3-manylinux_{number.replace('.', '_')}_{platform.machine()}"


def metadata() -> dict[str, str]:
    """The files of the folder `.dist-info`."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {version()}",
        f"Summary: {project['description']}",
        "License: Apache-2.0 WITH LLVM-exception",
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {one}" for one in project["dependencies"]),
    ]
    for extra, needed in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {one}; extra == '{extra}'" for one in needed]
    scripts = "".join(f"{name} = {where}\n" for name, where in project["scripts"].items())
    points = f"[console_scripts]\n{scripts}"
    points += f"\n[torch_dynamo_backends]\nmapwright = {NAME}.torch:backend\n\n[torch_xla.plugins]\nmapwright = {NAME}.torch:plugin\n"
    if (HERE / "jax_plugins/mapwright").is_dir():
        points += "\n[jax_plugins]\nmapwright = jax_plugins.mapwright\n"
    return {
        "METADATA": "\n".join(lines) + "\n",
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: mapwright\nRoot-Is-Purelib: false\nTag: {tag()}\n",
        "entry_points.txt": points,
        "LICENSE": (ROOT / "LICENSE").read_text(),
        "NOTICES.md": (ROOT / "NOTICES.md").read_text(),
    }


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    """The hook of PEP 517; the name of the wheel."""
    work = TARGET / "wheel"
    work.mkdir(parents=True, exist_ok=True)
    module = work / Path(MODULE).name
    link(module)
    info = f"{NAME}-{version()}.dist-info"
    contents: dict[str, bytes] = {name: path.read_bytes() for name, path in files().items()}
    contents[MODULE] = module.read_bytes()
    contents.update({f"{info}/{name}": text.encode() for name, text in metadata().items()})
    wheel = Path(wheel_directory) / f"{NAME}-{version()}-{tag()}.whl"
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        def write(name: str, data: bytes) -> None:
            # The same files give the same wheel.
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            archive.writestr(entry, data, compresslevel=9)

        for name, data in sorted(contents.items()):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
            write(name, data)
        write(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,"]).encode() + b"\n")
    return wheel.name


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    """Sources are the repository."""
    raise NotImplementedError("build from the repository")


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else TARGET / "wheel")
    folder.mkdir(parents=True, exist_ok=True)
    print(folder / build_wheel(str(folder)))
