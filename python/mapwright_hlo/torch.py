"""Programs of PyTorch: modules as StableHLO, and the backend ``"mapwright"`` of ``torch.compile``.

PyTorch traces a module (``torch.export``); what it traced is lowered to StableHLO by ``torch_xla`` where that is installed, else by ``torchax``,
which does it by JAX. Neither runs anything afterwards: the program is compiled and run as any other one here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from . import _arrays
from ._error import Error
from ._executable import Executable, compile


# Stands for a tensor among results.
_TENSOR = object()


@dataclass
class Exported:
    """A module as a program, which every function of this package takes, and its weights, which are arguments of the program.

    ``weights`` are the module's own tensors by their names, and constants among its operations. Called, it takes and gives what the module does;
    it is compiled by the first call.
    """

    module: bytes
    weights: dict[str, Any]
    # The arguments of the program: their places among the weights and, behind them, the arguments of the module.
    _places: list[int]
    _in_spec: Any
    _out_spec: Any
    # Everything that the module gives: values that are no tensors, and _TENSOR for each tensor.
    _outputs: list[Any]
    function_name: str = "main"
    _executable: Executable | None = None

    def arguments(self, *args: Any, **kwargs: Any) -> list[Any]:
        """What the program takes for these arguments of the module, in its order."""
        from torch.utils import _pytree

        values, spec = _pytree.tree_flatten((args, kwargs))
        if spec != self._in_spec:
            raise Error(f"the arguments are arranged as {spec}, not as {self._in_spec}")
        all = [*self.weights.values(), *values]
        return [all[place] for place in self._places]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from torch.utils import _pytree

        if self._executable is None:
            self._executable = compile(self)
        return _pytree.tree_unflatten(self._flat(self._executable, self.arguments(*args, **kwargs)), self._out_spec)

    def _flat(self, executable: Executable, arguments: list[Any]) -> list[Any]:
        """Everything that the module gives, tensors and others, one behind the other."""
        import torch

        tensors = executable(*arguments)
        tensors = iter(tensors if isinstance(tensors, tuple) else (tensors,))
        # Without a tensor among the arguments the results are NumPy's.
        return [torch.as_tensor(next(tensors)) if one is _TENSOR else one for one in self._outputs]

    def save(self, folder: str | Path, *args: Any, **kwargs: Any) -> None:
        """Writes ``program.mlirbc``, and the weights and these arguments as ``arg0.npy``, …: what ``mapwright run --inputs`` takes."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "program.mlirbc").write_bytes(self.module)
        for i, value in enumerate(self.arguments(*args, **kwargs)):
            array = _arrays.of_torch(value)
            # Types that NumPy lacks are stored as their bits.
            np.save(folder / f"arg{i}.npy", array if array.dtype.isbuiltin == 1 else array.view(f"u{array.dtype.itemsize}"))


def export(model: Any, *args: Any, dynamic_shapes: Any = None, **kwargs: Any) -> Exported:
    """A module (or function) of PyTorch as StableHLO, for arguments of these shapes.

    The module is taken as it is: ``model.eval()`` first, where its layers behave differently in training. ``dynamic_shapes`` says which sizes are known
    at run time only, as for ``torch.export.export``. What the module writes to its buffers is not kept.

    An :class:`Error` says what cannot be traced or lowered.

        model = torch.nn.Linear(4, 2).eval()
        exported = mw.torch.export(model, torch.ones(3, 4))
        exported(torch.ones(3, 4))                  # what model(...) gives
        mw.fusion(exported)                         # its regions
        exported.save("linear", torch.ones(3, 4))   # then: mapwright run linear/program.mlirbc --inputs linear
    """
    import torch

    if not isinstance(model, torch.nn.Module):
        model = _module(model)
    return _exported(model, args, kwargs, dynamic_shapes)


