"""Small programs of JAX on the plugin; expectations are NumPy's, or follow from the program.

Usage: with_jax.py (MAPWRIGHT_PJRT_LIBRARY and PYTHONPATH say where the plugin is)
"""

import contextlib
import ctypes
import io
import os
import subprocess
import sys
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "mapwright")
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=4")

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback, serialize_executable
from jax.sharding import NamedSharding, PartitionSpec

TESTS = []


def test(function):
    TESTS.append(function)
    return function


@test
def ours():
    device = jax.devices()[0]
    assert device.platform == "cpu" and "Mapwright" in device.device_kind, device
    assert "mapwright" in device.client.platform_version
    assert len(jax.devices()) == 4 and jax.devices("cpu")[0].client is device.client


@test
def jit_grad_vmap():
    x = np.linspace(-2, 2, 24, dtype=np.float32).reshape(4, 6)
    np.testing.assert_allclose(jax.jit(lambda x: jnp.tanh(x) @ x.T)(x), np.tanh(x) @ x.T, rtol=1e-5, atol=1e-6)
    gradient = jax.grad(lambda x: jnp.sum(x ** 3))(x)
    np.testing.assert_allclose(gradient, 3 * x ** 2, rtol=1e-6)
    np.testing.assert_allclose(jax.vmap(lambda r: r / jnp.sum(r * r))(x), x / np.sum(x * x, 1, keepdims=True), rtol=1e-5)


@test
def control_flow():
    def step(carry, x):
        carry = 0.5 * carry + x
        return carry, carry

    xs = np.arange(7, dtype=np.float32)
    last, all_ = jax.lax.scan(step, jnp.float32(1), xs)
    expected, c = [], np.float32(1)
    for x in xs:
        c = np.float32(0.5) * c + x
        expected.append(c)
    np.testing.assert_array_equal(all_, expected)
    assert last == expected[-1]
    assert jax.jit(lambda n: jax.lax.while_loop(lambda s: s < n, lambda s: s * 2, 1))(100) == 128


