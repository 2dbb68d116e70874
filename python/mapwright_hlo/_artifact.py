"""Files of programs: StableHLO as text or as a portable artifact, and what ``jax.export`` serializes.

The latter is a FlatBuffer: a table is found through offsets, and each of its fields through a table of such (its *vtable*). The reader here
looks at nothing outside of the bytes it was given.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass, field
from typing import Any, Callable, TypeVar

from ._error import Error
from ._source import BYTECODE

T = TypeVar("T")

# The numbers that jax.export gives the element types.
_DTYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128 bfloat16 int4 uint4 float8_e4m3b11fnuz "
    "float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float0 float8_e4m3 float8_e3m4 float8_e8m0fnu float4_e2m1fn key<fry> key<rbg> "
    "key<unsafe_rbg>"
).split()

_CHECKS = ("platform", "custom_call", "shape_assertions")


@dataclass(frozen=True)
class Artifact:
    """A program in a file: its bytes, which every function of the package takes, and what ``jax.export`` says of it."""

    #: StableHLO as text, bytecode or a portable artifact.
    module: bytes
    #: The name of the function that was exported.
    function_name: str | None = None
    #: The version of the convention by which the module's function is called.
    calling_convention_version: int | None = None
    #: The platforms that it was exported for; with several the first argument is the number of the one at hand.
    platforms: tuple[str, ...] = ()
    #: The number of devices.
    nr_devices: int = 1
    #: Types of the arguments of the exported function, each as its name and its sizes, which may be formulas.
    in_avals: tuple[tuple[str, tuple[str, ...]], ...] = ()
    #: Types of the results.
    out_avals: tuple[tuple[str, tuple[str, ...]], ...] = ()
    #: The numbers of the arguments that the module takes.
    module_kept_var_idx: tuple[int, ...] = ()
    #: Effects that happen in order: the module takes and gives a token for each.
    ordered_effects: tuple[str, ...] = ()
    #: Effects that happen in any order.
    unordered_effects: tuple[str, ...] = ()
    #: Checks that whoever loads the program is asked to leave out.
    disabled_checks: tuple[str, ...] = ()
    #: Does it use global constants as arguments?
    uses_global_constants: bool = False
    #: The vector-Jacobian product, if that was exported as well.
    vjp: Artifact | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        name = f" of {self.function_name}" if self.function_name else ""
        return f"<Artifact{name}: {len(self.module)} bytes>"


class _Table:
    """A table of a FlatBuffer."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data, self._at = data, at
        self._vtable = at - self._read("<i", at)
        size, self._size = self._read("<HH", self._vtable, 2)
        if size < 4 or size % 2 or self._vtable + size > len(data):
            raise Error("a serialized function of JAX is damaged: a table does not say where its fields are")
        self._fields = (size - 4) // 2

    @classmethod
    def root(cls, data: bytes) -> _Table:
        if len(data) < 8:
            raise Error("neither StableHLO nor a serialized function of JAX")
        return cls(data, struct.unpack_from("<I", data)[0])

    def _read(self, format: str, at: int, count: int = 1) -> Any:
        if at < 0 or at + struct.calcsize(format) > len(self._data):
            raise Error(f"a serialized function of JAX is damaged: it refers to byte {at}, and has {len(self._data)}")
        found = struct.unpack_from(format, self._data, at)
        return found if count > 1 else found[0]

    def _place(self, number: int) -> int | None:
        """Where field ``number`` is, if it is there."""
        if number >= self._fields:
            return None
        offset = self._read("<H", self._vtable + 4 + 2 * number)
        return self._at + offset if offset else None

    def number(self, number: int, format: str, default: int = 0) -> int:
        at = self._place(number)
        return default if at is None else self._read(f"<{format}", at)

    def _vector(self, number: int, width: int) -> tuple[int, int]:
        """Where the elements of a vector begin, and how many there are."""
        at = self._place(number)
        if at is None:
            return 0, 0
        at += self._read("<I", at)
        count = self._read("<I", at)
        if at + 4 + count * width > len(self._data):
            raise Error(f"a serialized function of JAX is damaged: a vector of {count} elements at byte {at} of {len(self._data)}")
        return at + 4, count

    def bytes(self, number: int) -> bytes:
        at, count = self._vector(number, 1)
        return self._data[at : at + count]

    def text(self, number: int) -> str:
        return self.bytes(number).decode("utf-8", "replace")

    def numbers(self, number: int, format: str) -> tuple[int, ...]:
        width = struct.calcsize(format)
        at, count = self._vector(number, width)
        return struct.unpack_from(f"<{count}{format}", self._data, at)

    def texts(self, number: int) -> tuple[str, ...]:
        at, count = self._vector(number, 4)
        found = []
        for place in range(at, at + 4 * count, 4):
            begin = place + self._read("<I", place)
            length = self._read("<I", begin)
            if begin + 4 + length > len(self._data):
                raise Error("a serialized function of JAX is damaged: a text ends after the last byte")
            found.append(self._data[begin + 4 : begin + 4 + length].decode("utf-8", "replace"))
        return tuple(found)

    def table(self, number: int) -> _Table | None:
        at = self._place(number)
        return None if at is None else _Table(self._data, at + self._read("<I", at))

    def tables(self, number: int, read: Callable[[_Table], T]) -> tuple[T, ...]:
        at, count = self._vector(number, 4)
        return tuple(read(_Table(self._data, place + self._read("<I", place))) for place in range(at, at + 4 * count, 4))


