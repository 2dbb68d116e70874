"""Figures in the pages: each stands between two comments that name it, with the command and the machine that it was measured with."""

import os
import pathlib
import platform
import shlex
import sys

ROOT = pathlib.Path(__file__).parent.parent


def width():
    """How wide the vectors of this machine are, in bits; 0 where that is not known."""
    try:
        flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    except OSError:
        flags = []
    widths = {"avx512f": 512, "avx2": 256, "asimd": 128}
    return next((bits for flag, bits in widths.items() if flag in flags), 0)


def machine():
    """What matters of this machine: architecture, cores, and how wide its vectors are."""
    wide = f", {width()}-bit vectors" if width() else ""
    return f"{platform.machine().replace('_', '-')}, {os.cpu_count()} cores{wide}"


def command():
    """This run, without what says where things are."""
    words, rest = [], iter(sys.argv[1:])
    for word in rest:
        if word == "--tool":
            next(rest, None)
        elif word != "--write" and not word.startswith("--tool="):
            words.append(word)
    return shlex.join([f"benches/{pathlib.Path(sys.argv[0]).name}", *words])


def write(page, name, lines):
    """Puts a figure into a page of `docs`, in the place of the one of this name: of the one for vectors as wide as those of this machine, if there is such."""
    path = ROOT / "docs" / page
    text = path.read_text()
    own = f"{name}-{width()}"
    name = own if f"<!-- figure {own} -->\n" in text else name
    begin, end = f"<!-- figure {name} -->\n", f"<!-- end of {name} -->\n"
    front, rest = text.split(begin)
    _, back = rest.split(end)
    said = f"`{command()}`; {machine()}.\n"
    path.write_text(front + begin + "\n".join([*lines, "", said]) + end + back)
