"""What is wrong with a program, or with a call of it."""

from __future__ import annotations

import re

_PLACED = re.compile(r"^(?P<location>.*?): error: (?P<reason>.*)$", re.MULTILINE)


class Error(RuntimeError):
    """A program that is not well-formed, that cannot be compiled, or that failed.

    ``reason`` is the first error in one line, ``location`` its place (``f.mlir:2:3``; None where it has none), and ``diagnostics`` all of what was
    said, with the lines of the source and notes.

    >>> import mapwright_hlo as mw
    >>> try:
    ...     mw.maps("func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> { return %x : tensor<2xf32> }")
    ... except mw.Error as error:
    ...     print(error.location, error.reason)
    program:1:55 type of return operand 0 ('tensor<2xf32>') doesn't match function result type ('tensor<3xf32>') in function @main
    """

    reason: str
    location: str | None
    diagnostics: str

    def __init__(self, text: str) -> None:
        super().__init__(text.rstrip())
        self.diagnostics = text.rstrip()
        placed = _PLACED.search(text)
        if placed is None:
            lines = text.strip().splitlines()
            self.location, self.reason = None, lines[0] if lines else ""
        else:
            self.location, self.reason = placed["location"], placed["reason"]
            if self.location in ("loc(unknown)", "<unknown>"):
                self.location = None
