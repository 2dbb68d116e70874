"""Indexing maps: which elements of its operands an element of a result is made of."""

from __future__ import annotations

import html
import json
from typing import Any, Iterable, NamedTuple, Sequence

from . import _native
from ._error import Error
from ._source import Source, source


class Variable(NamedTuple):
    """A variable of a map, with the least and the greatest value; None where there is no such bound."""

    name: str
    lower: int | None
    upper: int | None


class Constraint(NamedTuple):
    """An expression whose value lies between two numbers, both included."""

    expression: str
    lower: int | None
    upper: int | None


class Comparison(NamedTuple):
    """Whether two maps are the same function on the same domain (None: not decided), how that was found, and a point where they differ."""

    equal: bool | None
    method: str
    counterexample: tuple[list[int], list[int], list[int]] | None


class IndexingMap:
    """A map from the indices of one tensor to those of another, on a domain.

    ``dims`` are the indices it starts from; ``ranges`` run over all values for each of them, as in a sum; ``runtime`` are read while the program
    runs. It is made from the text that it prints as.

    >>> from mapwright_hlo import IndexingMap
    >>> rows = IndexingMap("(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 2], d1 in [0, 3]")
    >>> rows.dims
    [Variable(name='d0', lower=0, upper=2), Variable(name='d1', lower=0, upper=3)]
    >>> rows.eval([2, 1])
    [9]
    >>> rows.eval([3, 0]) is None  # outside of the domain
    True
    >>> back = IndexingMap("(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 11]")
    >>> rows.compose(back)
    IndexingMap('(d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 3]')
    >>> rows.inverse() == back
    True
    """

    __slots__ = ("_map",)
    __hash__ = None  # type: ignore[assignment]  # maps that are equal by proof do not look the same

    def __init__(self, text: str, *, exact: bool = True) -> None:
        self._map = _native.Map(text, exact, None, [])

    @classmethod
    def _of(cls, map: _native.Map) -> IndexingMap:
        new = object.__new__(cls)
        new._map = map
        return new

    @classmethod
    def _from_document(cls, document: dict) -> IndexingMap:
        reads = [(v["value"], v["index"], *v["clamp"]) for v in document["runtime"]]
        return cls._of(_native.Map(document["text"], document["exact"], document["unknown"], reads))

    def __str__(self) -> str:
        return str(self._map)

    def __repr__(self) -> str:
        if self.unknown is not None:
            return f"<IndexingMap, unknown: {self.unknown}>"
        return f"IndexingMap({str(self)!r}{'' if self.exact else ', exact=False'})"

    @property
    def exact(self) -> bool:
        """False if the map is an over-approximation: what is read is a part of what it says."""
        return self._map.exact

    @property
    def empty(self) -> bool:
        """Is it known that no point is in the domain?"""
        return self._map.empty

    @property
    def unknown(self) -> str | None:
        """Why nothing is known, if that is so."""
        return self._map.unknown

    @property
    def dims(self) -> list[Variable]:
        """The indices that the map starts from."""
        return [Variable(*v) for v in self._map.dims]

    @property
    def ranges(self) -> list[Variable]:
        """The variables that take all their values for each index."""
        return [Variable(*v) for v in self._map.ranges]

    @property
    def runtime(self) -> list[tuple[Variable, str, str | None]]:
        """The variables that are read while the program runs, with the value that each is read from, and the map of the index."""
        return [(Variable(*v), value, index) for v, value, index in self._map.runtime]

    @property
    def constraints(self) -> list[Constraint]:
        """What holds on the domain besides the bounds of the variables."""
        return [Constraint(*c) for c in self._map.constraints]

    @property
    def results(self) -> list[str]:
        """The expressions of the indices that the map leads to."""
        return self._map.results

    def eval(self, dims: Sequence[int], ranges: Sequence[int] = (), runtime: Sequence[int] = ()) -> list[int] | None:
        """The result at a point; None outside of the domain."""
        if not self.empty and self.unknown is None:
            for name, given, wanted in (
                ("dims", dims, self._map.dims),
                ("ranges", ranges, self._map.ranges),
                ("runtime", runtime, self._map.runtime),
            ):
                if len(given) != len(wanted):
                    raise Error(f"`{name}` has {len(given)} values, the map has {len(wanted)}")
        return self._map.eval(list(dims), list(ranges), list(runtime))

    def compose(self, producer: IndexingMap) -> IndexingMap:
        """First this map, then ``producer`` on its results; simplified."""
        if self.unknown is None and producer.unknown is None and len(self.results) != len(producer.dims) and not (self.empty or producer.empty):
            raise Error(f"the consumer has {len(self.results)} results, the producer {len(producer.dims)} dimensions")
        return self._of(self._map.compose(producer._map))

    def simplify(self) -> IndexingMap:
        """The same function on the same domain in its simplest form."""
        return self._of(self._map.simplify())

    def inverse(self) -> IndexingMap | None:
        """The map back, where there is one."""
        found = self._map.inverse()
        return None if found is None else self._of(found)

    def compare(self, other: IndexingMap) -> Comparison:
        """Proves that two maps are the same function on the same domain, or finds a point where they differ."""
        return Comparison(*self._map.compare(other._map))

    def __eq__(self, other: object) -> bool:
        """By proof: maps that look different may be equal. What cannot be decided is an error, as False would be a claim."""
        if not isinstance(other, IndexingMap):
            return NotImplemented
        found = self.compare(other)
        if found.equal is None:
            raise Error(f"whether the maps are equal is not decided: {found.method}")
        return found.equal


