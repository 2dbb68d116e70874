"""Nested lists of arrays, which programs of tensor arrays take and give."""

from __future__ import annotations

from typing import Any, Iterator, Sequence

import numpy as np

from . import _arrays
from ._error import Error


class Ragged:
    """A list of arrays of one shape, or of such lists: the arrays one behind the other, and the offsets of each level, from the outermost.

    List ``i`` of a level has the elements ``offsets[i]`` to, not including, ``offsets[i + 1]`` of the next one. The outermost level is one list.
    It behaves as the list: it has a length and elements, and :meth:`to_lists` makes lists of it.
    """

    def __init__(self, values: Any, offsets: Sequence[Any]) -> None:
        if not offsets:
            raise Error("an array has a level at least")
        self.values = values
        self.offsets = [np.asarray(own, dtype=np.int64) for own in offsets]

    @property
    def levels(self) -> int:
        """How deeply the lists are nested."""
        return len(self.offsets)

    def __len__(self) -> int:
        return int(self.offsets[0][-1])

    def __getitem__(self, i: int) -> Any:
        n = len(self)
        if not -n <= i < n:
            raise IndexError(f"element {i} of a list of {n}")
        i %= n
        if self.levels == 1:
            return self.values[i]
        # The elements of the inner lists are those between the offsets, level by level.
        begin, end = int(self.offsets[1][i]), int(self.offsets[1][i + 1])
        offsets = [np.array([0, end - begin])]
        for own in self.offsets[2:]:
            part = own[begin : end + 1]
            offsets.append(part - part[0])
            begin, end = int(part[0]), int(part[-1])
        return Ragged(self.values[begin:end], offsets)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def to_lists(self) -> list:
        """The lists, with views of the arrays."""
        return [element.to_lists() if isinstance(element, Ragged) else element for element in self]

    def __repr__(self) -> str:
        return f"Ragged(values={self.values!r}, offsets={[own.tolist() for own in self.offsets]})"


def ragged(lists: Sequence[Any], *, levels: int | None = None, dtype: Any = None) -> Ragged:
    """Packs a list of arrays of one shape, or a list of such lists. ``levels`` is the number of levels, if the lists do not say it themselves as
    they hold numbers, or nothing.

    >>> import mapwright_hlo as mw, numpy as np
    >>> words = mw.ragged([[np.array([1.0, 2.0])], [], [np.array([3.0, 4.0]), np.array([5.0, 6.0])]])
    >>> [own.tolist() for own in words.offsets]
    [[0, 3], [0, 1, 1, 3]]
    >>> words[2].values.tolist()
    [[3.0, 4.0], [5.0, 6.0]]
    """
    if levels is None:
        levels = _depth(lists)
    offsets: list[list[int]] = []
    level: list[Any] = [lists]
    for _ in range(levels):
        own = [0]
        for each in level:
            if not isinstance(each, (list, tuple)):
                raise Error(f"a list is expected, not {type(each).__name__}")
            own.append(own[-1] + len(each))
        offsets.append(own)
        level = [element for each in level for element in each]
    leaves = [np.asarray(leaf, dtype=dtype) for leaf in level]
    shapes = {leaf.shape for leaf in leaves}
    if len(shapes) > 1:
        raise Error(f"the arrays have different shapes: {sorted(shapes)}")
    return Ragged(np.stack(leaves) if leaves else np.empty((0,), dtype), offsets)


def _depth(lists: Any) -> int:
    if not isinstance(lists, (list, tuple)):
        return 0
    return 1 + max((_depth(element) for element in lists), default=0)


def packed(value: Any, spec: dict, levels: int, where: str) -> tuple[list[int], np.ndarray, list[list[int]]]:
    """An argument that is a tensor array: shape and bytes of the leaves, and the offsets."""
    if not isinstance(value, Ragged):
        if not isinstance(value, (list, tuple)):
            raise Error(f"{where} is a tensor array: give lists, or mw.ragged(lists)")
        value = ragged(value, levels=levels, dtype=_arrays.dtype_of(spec["element"], spec["dtype"]))
    values = value.values
    if len(value) == 0 or len(values) == 0:
        # Nothing says of what shape nothing is.
        values = np.empty((0, *spec["shape"][1:]), _arrays.dtype_of(spec["element"], spec["dtype"]))
    shape, memory = _arrays.to_memory(values, spec, where)
    if shape[1:] != spec["shape"][1:]:
        raise Error(f"{where}: the arrays have the shape {shape[1:]}, but {spec['shape'][1:]} is expected")
    return shape, memory, [own.tolist() for own in value.offsets]