def _aval(table: _Table) -> tuple[str, tuple[str, ...]]:
    number = table.number(2, "b")
    name = _DTYPES[number] if 0 <= number < len(_DTYPES) else f"type {number}"
    return name, table.texts(1)


def _check(table: _Table) -> str:
    kind = table.number(0, "b")
    name = _CHECKS[kind] if 0 <= kind < len(_CHECKS) else f"check {kind}"
    return f"{name}:{table.text(1)}" if name == "custom_call" else name


def _exported(table: _Table, depth: int = 0) -> Artifact:
    # The vjp of a vjp of ... each is inside of the other.
    if depth > 64:
        raise Error("a serialized function of JAX is damaged: its derivatives do not end")
    module = table.bytes(13)
    if not module.startswith(BYTECODE):
        raise Error("a serialized function of JAX is damaged: there is no program in it")
    unique = table.tables(19, _aval)

    def avals(old: int, indices: int) -> tuple:
        chosen = table.numbers(indices, "I")
        if any(i >= len(unique) for i in chosen):
            raise Error("a serialized function of JAX is damaged: it refers to a type that is not there")
        return tuple(unique[i] for i in chosen) if chosen else table.tables(old, _aval)

    vjp = table.table(17)
    return Artifact(
        module=module,
        function_name=table.text(1) or None,
        calling_convention_version=table.number(14, "H"),
        platforms=table.texts(9),
        nr_devices=table.number(18, "I") or table.number(6, "H"),
        in_avals=avals(3, 22),
        out_avals=avals(5, 23),
        module_kept_var_idx=table.numbers(15, "H"),
        ordered_effects=table.tables(10, lambda effect: effect.text(0)),
        unordered_effects=table.tables(11, lambda effect: effect.text(0)),
        disabled_checks=table.tables(12, _check),
        uses_global_constants=bool(table.number(16, "b")),
        vjp=None if vjp is None else _exported(vjp, depth + 1),
    )


def load(file: str | os.PathLike[str] | bytes) -> Artifact:
    """Reads a program from a file, or from its bytes: StableHLO as text, bytecode or a portable artifact, or what
    ``jax.export.export(f)(x).serialize()`` gives.

    >>> import mapwright_hlo as mw, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "f.mlir")
    ...     _ = file.write_text("func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }")
    ...     mw.load(file)
    <Artifact of f.mlir: 75 bytes>
    """
    name = None
    if isinstance(file, (bytes, bytearray, memoryview)):
        data = bytes(file)
    else:
        name = os.path.basename(os.fspath(file))
        with open(file, "rb") as opened:
            data = opened.read()
    if data.startswith(BYTECODE) or b"\0" not in data[:64]:
        return Artifact(module=data, function_name=name)
    return _exported(_Table.root(data))