@test
def arrays_of_the_host():
    x = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
    for view in (x, x[::-1], x[:, ::2], x.T, x[:, :, ::-1].transpose(1, 0, 2), x[:0], x[0, 0, 0]):
        np.testing.assert_array_equal(jax.device_put(view), view)
        np.testing.assert_array_equal(jnp.array(view) + 1, view + 1)
    wide = np.zeros(4096 // 4 + 16, np.float32)
    start = (-wide.ctypes.data % 64) // 4
    aligned = wide[start : start + 1024]
    there = jax.device_put(aligned)
    assert there.unsafe_buffer_pointer() == aligned.ctypes.data
    back = np.asarray(there)
    assert back.ctypes.data == aligned.ctypes.data and not back.flags.writeable
    for dtype in (jnp.int4, jnp.uint4, jnp.bfloat16, jnp.float8_e4m3fn, jnp.bool_, jnp.complex64):
        values = np.array([0, 1, 1, 0, 1]).astype(dtype)
        np.testing.assert_array_equal(np.asarray(jax.device_put(values)), values)


@test
def donation():
    double = jax.jit(lambda x: x * 2, donate_argnums=0)
    x = jnp.arange(1000.0)
    x.block_until_ready()
    pointer = x.unsafe_buffer_pointer()
    y = double(x)
    assert x.is_deleted() and y.unsafe_buffer_pointer() == pointer
    np.testing.assert_array_equal(y, np.arange(1000.0, dtype=np.float32) * 2)
    # Who looks at the memory keeps what is there.
    x = jnp.arange(1000.0)
    view = np.asarray(x)
    double(x)
    np.testing.assert_array_equal(view, np.arange(1000.0, dtype=np.float32))


@test
def dlpack():
    np.testing.assert_array_equal(np.from_dlpack(jnp.arange(5)), np.arange(5))
    # Memory of NumPy's at any address, also of transposed arrays.
    memory = np.zeros(1024, np.uint8)
    for shift in range(0, 64, 4):
        start = -memory.ctypes.data % 64 + shift
        x = memory[start : start + 24].view(np.float32).reshape(2, 3)
        x[:] = np.arange(6).reshape(2, 3) + shift
        there = jnp.from_dlpack(x)
        np.testing.assert_array_equal(there, x)
        np.testing.assert_array_equal(jnp.from_dlpack(x.T) + 1, x.T + 1)
        assert (there.unsafe_buffer_pointer() == x.ctypes.data) == (shift == 0)


@test
def several_devices():
    devices = jax.devices()
    x = jax.device_put(jnp.arange(4.0), devices[2])
    assert x.devices() == {devices[2]} and (x + 1).devices() == {devices[2]}
    np.testing.assert_array_equal(jax.device_put(x, devices[1]), np.arange(4.0, dtype=np.float32))


def mesh_of(**axes):
    names = tuple(axes)
    kinds = (jax.sharding.AxisType.Auto,) * len(names)
    return jax.make_mesh(tuple(axes.values()), names, axis_types=kinds)


def split(mesh, *spec):
    return NamedSharding(mesh, PartitionSpec(*spec))


def normal(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def softmax(scores):
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def step_of_mlp(x, y, w, v):
    """The loss of one hidden layer with tanh, and the weights after a step: derivatives by hand."""
    hidden = np.tanh(x @ w)
    apart = hidden @ v - y
    above = 2 * apart / apart.size
    inner = above @ v.T * (1 - hidden**2)
    return (apart**2).mean(), w - 0.1 * x.T @ inner, v - 0.1 * hidden.T @ above


def check_step(shardings):
    values = [normal(i, *shape) for i, shape in enumerate([(16, 12), (16, 4), (12, 8), (8, 4)])]

    def step(x, y, w, v):
        loss = lambda w, v: ((jnp.tanh(x @ w) @ v - y) ** 2).mean()
        value, (dw, dv) = jax.value_and_grad(loss, argnums=(0, 1))(w, v)
        return value, w - 0.1 * dw, v - 0.1 * dv

    whole = split(shardings[0].mesh)
    run = jax.jit(step, in_shardings=shardings, out_shardings=(whole, *shardings[2:]))
    given = run(*(jax.device_put(a, s) for a, s in zip(values, shardings)))
    for got, wanted in zip(given, step_of_mlp(*values)):
        np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=2e-6)
    for got, wanted in zip(given[1:], shardings[2:]):
        assert got.sharding == wanted, (got.sharding, wanted)


@test
def the_batch_is_divided():
    mesh = mesh_of(data=4)
    rows = split(mesh, "data")
    check_step((rows, rows, split(mesh), split(mesh)))


@test
def parameters_are_divided_too():
    mesh = mesh_of(data=4)
    rows = split(mesh, "data")
    check_step((rows, rows, rows, rows))


@test
def batch_and_features_are_divided():
    mesh = mesh_of(data=2, model=2)
    rows = split(mesh, "data")
    check_step((rows, rows, split(mesh, None, "model"), split(mesh, "model", None)))


@test
def heads_of_attention_are_divided():
    mesh = mesh_of(data=2, model=2)
    x, wq, wk, wv = normal(0, 4, 6, 8), *(normal(i, 8, 4, 5) for i in (1, 2, 3))
    wo = normal(4, 4, 5, 8)

    def attention(x, wq, wk, wv, wo):
        q, k, v = (jnp.einsum("bsd,dhk->bhsk", x, w) for w in (wq, wk, wv))
        weights = jax.nn.softmax(jnp.einsum("bhsk,bhtk->bhst", q, k), axis=-1)
        return jnp.einsum("bhsk,hkd->bsd", weights @ v, wo)

    heads = split(mesh, None, "model")
    taken = (split(mesh, "data"), heads, heads, heads, split(mesh, "model"))
    given = jax.jit(attention, in_shardings=taken, out_shardings=taken[0])(x, wq, wk, wv, wo)
    q, k, v = (np.einsum("bsd,dhk->bhsk", x, w) for w in (wq, wk, wv))
    weights = softmax(np.einsum("bhsk,bhtk->bhst", q, k))
    wanted = np.einsum("bhsk,hkd->bsd", weights @ v, wo)
    np.testing.assert_allclose(given, wanted, rtol=2e-4, atol=2e-4)
    assert given.sharding == taken[0]


@test
def a_ring_of_attention():
    mesh = mesh_of(ring=4)
    q, k, v = (normal(i, 16, 8) for i in (0, 1, 2))

    def ring(q, k, v):
        around = [(i, (i + 1) % 4) for i in range(4)]

        def step(carry, _):
            k, v, most, weight, total = carry
            scores = q @ k.T
            larger = jnp.maximum(most, scores.max(-1))
            own, kept = jnp.exp(scores - larger[:, None]), jnp.exp(most - larger)
            total = total * kept[:, None] + own @ v
            weight = weight * kept + own.sum(-1)
            k, v = (jax.lax.ppermute(a, "ring", around) for a in (k, v))
            return (k, v, larger, weight, total), None

        first = q[:, 0] * 0
        (*_, weight, total), _ = jax.lax.scan(
            step, (k, v, first - jnp.inf, first, q * 0), length=4
        )
        return total / weight[:, None]

    rows = PartitionSpec("ring")
    run = jax.jit(jax.shard_map(ring, mesh=mesh, in_specs=(rows,) * 3, out_specs=rows))
    np.testing.assert_allclose(run(q, k, v), softmax(q @ k.T) @ v, rtol=1e-4, atol=1e-5)


@test
def a_divided_program_calls_back_once():
    rows = split(mesh_of(x=4), "x")
    a = np.arange(8, dtype=np.float32)
    for ordered in (False, True):
        seen = []

        def host(whole):
            seen.append(np.array(whole))
            return whole * 2

        like = jax.ShapeDtypeStruct(a.shape, a.dtype)
        program = jax.jit(
            lambda a: io_callback(host, like, a, ordered=ordered) + 1,
            in_shardings=rows,
            out_shardings=rows,
        )
        np.testing.assert_array_equal(program(a), a * 2 + 1)
        assert len(seen) == 1, len(seen)
        np.testing.assert_array_equal(seen[0], a)


@test
def what_is_inside_of_a_program_is_divided():
    mesh = mesh_of(x=2, y=2)
    a = normal(0, 8, 12)

    @jax.jit
    def program(a):
        b = jax.lax.with_sharding_constraint(a * 2, split(mesh, "x", "y"))
        c = jax.lax.with_sharding_constraint(b.T, split(mesh, ("x", "y")))
        # Not divided evenly, which is computed as a whole.
        odd = jnp.concatenate([c, c[:3]])[1:14:2]
        swept, _ = jax.lax.scan(lambda s, row: (s * 0.5 + row, None), b[0], b)
        sums = jnp.cumsum(b, axis=0) + jnp.sort(b, axis=1)
        part = jax.shard_map(
            lambda p: jax.lax.psum(p, "x"), mesh=mesh, in_specs=PartitionSpec("x"), out_specs=PartitionSpec()
        )(b)
        return odd, swept, sums, part

    b = a * 2
    swept = b[0]
    for row in b:
        swept = swept * np.float32(0.5) + row
    wanted = (
        np.concatenate([b.T, b.T[:3]])[1:14:2],
        swept,
        np.cumsum(b, axis=0) + np.sort(b, axis=1),
        b[:4] + b[4:],
    )
    for got, want in zip(program(a), wanted):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


@test
def what_is_written_by_hand_along_some_axes_is_divided_along_others():
    """Each kind of collective along x or y, in computations that are programs on whole tensors along the other axis."""
    mesh = mesh_of(x=2, y=2)
    a, w, v = normal(0, 8, 12), normal(1, 12, 16), normal(2, 16, 4)
    lax, spec = jax.lax, PartitionSpec

    def run(axis, function, ins, outs, *operands):
        """Operands with the layouts they are to have."""
        mapped = jax.shard_map(
            function, mesh=mesh, in_specs=ins, out_specs=outs, axis_names={axis}, check_vma=False
        )
        placed = [jax.device_put(array, split(mesh, *layout)) for array, layout in operands]
        return jax.jit(mapped)(*placed)

    def loop(x):
        return lax.fori_loop(0, 3, lambda _, c: jnp.tanh(lax.psum(c, "x") * 0.1), x)

    def gradient(a, w):
        return lax.psum(jax.grad(lambda w: (jnp.tanh(a @ w) ** 2).sum())(w), "x")

    halves = np.split(a, 2)
    looped = halves
    for _ in range(3):
        looped = [np.tanh((looped[0] + looped[1]) * np.float32(0.1))] * 2
    hidden = np.tanh(a @ w)
    cases = [
        # A product whose terms are along x and whose columns are along y, and the other way round.
        (run("x", lambda a, w: lax.psum(a @ w, "x"), (spec(None, "x"), spec("x")), spec(), (a, ("y", "x")), (w, ("x", "y"))), a @ w),
        (run("x", lambda a, w: lax.pmean((a @ w).sum(0), "x"), (spec("x"), spec()), spec(), (a, ("x", "y")), (w, ("y",))), (a @ w).sum(0) / 2),
        (run("x", lambda a: lax.all_gather(jnp.sin(a), "x", axis=0, tiled=True), spec("x"), spec(), (a, ("x", "y"))), np.sin(a)),
        (run("x", lambda a: lax.psum_scatter(a, "x", scatter_dimension=1, tiled=True), spec(), spec(None, "x"), (a, (None, "y"))), 2 * a),
        (run("y", lambda a: lax.ppermute(a, "y", [(0, 1), (1, 0)]), spec("y"), spec("y"), (a, ("y", "x"))), np.concatenate(halves[::-1])),
        (run("y", lambda a: lax.all_to_all(a, "y", 1, 0, tiled=True), spec("y"), spec(None, "y"), (a, ("y", "x"))), a),
        (run("x", lambda a: a + lax.axis_index("x"), spec("x"), spec("x"), (a, ("x", "y"))), np.concatenate([halves[0], halves[1] + 1])),
        (run("x", lambda a: jnp.sort(a, axis=1), spec("x"), spec("x"), (a, ("x", "y"))), np.sort(a, axis=1)),
        (run("x", loop, spec("x"), spec(), (a, ("x", "y"))), looped[0]),
        (run("x", gradient, (spec("x"), spec()), spec(), (a, ("x",)), (w, (None, "y"))), a.T @ (2 * hidden * (1 - hidden**2))),
        (run("x", lambda w, v: lax.psum(w @ v, "x"), (spec(None, "x"), spec("x")), spec(), (w, ("y", "x")), (v, ("x",))), w @ v),
    ]
    for number, (got, want) in enumerate(cases):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5, err_msg=str(number))