def _module(function: Callable) -> Any:
    import torch

    class Function(torch.nn.Module):
        def forward(self, *args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

    return Function()


def _exported(module: Any, args: tuple, kwargs: dict[str, Any] | None = None, dynamic_shapes: Any = None) -> Exported:
    """Traces a module, and lowers what was traced."""
    import torch
    from torch.export.graph_signature import OutputKind, TensorArgument

    try:
        program = torch.export.export(module, args, kwargs, dynamic_shapes=dynamic_shapes)
    except Exception as error:
        raise Error(f"PyTorch cannot trace the module: {type(error).__name__}: {error}") from error
    results = program.graph_signature.output_specs
    written = [spec.target for spec in results if spec.kind == OutputKind.USER_INPUT_MUTATION]
    if written:
        raise Error(f"the module writes to its argument {written[0]}, and a program gives results alone")
    name, lower = ("torch_xla", _by_torch_xla) if find_spec("torch_xla") else ("torchax", _by_torchax)
    try:
        lowered, weights, places = lower(program)
    except Exception as error:
        raise Error(f"{name} cannot lower the module: {type(error).__name__}: {error}") from error
    given = [spec.arg for spec in results if spec.kind == OutputKind.USER_OUTPUT]
    outputs = [_TENSOR if isinstance(arg, TensorArgument) else arg.value for arg in given]
    spec = program.call_spec
    return Exported(lowered, weights, places, spec.in_spec, spec.out_spec, outputs)


def _weight(program: Any, name: str) -> Any:
    states = program.state_dict
    return states[name] if name in states else program.constants[name]


def _by_torch_xla(program: Any) -> tuple[bytes, dict[str, Any], list[int]]:
    import torch
    from torch_xla import stablehlo

    bundle = stablehlo.exported_program_to_stablehlo(program)._bundle
    function = bundle.stablehlo_funcs[0]
    kinds = stablehlo.VariableType
    weights: dict[str, Any] = {}
    for location in function.meta.input_locations:
        if location.type_ == kinds.PARAMETER:
            weights[location.name] = _weight(program, location.name)
        elif location.type_ == kinds.CONSTANT:
            weights[f"constant {location.position}"] = torch.as_tensor(bundle.additional_constants[location.position])
    names = list(weights)

    def place(location: Any) -> int:
        if location.type_ == kinds.INPUT_ARG:
            return len(names) + location.position
        return names.index(location.name if location.type_ == kinds.PARAMETER else f"constant {location.position}")

    return function.bytecode, weights, [place(location) for location in function.meta.input_locations]


def _by_torchax(program: Any) -> tuple[bytes, dict[str, Any], list[int]]:
    import jax
    import torchax.export
    from torch.export.graph_signature import InputKind, OutputKind, TensorArgument
    from torchax.decompositions import DECOMPOSITIONS
    from torchax.ops.mappings import t2j_dtype

    program = program.run_decompositions().run_decompositions(DECOMPOSITIONS)
    inputs, outputs = program.graph_signature.input_specs, program.graph_signature.output_specs
    weights = {spec.target: _weight(program, spec.target) for spec in inputs if spec.kind != InputKind.USER_INPUT}
    of_user = [spec.arg for spec in inputs if spec.kind == InputKind.USER_INPUT]
    taken = [i for i, arg in enumerate(of_user) if isinstance(arg, TensorArgument)]
    made = {node.name: node.meta["val"] for node in program.graph.nodes if "val" in node.meta}

    def function(*tensors: Any) -> list[Any]:
        of_weights, rest = iter(tensors[: len(weights)]), iter(tensors[len(weights) :])

        def value(spec: Any) -> Any:
            if spec.kind != InputKind.USER_INPUT:
                return next(of_weights)
            return next(rest) if isinstance(spec.arg, TensorArgument) else spec.arg.value

        values = [value(spec) for spec in inputs]
        results = torchax.export.JaxInterpreter(program.graph_module).run(*values, enable_io_processing=False)
        # In PyTorch's types: torchax gives positions as JAX does, in 32 bits.
        return [
            result.astype(t2j_dtype(made[spec.arg.name].dtype))
            for spec, result in zip(outputs, results, strict=True)
            if spec.kind == OutputKind.USER_OUTPUT and isinstance(spec.arg, TensorArgument)
        ]

    tensors = [*weights.values(), *(made[of_user[i].name] for i in taken)]
    avals = [
        jax.ShapeDtypeStruct(shape, t2j_dtype(tensor.dtype)) for shape, tensor in zip(_shapes(program, tensors), tensors, strict=True)
    ]
    # PyTorch's integers have 64 bits.
    with _with_64_bits():
        lowered = jax.export.export(jax.jit(function, keep_unused=True), platforms=["cpu"])(*avals)
    places = [*range(len(weights)), *(len(weights) + i for i in taken)]
    return lowered.mlir_module_serialized, weights, places


def _with_64_bits() -> Any:
    import jax

    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(True)
    from jax.experimental import enable_x64

    return enable_x64()


def _shapes(program: Any, tensors: Iterable[Any]) -> list[tuple]:
    """Shapes as JAX's: sizes that are known at run time only are symbols, with their bounds."""
    import jax
    import torch

    constraints = []
    for symbol, bounds in program.range_constraints.items():
        if not symbol.is_symbol:
            continue
        # JAX's symbols are at least 1.
        if bounds.lower > 1:
            constraints.append(f"{symbol} >= {int(bounds.lower)}")
        if bounds.upper.is_Integer:
            constraints.append(f"{symbol} <= {int(bounds.upper)}")
    scope = jax.export.SymbolicScope(constraints)

    def size(n: Any) -> Any:
        return jax.export.symbolic_shape(str(n), scope=scope)[0] if isinstance(n, torch.SymInt) else int(n)

    return [tuple(map(size, tensor.shape)) for tensor in tensors]


def backend(module: Any, inputs: list[Any], *, options: dict[str, Any] | None = None) -> Callable:
    """The backend ``"mapwright"`` of ``torch.compile``: ``torch.compile(model, backend="mapwright", options={"threads": 2})``.

    Graphs are compiled for the shapes of a call when these come for the first time, those of the backward pass, too. The name is known to PyTorch where the wheel is
    installed; the function itself may be given as well.
    """
    from torch._dynamo.backends.common import aot_autograd
    from torch.nn.attention import SDPBackend, sdpa_kernel

    threads = (options or {}).get("threads", 0)
    unknown = set(options or {}) - {"threads"}
    if unknown:
        raise Error(f"there is no option {', '.join(sorted(unknown))}; there is threads")
    # Attention as the operations that it is made of: kernels of PyTorch's own have no lowering.
    with sdpa_kernel(SDPBackend.MATH):
        return aot_autograd(fw_compiler=lambda graph, _: _compiled(graph, threads))(module, inputs)


def _compiled(graph: Any, threads: int) -> Callable:
    """A graph of ATen operations as a function of its inputs."""
    import torch
    from functorch.compile import make_boxed_func

    made: dict[tuple, tuple[Exported, Executable]] = {}

    def call(*values: Any) -> list[Any]:
        key = tuple((tuple(v.shape), v.dtype) if isinstance(v, torch.Tensor) else v for v in values)
        if key not in made:
            others: list[Any] = []

            def tensors(*values: Any) -> list[Any]:
                # Sizes are no results of a program, nor is None for an argument that has no gradient.
                results = graph(*values)
                others[:] = [_TENSOR if isinstance(one, torch.Tensor) else one for one in results]
                return [one for one in results if isinstance(one, torch.Tensor)]

            with torch.no_grad():
                exported = _exported(_module(tensors), values)
            exported._outputs = others
            made[key] = exported, compile(exported, threads=threads)
        exported, executable = made[key]
        return exported._flat(executable, exported.arguments(*values))

    return make_boxed_func(call)


def plugin() -> Any:
    """The plugin that ``torch_xla`` finds in the wheel: its programs run here with ``PJRT_DEVICE=MAPWRIGHT``."""
    import os

    from torch_xla.experimental.plugins import DevicePlugin

    from . import _native

    if os.environ.get("PJRT_DEVICE", "").upper() == "MAPWRIGHT":
        # Programs come as StableHLO then, not as XLA's own protocol buffers.
        os.environ.setdefault("XLA_STABLEHLO_COMPILE", "1")

    class Plugin(DevicePlugin):
        def library_path(self) -> str:
            return os.environ.get("MAPWRIGHT_PJRT_LIBRARY", _native.__file__)

    return Plugin()
