"""Programs made of programs."""

from __future__ import annotations

from typing import Any, Sequence

from . import _native
from ._source import source


def opt(program: Any, pipeline: str, *args: Any) -> str:
    """The program after a pipeline of passes, as ``mapwright-opt --pass-pipeline`` takes it, as text.

    >>> import mapwright_hlo as mw
    >>> "stablehlo" in mw.opt("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { %0 = chlo.sinh %x : tensor<2xf32> -> tensor<2xf32> return %0 : tensor<2xf32> }",
    ...                       "builtin.module(indexing-legalize-chlo)")
    True
    """
    read = source(program, *args)
    return _native.opt(read.name, read.bytes, pipeline)


def differentiate(program: Any, *args: Any, of: str = "main", wrt: int | Sequence[int] = 0) -> str:
    """The program with the vector-Jacobian product of the function ``of`` with respect to these arguments, as text: the function ``@main_vjp`` takes the
    arguments of ``@main`` and a cotangent for each result, and gives the cotangents of the arguments.

    >>> import mapwright_hlo as mw, numpy as np
    >>> square = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { %0 = stablehlo.multiply %x, %x : tensor<2xf32> return %0 : tensor<2xf32> }"
    >>> gradient = mw.compile(mw.differentiate(square), entry="main_vjp")
    >>> gradient(np.array([3, 4], np.float32), np.ones(2, np.float32))
    array([6., 8.], dtype=float32)
    """
    numbers = [wrt] if isinstance(wrt, int) else list(wrt)
    return opt(program, f"builtin.module(indexing-differentiate{{of={of} wrt={','.join(map(str, numbers))}}})", *args)