@test
def memory_kinds():
    kinds = {memory.kind for memory in jax.devices()[0].addressable_memories()}
    assert kinds == {"device", "pinned_host", "unpinned_host"}


@test
def linear_algebra():
    a = np.array([[4, 1], [1, 3]], np.float32)
    np.testing.assert_allclose(jnp.linalg.cholesky(a), np.linalg.cholesky(a), rtol=1e-5)
    np.testing.assert_allclose(jnp.linalg.eigh(a)[0], np.linalg.eigh(a)[0], rtol=1e-5)
    # Batches are shared by all threads, of which XLA tells some to flush subnormal numbers to zero.
    rng = np.random.default_rng(1)
    batch = (rng.normal(size=(200, 5, 5)) + 1j * rng.normal(size=(200, 5, 5))).astype(np.complex64)
    hermitian = batch + batch.conj().swapaxes(1, 2)
    np.testing.assert_allclose(jnp.linalg.eigvalsh(hermitian), np.linalg.eigvalsh(hermitian), atol=1e-4)
    form, vectors = jax.vmap(jax.lax.linalg.schur)(batch)
    again = np.asarray(vectors) @ form @ np.conj(vectors).swapaxes(1, 2)
    np.testing.assert_allclose(again, batch, atol=1e-4)
    # Q times a matrix, without Q, in versions of JAX that have it.
    if not hasattr(jax.scipy.linalg, "qr_multiply"):
        return
    r, c = np.linalg.qr(batch[0])[1], batch[1]
    product, triangle = jax.scipy.linalg.qr_multiply(batch[0], c, mode="left")
    np.testing.assert_allclose(np.conj(product).T @ product, np.conj(c).T @ c, atol=1e-4)
    np.testing.assert_allclose(np.abs(triangle), np.abs(r), atol=1e-4)
    # A singular system.
    zeros, ones = jnp.zeros(3), jnp.ones((3, 1))
    solution = jax.lax.linalg.tridiagonal_solve(zeros, zeros, zeros, ones, perturb_singular=True)
    assert np.all(np.isfinite(solution))


