"""What users give as a program, as the bytes that are parsed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

BYTECODE = b"ML\xefR"


@dataclass(frozen=True)
class Source:
    """A program: its name in diagnostics, its text or bytecode, and how a function of JAX arranges its arguments and results."""

    name: str
    bytes: bytes
    in_tree: Any = None
    out_tree: Any = None


def source(program: Any, *args: Any, **kwargs: Any) -> Source:
    """The source of a program; a function of JAX is traced with the arguments."""
    if isinstance(program, Source):
        return program
    if isinstance(program, str):
        return Source("program", program.encode())
    if isinstance(program, (bytes, bytearray, memoryview)):
        data = bytes(program)
        if _is_exported(data):
            from ._artifact import load

            return source(load(data))
        return Source("program", data)
    if isinstance(program, os.PathLike):
        from ._artifact import load

        return source(load(program))
    module = getattr(program, "module", None)
    if isinstance(module, bytes):
        return Source(getattr(program, "function_name", None) or "program", module)
    if hasattr(program, "mlir_module") and callable(program.mlir_module):
        return Source("program", _text(program.mlir_module()).encode())
    if hasattr(program, "as_text"):
        return _lowered(program)
    if hasattr(program, "operation"):
        return Source("program", str(program).encode())
    if callable(program):
        import jax

        # Arguments that a function does not use stay, so that the program takes what the function takes.
        return _lowered(jax.jit(program, keep_unused=True).lower(*args, **kwargs))
    raise TypeError(f"{type(program).__name__} is no program: give a function of JAX, StableHLO, or the path of a file")


def _is_exported(data: bytes) -> bool:
    """Is it neither bytecode nor text?"""
    return not data.startswith(BYTECODE) and b"\0" in data[:64]


def _text(module: Any) -> str:
    return module if isinstance(module, str) else str(module)


def _lowered(lowered: Any) -> Source:
    # With the places in the user's source, if this version of JAX prints them.
    try:
        text = lowered.as_text(debug_info=True)
    except TypeError:
        text = lowered.as_text()
    return Source(
        "program", text.encode(), getattr(lowered, "in_tree", None), getattr(lowered, "out_tree", None)
    )