class Maps:
    """The maps of the functions of a program. In a notebook it is the picture that ``mapwright maps --html`` draws.

    ``functions`` has a dictionary for each function: ``name``; ``ops``, each with ``op``, ``location`` and its maps; ``composed``, those of the results
    with respect to the arguments. In place of each map's text stands an :class:`IndexingMap`.
    """

    def __init__(self, read: Source, functions: list[dict], function: str | None) -> None:
        self._source, self._function = read, function
        self.functions: list[dict] = [_with_maps(each) for each in functions]

    @property
    def ops(self) -> list[dict]:
        """The operations of all functions, in order."""
        return [op for function in self.functions for op in function["ops"]]

    def composed(self, result: int = 0, argument: int = 0, function: str | None = None, *, inward: bool = False) -> list[IndexingMap]:
        """The maps between a result and an argument of a function, the first one without its name: none where they do not depend on each other.
        ``inward`` asks for those from the argument to the result, if both directions were asked for."""
        for each in self.functions:
            if function in (None, each["name"]):
                pairs: Iterable[dict] = each.get("composed_input_to_output" if inward else "composed", ())
                return [m for pair in pairs if (pair["result"], pair["argument"]) == (result, argument) for m in pair["maps"]]
        raise Error(f"there is no function @{function}")

    def to_html(self) -> str:
        """A page that draws the program, and shows for an element what it reads."""
        return _native.maps_page(self._source.name, self._source.bytes, self._function)

    def _repr_html_(self) -> str:
        return frame(self.to_html())

    def __str__(self) -> str:
        lines = []
        for function in self.functions:
            lines.append(f"func @{function['name']}")
            for op in function["ops"]:
                lines.append(f"  {op['op']} at {op['location']}")
                for pair in op.get("output_to_input", ()):
                    lines.append(f"    result {pair['result']} -> operand {pair['operand']}")
                    lines += [f"      {m}" for m in pair["maps"]]
        return "\n".join(lines)

    def __repr__(self) -> str:
        names = ", ".join(f"@{function['name']}" for function in self.functions)
        return f"<Maps of {names}: {counted(len(self.ops), 'operation')}>"


def _with_maps(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_maps(element) for element in value]
    if isinstance(value, dict):
        if "text" in value and "exact" in value:
            return IndexingMap._from_document(value)
        return {key: _with_maps(element) for key, element in value.items()}
    return value


def counted(n: int, what: str) -> str:
    """A number of things in words."""
    return f"{n} {what}{'' if n == 1 else 's'}"


def frame(page: str) -> str:
    """A page as a part of another one."""
    return f'<iframe srcdoc="{html.escape(page)}" style="width: 100%; height: 480px; border: 0"></iframe>'


def maps(
    program: Any,
    *args: Any,
    function: str | None = None,
    direction: str = "output-to-input",
    compose: bool = True,
    simplify: bool = True,
    physical: bool = False,
) -> Maps:
    """The indexing maps of every operation of a program, and of its results with respect to its arguments.

    ``args`` are example arguments for a function of JAX. ``direction`` is ``output-to-input``, ``input-to-output`` or ``both``; ``physical`` asks for maps
    between arrays in memory, by the layouts that the program states.

    >>> import mapwright_hlo as mw
    >>> reverse = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %0 = stablehlo.reverse %x, dims = [0] : tensor<4xf32> return %0 : tensor<4xf32> }"
    >>> found = mw.maps(reverse)
    >>> found
    <Maps of @main: 1 operation>
    >>> found.ops[0]["output_to_input"][0]["maps"]
    [IndexingMap('(d0) -> (-d0 + 3), domain: d0 in [0, 3]')]
    """
    read = source(program, *args)
    answer = _native.maps(read.name, read.bytes, function, direction, compose, simplify, physical)
    return Maps(read, json.loads(answer), function)