@test
def subnormal_numbers_are_kept_by_every_thread():
    tiny = np.full(1 << 20, 1e-40, np.float32)
    np.testing.assert_array_equal(jax.jit(lambda x: x + x)(tiny), tiny + tiny)


@test
def callbacks():
    double = lambda a: np.asarray(a) * 2
    shape = jax.ShapeDtypeStruct((3,), np.float32)
    np.testing.assert_array_equal(jax.jit(lambda x: jax.pure_callback(double, shape, x) + 1)(jnp.ones(3)), [3, 3, 3])
    # Without results, and without arguments.
    seen = []
    jax.block_until_ready(jax.jit(lambda x: (jax.debug.callback(seen.append, x), x)[1])(jnp.arange(3.0)))
    jax.effects_barrier()
    np.testing.assert_array_equal(seen, [[0, 1, 2]])
    assert jax.jit(lambda: jax.pure_callback(lambda: np.float32(3), jax.ShapeDtypeStruct((), np.float32)))() == 3
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        jax.jit(lambda x: jax.debug.print("x is {}", x))(jnp.int32(4))
        jax.effects_barrier()
    assert said.getvalue() == "x is 4\n", said.getvalue()

    # Each process of several calls back.
    parts = np.arange(8, dtype=np.float32).reshape(4, 2)
    sines = jax.pmap(lambda x: jax.pure_callback(np.sin, jax.ShapeDtypeStruct(x.shape, x.dtype), x))(parts)
    np.testing.assert_array_equal(sines, np.sin(parts))

    # In order, in one program and from one to the next: what is said is said of each before that of the next.
    seen = []

    def note(value):
        seen.append(int(value))
        return np.int32(len(seen))

    def ordered(x):
        first = io_callback(note, jax.ShapeDtypeStruct((), np.int32), x, ordered=True)
        again = lambda i, count: io_callback(note, jax.ShapeDtypeStruct((), np.int32), i, ordered=True)
        last = jax.lax.fori_loop(10, 13, again, first)
        return jax.lax.cond(x > 0, lambda: io_callback(note, jax.ShapeDtypeStruct((), np.int32), -x, ordered=True), lambda: last)

    assert [int(jax.jit(ordered)(jnp.int32(x))) for x in (0, 7)] == [4, 9]
    assert seen == [0, 10, 11, 12, 7, 10, 11, 12, -7], seen

    def fails(a):
        raise ValueError("no such luck")

    try:
        jax.block_until_ready(jax.jit(lambda x: jax.pure_callback(fails, shape, x))(jnp.ones(3)))
    except Exception as error:
        assert "no such luck" in str(error), error
    else:
        raise AssertionError("the failure of a callback is not heard of")


