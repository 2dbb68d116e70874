"""Arrays of NumPy, JAX and PyTorch as the memory that compiled programs read, and back."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ._error import Error

# What ml_dtypes calls the element types that NumPy lacks.
_NAMES = {
    "bf16": "bfloat16",
    "f8E3M4": "float8_e3m4",
    "f8E4M3": "float8_e4m3",
    "f8E4M3FN": "float8_e4m3fn",
    "f8E4M3FNUZ": "float8_e4m3fnuz",
    "f8E4M3B11FNUZ": "float8_e4m3b11fnuz",
    "f8E5M2": "float8_e5m2",
    "f8E5M2FNUZ": "float8_e5m2fnuz",
    "f8E8M0FNU": "float8_e8m0fnu",
    "f4E2M1FN": "float4_e2m1fn",
    "f6E2M3FN": "float6_e2m3fn",
    "f6E3M2FN": "float6_e3m2fn",
    "i2": "int2",
    "i4": "int4",
    "ui2": "uint2",
    "ui4": "uint4",
}

# Signed ones below eight bits lie sign-extended in a byte.
_NARROW = {"i2": np.int8, "i4": np.int8, "ui2": np.uint8, "ui4": np.uint8}


def dtype_of(element: str, bits: str) -> np.dtype:
    """The type of the elements in NumPy: that of ml_dtypes where it is installed, else integers with their bits."""
    name = _NAMES.get(element)
    if name is None:
        return np.dtype(bits)
    try:
        import ml_dtypes
    except ImportError:
        return np.dtype(_NARROW.get(element, bits))
    return np.dtype(getattr(ml_dtypes, name, _NARROW.get(element, bits)))


def kind(array: Any) -> str | None:
    """Whose array it is: ``jax``, ``torch``, ``numpy``; None for numbers and lists."""
    module = type(array).__module__.partition(".")[0]
    if module in ("jaxlib", "jax"):
        return "jax"
    if module in ("torch", "numpy"):
        return module
    return "numpy" if hasattr(array, "__dlpack__") else None


def of_torch(tensor: Any) -> np.ndarray:
    tensor = tensor.detach().resolve_conj().resolve_neg()
    if tensor.device.type != "cpu":
        raise Error(f"a tensor of PyTorch lies on {tensor.device}, not on the CPU")
    try:
        return tensor.numpy()
    except TypeError:
        # NumPy has no such type: its bits.
        torch = sys.modules["torch"]
        bits = {1: torch.uint8, 2: torch.int16}[tensor.element_size()]
        raw = tensor.contiguous().view(bits).numpy()
        name = str(tensor.dtype).removeprefix("torch.")
        try:
            import ml_dtypes

            return raw.view(getattr(ml_dtypes, name))
        except (ImportError, AttributeError):
            return raw.view(f"u{tensor.element_size()}")


def _array(value: Any, wanted: np.dtype) -> np.ndarray:
    whose = kind(value)
    if whose == "torch":
        return of_torch(value)
    if whose == "jax" or isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value)
    if hasattr(value, "__dlpack__"):
        return np.from_dlpack(value)
    array = np.asarray(value)
    # Numbers and lists of numbers have no type of their own.
    if array.dtype != wanted and (array.size == 0 or np.can_cast(array.dtype, wanted, "same_kind") or array.dtype.kind in "biu"):
        exact = array.astype(wanted)
        if wanted.kind not in "biu" or (exact == array).all():
            return exact
    return array


def to_memory(value: Any, spec: dict, where: str) -> tuple[list[int], np.ndarray]:
    """The shape and the bytes of an argument, which are those of the array itself where it is dense."""
    element, bits = spec["element"], np.dtype(spec["dtype"])
    wanted = dtype_of(element, spec["dtype"])
    array = _array(value, wanted)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    narrow = _NARROW.get(element)
    if array.dtype == wanted and narrow is not None:
        array = array.astype(narrow)
    elif array.dtype not in [wanted, bits] + [np.dtype(type) for type in [narrow] if type]:
        raise Error(f"{where}: elements are {array.dtype}, but {element} is expected")
    shape = list(array.shape)
    return shape, np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def from_memory(memory: np.ndarray, element: str, bits: str, shape: list[int], whose: str) -> Any:
    """A result as an array of NumPy, JAX or PyTorch."""
    dtype = dtype_of(element, bits)
    narrow = _NARROW.get(element)
    if narrow is not None:
        array = memory.view(narrow).reshape(shape).astype(dtype, copy=False)
    else:
        array = memory.view(dtype).reshape(shape)
    if whose == "jax":
        import jax.numpy as jnp

        return jnp.asarray(array)
    if whose == "torch":
        import torch

        name = getattr(torch, dtype.name, None)
        if dtype.isbuiltin != 1 and name is not None:
            raw = {1: np.uint8, 2: np.int16}[dtype.itemsize]
            return torch.from_numpy(array.view(raw)).view(name)
        return torch.from_numpy(array)
    return array
