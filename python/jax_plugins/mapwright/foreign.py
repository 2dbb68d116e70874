"""Functions that programs call: those of Python (``jax.pure_callback``, ``jax.debug.print``) and those of ``jax.ffi``.

Handlers go to the plugin through the extension of the PJRT C API for foreign functions, which is found by ctypes: no compiled module
of Python is needed.
"""

import ctypes
import traceback

import numpy as np

# The number of that extension, and the place of PJRT_FFI_Register_Handler in it.
_FFI_EXTENSION = 5
_REGISTER = 2

# XLA's codes of element types.
_TOKEN = 17
_NUMPY = {
    1: "bool", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "uint8", 7: "uint16", 8: "uint32", 9: "uint64",
    10: "float16", 11: "float32", 12: "float64", 15: "complex64", 18: "complex128",
}
_ML_DTYPES = {
    16: "bfloat16", 19: "float8_e5m2", 20: "float8_e4m3fn", 21: "int4", 22: "uint4", 23: "float8_e4m3b11fnuz", 24: "float8_e5m2fnuz",
    25: "float8_e4m3fnuz", 26: "int2", 27: "uint2", 28: "float8_e4m3", 29: "float8_e3m4", 32: "float4_e2m1fn", 33: "float8_e8m0fnu",
    34: "float6_e2m3fn", 35: "float6_e3m2fn",
}

# What lives as long as the process.
_kept = []


class _Buffer(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t), ("extension", ctypes.c_void_p), ("element", ctypes.c_int32), ("data", ctypes.c_void_p),
        ("rank", ctypes.c_int64), ("dims", ctypes.POINTER(ctypes.c_int64)),
    ]


class _List(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t), ("extension", ctypes.c_void_p), ("size", ctypes.c_int64), ("kinds", ctypes.c_void_p),
        ("items", ctypes.POINTER(ctypes.POINTER(_Buffer))),
    ]


class _Span(ctypes.Structure):
    _fields_ = [("start", ctypes.c_void_p), ("length", ctypes.c_size_t)]


class _Scalar(ctypes.Structure):
    _fields_ = [("element", ctypes.c_int32), ("value", ctypes.POINTER(ctypes.c_int64))]


class _Attributes(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t), ("extension", ctypes.c_void_p), ("size", ctypes.c_int64), ("kinds", ctypes.c_void_p),
        ("names", ctypes.POINTER(ctypes.POINTER(_Span))), ("items", ctypes.POINTER(ctypes.c_void_p)),
    ]


class _Callbacks(ctypes.Structure):
    _fields_ = [("callbacks", ctypes.POINTER(ctypes.c_void_p)), ("count", ctypes.c_uint32)]


class _Execution(ctypes.Structure):
    _fields_ = [("callbacks", ctypes.POINTER(_Callbacks))]


class _Frame(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t), ("extension", ctypes.c_void_p), ("api", ctypes.POINTER(ctypes.c_void_p)),
        ("execution", ctypes.POINTER(_Execution)), ("stage", ctypes.c_int32), ("arguments", _List), ("results", _List),
        ("attributes", _Attributes), ("future", ctypes.c_void_p),
    ]


class _ErrorCreate(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t), ("extension", ctypes.c_void_p), ("message", ctypes.c_char_p), ("code", ctypes.c_int32),
    ]


class _RegisterHandler(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t), ("target", ctypes.c_char_p), ("target_size", ctypes.c_size_t), ("handler", ctypes.c_void_p),
        ("platform", ctypes.c_char_p), ("platform_size", ctypes.c_size_t), ("traits", ctypes.c_uint32),
    ]


# The place of Error_Create in the table of XLA's foreign function interface, in pointers.
_ERROR_CREATE = 6
_INTERNAL = 13


def _dtype(code):
    if code in _NUMPY:
        return np.dtype(_NUMPY[code])
    import ml_dtypes

    return np.dtype(getattr(ml_dtypes, _ML_DTYPES[code]))