HANDLER = r"""
#include <cstdint>
#include "xla/ffi/api/ffi.h"
namespace ffi = xla::ffi;
static ffi::Error Scale(float by, ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y) {
  if (by == 0) return ffi::Error::InvalidArgument("by nothing");
  for (size_t i = 0; i < x.element_count(); ++i) y->typed_data()[i] = by * x.typed_data()[i];
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(scale, Scale, ffi::Ffi::Bind().Attr<float>("by").Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());
"""


@test
def handlers_of_the_user():
    with tempfile.TemporaryDirectory() as folder:
        source, library = os.path.join(folder, "scale.cc"), os.path.join(folder, "scale.so")
        with open(source, "w") as file:
            file.write(HANDLER)
        subprocess.run(["c++", "-w", "-std=c++17", "-shared", "-fPIC", f"-I{jax.ffi.include_dir()}", source, "-o", library], check=True)
        jax.ffi.register_ffi_target("scale", jax.ffi.pycapsule(ctypes.CDLL(library).scale), platform="cpu")
    scale = lambda x, by: jax.ffi.ffi_call("scale", jax.ShapeDtypeStruct(x.shape, x.dtype), vmap_method="broadcast_all")(x, by=np.float32(by))
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(jax.jit(lambda x: scale(x, 3) + 1)(x), x * 3 + 1)
    np.testing.assert_array_equal(jax.vmap(lambda x: scale(x, 0.5))(x), x / 2)
    # The handler multiplies what lies in memory, one element after the other: what is handed over by columns comes back by rows.
    by_columns = lambda x: jax.ffi.ffi_call("scale", jax.ShapeDtypeStruct(x.shape, x.dtype), input_layouts=[(1, 0)])(x, by=np.float32(3))
    np.testing.assert_array_equal(jax.jit(by_columns)(x), 3 * x.T.reshape(2, 3))
    try:
        jax.jit(lambda x: jax.ffi.ffi_call("nobody_knows_it", jax.ShapeDtypeStruct(x.shape, x.dtype))(x)).lower(x).compile()
    except Exception as error:
        assert "UNIMPLEMENTED" in str(error) and "nobody_knows_it" in str(error), error
    else:
        raise AssertionError("a function that nobody registered is compiled")
    try:
        jax.block_until_ready(jax.jit(lambda x: scale(x, 0))(x))
    except Exception as error:
        assert "INVALID_ARGUMENT" in str(error) and "by nothing" in str(error), error
    else:
        raise AssertionError("the failure of a handler is not heard of")


