"""Compiled programs."""

from __future__ import annotations

import json
from typing import Any

from . import _arrays, _native
from ._error import Error
from ._ragged import Ragged, packed
from ._source import source


class Executable:
    """A compiled function, called with arrays of NumPy, JAX or PyTorch, or with numbers.

    The memory of dense arguments is read where it is if it lies at a multiple of 64 bytes, as that of JAX does and that of large arrays of
    PyTorch; others are copied. Results are arrays of the library that the first array among the arguments is of. Where the function is one of JAX,
    arguments and results are arranged as its own. An executable may be called from several threads at once.
    """

    def __init__(self, program: _native.Program, threads: int = 0, in_tree: Any = None, out_tree: Any = None) -> None:
        self._program = program
        self._threads = threads
        self._in_tree, self._out_tree = in_tree, out_tree
        signature = json.loads(program.signature())
        self.entry: str = signature["entry"]
        self._levels: list[list[int] | None] = signature["input_levels"]
        self._result_levels: list[list[int] | None] = signature["output_levels"]
        # An array is its leaves, and a vector of offsets for each level.
        inputs = iter(signature["inputs"])
        self._inputs: list[dict] = []
        for max in self._levels:
            self._inputs.append(next(inputs))
            for _ in max or ():
                next(inputs)
        self._outputs: list[dict] = signature["outputs"]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function.

        >>> import mapwright_hlo as mw, numpy as np
        >>> double = mw.compile("func.func @main(%x: tensor<3xi32>) -> tensor<3xi32> { %0 = stablehlo.add %x, %x : tensor<3xi32> return %0 : tensor<3xi32> }")
        >>> double(np.arange(3, dtype=np.int32))
        array([0, 2, 4], dtype=int32)
        >>> double([1.5, 2, 3])
        Traceback (most recent call last):
        mapwright_hlo._error.Error: argument 0 of @main: elements are float64, but i32 is expected
        """
        values = self._flat(args, kwargs)
        if len(values) != len(self._inputs):
            raise Error(f"@{self.entry} takes {len(self._inputs)} arguments, not {len(values)}")
        kinds = [kind for kind in map(_arrays.kind, values) if kind]
        whose = kinds[0] if kinds else "numpy"
        arguments = []
        for i, (value, spec, max) in enumerate(zip(values, self._inputs, self._levels)):
            where = f"argument {i} of @{self.entry}"
            if max is None:
                arguments.append((*_arrays.to_memory(value, spec, where), None))
            else:
                arguments.append(packed(value, spec, len(max), where))
        parts = {
            name: _arrays.from_memory(memory, element, bits, shape, whose)
            for name, bits, element, shape, memory in self._program.call(arguments, self._threads)
        }
        results = [self._result(i, max, parts) for i, max in enumerate(self._result_levels)]
        if self._out_tree is not None:
            return self._out_tree.unflatten(results)
        return results[0] if len(results) == 1 else tuple(results)

    def _flat(self, args: tuple, kwargs: dict) -> list:
        if self._in_tree is None:
            if kwargs:
                raise TypeError("the arguments of a program have no names")
            return list(args)
        import jax

        values, tree = jax.tree_util.tree_flatten((args, kwargs))
        if tree != self._in_tree:
            raise Error(f"the arguments are arranged as {tree}, not as {self._in_tree}")
        return values

    def _result(self, i: int, max: list[int] | None, parts: dict[str, Any]) -> Any:
        if max is None:
            return parts[str(i)]
        offsets = [parts[f"{i}.offsets{level}"] for level in range(len(max))]
        return Ragged(parts[f"{i}.values"], offsets)

    @property
    def inputs(self) -> list[dict]:
        """The types of the arguments: ``element``, ``dtype`` (of the bits), ``shape`` with None for what is known at run time only, ``bounds``."""
        return self._inputs

    @property
    def outputs(self) -> list[dict]:
        """The types of the results, as :attr:`inputs`; those of a tensor array one after another."""
        return self._outputs

    def prepare(self, *shapes: tuple[int, ...]) -> str:
        """Compiles for arguments of these shapes, where sizes are known at run time only, and says what kind of code a call runs."""
        return self._program.prepare([list(shape) for shape in shapes])

    def __repr__(self) -> str:
        def types(specs: list[dict]) -> str:
            return ", ".join("x".join(["?" if n is None else str(n) for n in s["shape"]] + [s["element"]]) for s in specs)

        return f"<Executable @{self.entry}({types(self._inputs)}) -> ({types(self._outputs)})>"


def compile(program: Any, *args: Any, entry: str | None = None, threads: int = 0, specialize: bool = True) -> Executable:
    """Compiles a program to native code.

    ``args`` are example arguments for a function of JAX. ``entry`` is the function to call, if the program has several; ``threads`` how many a call
    may use, all of the machine without it; ``specialize=False`` makes one code for all sizes that are known at run time only. Progress is not shown.

    >>> import mapwright_hlo as mw
    >>> mw.compile("func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> { return %x : tensor<?x3xf32> }")
    <Executable @main(?x3xf32) -> (?x3xf32)>
    """
    read = source(program, *args)
    compiled = _native.Program(read.name, read.bytes, entry, threads, specialize)
    return Executable(compiled, threads, read.in_tree, read.out_tree)


def run(program: Any, *args: Any, entry: str | None = None, threads: int = 0) -> Any:
    """Compiles a program and calls it once. What is called again is better compiled once, by :func:`compile`.

    >>> import mapwright_hlo as mw
    >>> mw.run("func.func @main(%x: tensor<f32>) -> tensor<f32> { %0 = stablehlo.sine %x : tensor<f32> return %0 : tensor<f32> }", 0.0)
    array(0., dtype=float32)
    """
    return compile(program, *args, entry=entry, threads=threads)(*args)