def _array(buffer):
    """A view of the memory of a buffer; None for a token."""
    if buffer.element == _TOKEN:
        return None
    shape = tuple(buffer.dims[axis] for axis in range(buffer.rank))
    dtype = _dtype(buffer.element)
    count = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if count == 0:
        return np.zeros(shape, dtype)
    memory = (ctypes.c_char * count).from_address(buffer.data)
    return np.frombuffer(memory, np.uint8).view(dtype).reshape(shape)


def _failed(frame, message):
    create = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(frame.api[_ERROR_CREATE])
    text = message.encode(errors="replace").replace(b"\0", b" ")
    arguments = _ErrorCreate(ctypes.sizeof(_ErrorCreate), None, text, _INTERNAL)
    return create(ctypes.addressof(arguments))


def _index(attributes):
    """Which of the callbacks of the execution is meant."""
    for i in range(attributes.size):
        name = attributes.names[i].contents
        if ctypes.string_at(name.start, name.length) == b"index":
            return ctypes.cast(attributes.items[i], ctypes.POINTER(_Scalar)).contents.value[0]
    raise ValueError("the call of a Python function does not say which")


def _call(frame):
    """Calls the function that a frame means, with copies of its arguments."""
    callbacks = frame.execution.contents.callbacks
    index = _index(frame.attributes)
    if not callbacks or index >= callbacks.contents.count:
        raise ValueError(f"the execution has no callback {index}")
    function = ctypes.cast(callbacks.contents.callbacks[index], ctypes.py_object).value
    arguments = []
    for i in range(frame.arguments.size):
        array = _array(frame.arguments.items[i].contents)
        if array is not None:
            array = array.copy()
            array.flags.writeable = False
        arguments.append(array)
    outputs = function(*arguments)
    for i in range(frame.results.size):
        array = _array(frame.results.items[i].contents)
        if array is not None:
            np.copyto(array, np.asarray(outputs[i]).reshape(array.shape), casting="no")


@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
def _trampoline(address):
    frame = ctypes.cast(address, ctypes.POINTER(_Frame)).contents
    try:
        _call(frame)
        return None
    except BaseException as error:  # It must not go on into code that is not Python's.
        said = "".join(traceback.format_exception(error))
        return _failed(frame, f"CpuCallback error calling callback: {said}")


def _pointer(capsule):
    """What a capsule holds."""
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return pointer(capsule, name(capsule))


def _register(c_api, name, handler):
    """Makes programs find the handler at an address by this name; a name that is taken stays."""
    at = _pointer(c_api)
    extension = ctypes.c_void_p.from_address(at + 8).value
    while extension and ctypes.c_int32.from_address(extension + 8).value != _FFI_EXTENSION:
        extension = ctypes.c_void_p.from_address(extension + 16).value
    if not extension:
        raise RuntimeError("the plugin has no extension for foreign functions")
    place = extension + 24 + 8 * _REGISTER
    function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(ctypes.c_void_p.from_address(place).value)
    arguments = _RegisterHandler(ctypes.sizeof(_RegisterHandler), name, len(name), handler, b"cpu", 3, 0)
    if function(ctypes.addressof(arguments)):
        raise RuntimeError(f"the handler {name!r} cannot be registered")


def install(c_api):
    """Registers the functions of Python, and from now on every handler of the user's, with the plugin."""
    from jaxlib import xla_client

    for name in (b"xla_ffi_python_cpu_callback", b"xla_ffi_partitioned_python_cpu_callback"):
        _register(c_api, name, ctypes.cast(_trampoline, ctypes.c_void_p).value)
    # JAX's own functions of LAPACK are computed by Mapwright itself.
    own = "lapack_", "tridiagonal_", "xla_"

    def handler(name, function, platform, api_version=0, traits=0):
        text = name.decode() if isinstance(name, bytes) else name
        # XLA's own client shares this list of handlers.
        xla_client._xla.register_custom_call_target(name, function, platform, api_version, traits)
        if api_version != 1 or text.startswith(own):
            return
        execute = function.get("execute") if isinstance(function, dict) else function
        if execute is not None:
            _kept.append(execute)
            _register(c_api, text.encode(), _pointer(execute))

    xla_client.register_custom_call_handler("cpu", handler)
    register_type = getattr(xla_client, "register_custom_type_handler", None)
    if register_type is not None:
        register_type("cpu", xla_client._xla.register_custom_type)