@test
def handlers_of_jaxlib_are_called():
    from jax.experimental import sparse

    # Products of sparse rows: a handler that goes on after it returned.
    dense = np.arange(12, dtype=np.float32).reshape(3, 4) * (np.arange(12).reshape(3, 4) % 3 == 0)
    rows = sparse.BCSR.fromdense(dense)
    other = np.arange(20, dtype=np.float32).reshape(4, 5)
    np.testing.assert_array_equal(jax.jit(lambda x, y: x @ y)(rows, other), dense @ other)


@test
def compiled_programs_are_kept():
    compiled = jax.jit(lambda x, y: {"sum": x + y, "product": x * y}, donate_argnums=0).lower(jnp.ones(3), jnp.ones(3)).compile()
    kept = serialize_executable.serialize(compiled)
    loaded = serialize_executable.deserialize_and_load(*kept, execution_devices=jax.devices()[:1])
    found = loaded(jnp.arange(3.0), jnp.full(3, 2.0))
    np.testing.assert_array_equal(found["sum"], [2, 3, 4])
    np.testing.assert_array_equal(found["product"], [0, 2, 4])


@test
def programs_that_do_not_ask_run_where_they_did():
    call = """
import jax, jax.numpy as jnp
ours = jax.devices("mapwright")[0]
assert "Mapwright" in ours.device_kind, ours.device_kind
for device in (jax.devices()[0], jax.devices("cpu")[0], *jnp.ones(3).devices()):
    assert "Mapwright" not in device.device_kind, device.device_kind
there = jax.device_put(jnp.arange(3.0), ours)
assert (there + 1).devices() == {ours} and (there + 1).tolist() == [1, 2, 3]
"""
    environment = {name: value for name, value in os.environ.items() if name != "JAX_PLATFORMS"}
    done = subprocess.run([sys.executable, "-c", call], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@test
def wrong_input():
    try:
        jax.jit(lambda x: x + 1, compiler_options={"no_such_option": True})(1.0)
    except Exception as error:
        assert "No such compile option: 'no_such_option'" in str(error), error
    else:
        raise AssertionError("an unknown option is accepted")


def main():
    failed = []
    for function in TESTS:
        try:
            function()
        except Exception as error:  # All of them are named.
            import traceback

            traceback.print_exc()
            failed.append(f"{function.__name__}: {type(error).__name__}: {str(error)[:200]}")
    print(f"with_jax, jax {jax.__version__}: {len(TESTS) - len(failed)} of {len(TESTS)} passed")
    for line in failed:
        print("  failed:", line)
    raise SystemExit(bool(failed))


if __name__ == "__main__":
    main()
