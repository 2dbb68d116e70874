"""Functions over all families of JAX whose sizes are symbols: what `export.py` exports, runs and compares.

A case is a function, the shapes of its arguments over dimension variables, and the values of these variables. An argument is written
as `TYPE SHAPE KIND`: `f32 n,4` has normal numbers, `f32 n,4 pos` positive ones, `i32 n <4` integers from 0 to 3, `u32 2 key` the data
of a key, `f32 n,4,4 spd` symmetric positive definite matrices, `f32 n sorted` sorted numbers.
"""

import dataclasses
import re
from typing import Any, Callable

import jax
import jax.numpy as jnp
import jax.scipy as jsp
from jax import lax, nn, random
from jax._src import core


@dataclasses.dataclass
class Case:
    """A function to be exported."""

    name: str
    family: str
    function: Callable[..., Any]
    arguments: list[str]
    sizes: list[dict[str, int]]
    constraints: list[str]
    tolerance: float


CASES: list[Case] = []
FAMILY = ""


def family(name):
    """The family of the cases that follow."""
    global FAMILY
    FAMILY = name


def case(name, function, *arguments, sizes=None, constraints=(), tolerance=2e-5):
    """Adds a case. `sizes`: numbers for `n`, or tuples for the variables in alphabetical order, or dictionaries."""
    sizes = [1, 4, 13] if sizes is None else sizes
    words = {word for argument in arguments for word in re.findall("[a-z]+", argument.split(" ")[1])}
    letters = sorted(words - {"max", "min", "floordiv", "mod"})
    full = []
    for size in sizes:
        if isinstance(size, dict):
            full.append(size)
        elif isinstance(size, tuple):
            full.append(dict(zip(letters, size)))
        else:
            full.append({letter: size + i for i, letter in enumerate(letters)})
    CASES.append(Case(name, FAMILY, function, list(arguments), full, list(constraints), tolerance))


def rbg(seed=3):
    """A key of the generator `rbg`."""
    return random.key(seed, impl="rbg")


# --------------------------------------------------------------------------------------------------------------------------------
family("elementwise")
case("add", lambda x, y: x + y, "f32 n,3", "f32 n,3")
case("chain", lambda x, y: jnp.tanh(x) * jnp.exp(-y) + jnp.sin(x), "f32 n,m", "f32 n,m")
case("broadcast_rows", lambda x, y: x * y[None, :] + 1, "f32 n,m", "f32 m")
case("broadcast_columns", lambda x, y: x * y[:, None] - 1, "f32 n,m", "f32 n")
case("outer", lambda x, y: x[:, None] - y[None, :], "f32 n", "f32 m")
case("scalar_broadcast", lambda x: jnp.full(x.shape, 3.5) + x, "f32 n,m")
case("select", lambda x, y: jnp.where(x > y, x, -y), "f32 n", "f32 n")
case("clip", lambda x: jnp.clip(x, -0.5, 0.5), "f32 n,3")
case("integers", lambda x, y: (x // (y + 1)) % 3 + (x ^ y), "i32 n <50", "i32 n <9")
case("bits", lambda x: lax.population_count(x) + lax.clz(x >> 1), "u32 n <9999")
case("complex", lambda x, y: jnp.abs(lax.complex(x, y) * (1 + 2j)), "f32 n", "f32 n")
case("bf16", lambda x: (x * 2 + 1).astype(jnp.float32), "bf16 n,4", tolerance=2e-2)
case("convert", lambda x: x.astype(jnp.int32).astype(jnp.float32), "f32 n,2")
case("erf", lambda x: jsp.special.erf(x) + jsp.special.erfc(x) * x, "f32 n")
case("gelu", lambda x: nn.gelu(x) + nn.silu(x), "f32 n,m")
case("special", lambda x: jsp.special.gammaln(x) + jsp.special.digamma(x), "f32 n pos", tolerance=1e-4)
case("logistic", lambda x: nn.sigmoid(x) + nn.softplus(x), "f32 n")
case("power", lambda x, y: x**y + jnp.sqrt(x) + lax.rsqrt(x), "f32 n pos", "f32 n")
case("isnan", lambda x: jnp.isnan(x) | jnp.isinf(x), "f32 n,2")
case("nextafter", lambda x, y: jnp.nextafter(x, y), "f32 n", "f32 n")
case("size_as_value", lambda x: x / x.shape[0] + jnp.float32(x.shape[0] * 2 - 1), "f32 n,3")
case("division_by_size", lambda x: jnp.arange(x.shape[0]) // x.shape[0] + x.astype(jnp.int32), "f32 n")

# --------------------------------------------------------------------------------------------------------------------------------
family("reduction")
case("sum_all", lambda x: jnp.sum(x), "f32 n,m")
case("sum_rows", lambda x: jnp.sum(x, axis=1), "f32 n,m")
case("sum_columns", lambda x: jnp.sum(x, axis=0), "f32 n,m")
case("mean_var", lambda x: (jnp.mean(x, axis=0), jnp.var(x, axis=1)), "f32 n,m")
case("max_min", lambda x: jnp.max(x, axis=1) - jnp.min(x, axis=1), "f32 n,m")
case("argmax", lambda x: jnp.argmax(x, axis=1), "f32 n,m")
case("argmin_all", lambda x: jnp.argmin(x), "f32 n,m")
case("any_all", lambda x: (jnp.any(x > 0, axis=0), jnp.all(x > -2, axis=1)), "f32 n,m")
case("prod", lambda x: jnp.prod(x, axis=0), "f32 n,3")
case("logsumexp", lambda x: jsp.special.logsumexp(x, axis=1), "f32 n,m")
case("softmax", lambda x: nn.softmax(x, axis=-1), "f32 n,m")
case("log_softmax", lambda x: nn.log_softmax(x, axis=0), "f32 n,m")
case("norm", lambda x: jnp.linalg.norm(x, axis=1), "f32 n,m")
case("median", lambda x: jnp.median(x, axis=0), "f32 n,3")
case("count_nonzero", lambda x: jnp.count_nonzero(x > 0, axis=1), "f32 n,m")
case("ptp_std", lambda x: jnp.ptp(x, axis=0) + jnp.std(x, axis=0), "f32 n,m")
case("variadic", lambda x, y: lax.reduce((x, y), (0.0, 0), lambda a, b: (a[0] + b[0], a[1] + b[1]), (0,)), "f32 n,3", "i32 n,3 <9")
case("layer_norm", lambda x, g, b: (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * g + b,
     "f32 n,m,8", "f32 8", "f32 8")
case("bitwise_reduce", lambda x: lax.reduce(x, jnp.uint32(0), lax.bitwise_xor, (0,)), "u32 n,2 <999")

# --------------------------------------------------------------------------------------------------------------------------------
family("shape")
case("reshape_flat", lambda x: x.reshape(-1) * 2, "f32 n,3")
case("reshape_two", lambda x: x.reshape(x.shape[0] * x.shape[1], x.shape[2]), "f32 n,m,4")
case("reshape_split", lambda x: x.reshape(-1, 2) + 1, "f32 2*n", sizes=[1, 3, 8])
case("reshape_both", lambda x: x.reshape(x.shape[1], x.shape[0]), "f32 n,m")
case("transpose", lambda x: x.T + 1, "f32 n,m")
case("transpose3", lambda x: jnp.transpose(x, (2, 0, 1)), "f32 n,m,3")
case("reverse", lambda x: jnp.flip(x, axis=0), "f32 n,m")
case("concatenate", lambda x, y: jnp.concatenate([x, y], axis=0), "f32 n,3", "f32 m,3")
case("concatenate_self", lambda x: jnp.concatenate([x, x * 2, jnp.ones((1, 3))], axis=0), "f32 n,3")
case("stack", lambda x, y: jnp.stack([x, y], axis=1), "f32 n", "f32 n")
case("tile", lambda x: jnp.tile(x, (2, 3)), "f32 n,2")
case("repeat", lambda x: jnp.repeat(x, 3, axis=0), "f32 n,2")
case("pad", lambda x: jnp.pad(x, ((1, 2), (0, 3)), constant_values=7.0), "f32 n,m")
case("pad_interior", lambda x: lax.pad(x, 0.5, ((1, -1, 2), (0, 0, 1))), "f32 n,m", sizes=[2, 4, 9])
case("pad_symbolic", lambda x, y: jnp.pad(x, ((0, y.shape[0]),)), "f32 n", "f32 m")
case("pad_edge", lambda x: jnp.pad(x, ((2, 2),), mode="edge"), "f32 n")
case("roll", lambda x: jnp.roll(x, 2, axis=0), "f32 n,3")
case("broadcast_to", lambda x, y: jnp.broadcast_to(x[None, :], (y.shape[0], x.shape[0])), "f32 n", "f32 m")
case("iota", lambda x: jnp.arange(x.shape[0]) * 2 + 1, "f32 n")
case("iota2", lambda x: lax.broadcasted_iota(jnp.int32, x.shape, 1), "f32 n,m")
case("eye", lambda x: jnp.eye(x.shape[0]) + x, "f32 n,n")
case("tri", lambda x: jnp.tril(x) + jnp.triu(x, 1), "f32 n,n")
case("diagonal", lambda x: jnp.diag(x) , "f32 n")
case("trace", lambda x: jnp.trace(x), "f32 n,n")
case("expand_squeeze", lambda x: jnp.squeeze(jnp.expand_dims(x, 1) * 2, 1), "f32 n,m")
case("meshgrid", lambda x, y: jnp.meshgrid(x, y), "f32 n", "f32 m")
case("linspace", lambda x: jnp.linspace(0.0, 1.0, x.shape[0]) + x, "f32 n", sizes=[2, 5, 16], constraints=["n >= 2"])
case("bitcast", lambda x: lax.bitcast_convert_type(x, jnp.int32) + 1, "f32 n,2")
case("zeros_like", lambda x: jnp.zeros((x.shape[0], 2 * x.shape[1])), "f32 n,m")
case("ones_sum", lambda x: jnp.ones((x.shape[0] + 1, 3)).sum(0) + x[0], "f32 n,3")
case("flatten_batch", lambda x, w: (x.reshape(-1, x.shape[-1]) @ w).reshape(x.shape[0], x.shape[1], w.shape[1]), "f32 n,m,4", "f32 4,5")
case("split_heads", lambda x: x.reshape(x.shape[0], x.shape[1], 2, 3).transpose(0, 2, 1, 3), "f32 n,m,6")
case("array_split", lambda x: jnp.split(x, 2, axis=0), "f32 2*n,3", sizes=[1, 3, 6])

# --------------------------------------------------------------------------------------------------------------------------------
family("slicing")
case("slice_tail", lambda x: x[1:] * 2, "f32 n,3")
case("slice_head", lambda x: x[:-1] + 1, "f32 n,3")
case("differences", lambda x: x[1:] - x[:-1], "f32 n,2", sizes=[1, 2, 9])
case("diff", lambda x: jnp.diff(x, axis=0), "f32 n,2", sizes=[2, 5, 12], constraints=["n >= 2"])
case("slice_stride", lambda x: x[::2], "f32 n,2")
case("slice_stride_back", lambda x: x[::-3], "f32 n,2")
case("slice_half", lambda x: x[: x.shape[0] // 2], "f32 n", sizes=[1, 4, 9])
case("slice_symbolic", lambda x, y: x[: y.shape[0]], "f32 n+m,2", "f32 m", sizes=[(1, 1), (4, 2), (7, 5)])
case("index_last", lambda x: x[-1], "f32 n,3")
case("index_middle", lambda x: lax.dynamic_index_in_dim(x, core.dimension_as_value(x.shape[0] // 2)), "f32 n,3")
case("dynamic_slice", lambda x, i: lax.dynamic_slice(x, (i, 0), (2, 3)), "f32 n,3", "i32  <2", sizes=[2, 5, 9], constraints=["n >= 2"])
case("dynamic_slice_size", lambda x, i: lax.dynamic_slice(x, (i,), (x.shape[0] - 1,)), "f32 n", "i32  <2", sizes=[1, 5, 9])
case("dynamic_update_slice", lambda x, y, i: lax.dynamic_update_slice(x, y, (i, 0)), "f32 n,3", "f32 2,3", "i32  <3", sizes=[2, 5, 9],
     constraints=["n >= 2"])
case("dynamic_update_symbolic", lambda x, y, i: lax.dynamic_update_slice(x, y, (i,)), "f32 n+m", "f32 m", "i32  <3", sizes=[(1, 1), (4, 3), (7, 2)])
case("cache_update", lambda c, k, i: lax.dynamic_update_slice_in_dim(c, k, i, axis=1), "f32 b,s,4", "f32 b,1,4", "i32  <2", sizes=[(1, 2), (2, 5), (3, 9)])
case("take", lambda x, i: jnp.take(x, i, axis=0), "f32 n,3", "i32 m <4", sizes=[(4, 4), (2, 7), (13, 9)])
case("take_clip", lambda x, i: jnp.take(x, i, axis=0, mode="clip"), "f32 n,3", "i32 m <20")
case("take_fill", lambda x, i: jnp.take(x, i, axis=1, mode="fill", fill_value=-1.0), "f32 n,m", "i32 3 <20")
case("take_along", lambda x: jnp.take_along_axis(x, jnp.argsort(x, axis=1), axis=1), "f32 n,m")
case("gather_rows", lambda x, i: x[i], "f32 n,m", "i32 5 <4", sizes=[4, 6, 13])
case("gather_pairs", lambda x, i, j: x[i, j], "f32 n,m", "i32 k <3", "i32 k <3", sizes=[(5, 3, 4), (2, 9, 5), (1, 3, 3)])
case("embedding", lambda t, i: t[i] * 2, "f32 16,4", "i32 b,s <16")
case("scatter_add", lambda x, i, u: x.at[i].add(u), "f32 n,3", "i32 m <4", "f32 m,3", sizes=[(3, 4), (6, 5), (1, 13)])
case("scatter_set", lambda x, i, u: x.at[i].set(u), "f32 n", "i32 3 perm", "f32 3", sizes=[3, 5, 13])
case("scatter_max", lambda x, i, u: x.at[i].max(u), "f32 n", "i32 m <9", "f32 m")
case("scatter_const_index", lambda x: x.at[0].set(5.0).at[-1].add(2.0), "f32 n,2")
case("scatter_mul", lambda x, i: x.at[i, :2].multiply(3.0), "f32 n,4", "i32 m <4", sizes=[(2, 4), (6, 5), (3, 9)])
case("segment_sum", lambda x, i: jax.ops.segment_sum(x, i, num_segments=5), "f32 n,2", "i32 n <5")
case("one_hot", lambda i: nn.one_hot(i, 7), "i32 n <7")
case("one_hot_symbolic", lambda i, x: nn.one_hot(i, x.shape[0]), "i32 n <4", "f32 m", sizes=[(4, 3), (7, 4), (5, 13)])
case("bincount", lambda i: jnp.bincount(i, length=6), "i32 n <6")
case("rank_of", lambda a, v: jnp.sum(a[None, :] <= v[:, None], axis=1), "f32 n", "f32 m")
case("nearest", lambda a, v: jnp.argmin(jnp.abs(a[None, :] - v[:, None]), axis=1), "f32 n", "f32 m")
case("where_index", lambda x, y: jnp.where(y[:, None] > 0, x[jnp.arange(y.shape[0]) % 2], 0), "f32 2,3", "f32 m")
case("lerp", lambda x, t: x[:-1] + (x[1:] - x[:-1]) * t, "f32 n+1", "f32 n")
case("nonzero_sized", lambda x: jnp.nonzero(x > 0, size=4, fill_value=-1)[0], "f32 n")
case("triu_indices", lambda x: x[:, None] * (jnp.arange(x.shape[0])[None, :] >= jnp.arange(x.shape[0])[:, None]), "f32 n")

# --------------------------------------------------------------------------------------------------------------------------------
family("contraction")
case("matmul", lambda x, w: x @ w, "f32 n,8", "f32 8,5")
case("matmul_symbolic", lambda x, y: x @ y, "f32 n,k", "f32 k,m", sizes=[(1, 1, 1), (7, 5, 3), (33, 12, 9)])
case("mlp", lambda x, a, b, c, d: jnp.maximum(x @ a + b, 0) @ c + d, "f32 n,8", "f32 8,16", "f32 16", "f32 16,4", "f32 4")
case("batched", lambda x, y: jnp.einsum("bij,bjk->bik", x, y), "f32 b,n,4", "f32 b,4,m")
case("attention", lambda q, k, v: nn.softmax(jnp.einsum("bqd,bkd->bqk", q, k) / 2, axis=-1) @ v, "f32 b,n,4", "f32 b,n,4", "f32 b,n,4")
case("causal", lambda q, k, v: nn.softmax(jnp.where(jnp.tril(jnp.ones((q.shape[0], q.shape[0]), bool)), q @ k.T, -1e9), axis=-1) @ v,
     "f32 n,4", "f32 n,4", "f32 n,4")
case("gram", lambda x: x.T @ x, "f32 n,6")
case("dot_vectors", lambda x, y: jnp.dot(x, y), "f32 n", "f32 n")
case("matvec", lambda x, y: x @ y, "f32 n,m", "f32 m")
case("tensordot", lambda x, y: jnp.tensordot(x, y, axes=((0, 2), (1, 0))), "f32 n,3,m", "f32 m,n,2")
case("int_matmul", lambda x, y: lax.dot(x, y, preferred_element_type=jnp.int32), "i8 n,8 <9", "i8 8,3 <9")
case("bf16_matmul", lambda x, y: lax.dot(x, y, preferred_element_type=jnp.float32), "bf16 n,8", "bf16 8,3", tolerance=1e-3)
case("multihead", lambda x, wq, wk, wv: (lambda h: jnp.einsum("bhqk,bhkd->bqhd", nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", h(wq), h(wk))),
     jnp.swapaxes(h(wv), 1, 2)))(lambda w: (x @ w).reshape(x.shape[0], x.shape[1], 2, 4)), "f32 b,n,8", "f32 8,8", "f32 8,8", "f32 8,8")
case("kron", lambda x: jnp.kron(x, jnp.ones((2, 2))), "f32 n,m")
case("vdot_complex", lambda x, y: jnp.abs(jnp.vdot(lax.complex(x, y), lax.complex(y, x))), "f32 n", "f32 n")

family("convolution")
def conv(x, w, strides=(1, 1), padding="SAME", **rest):
    return lax.conv_general_dilated(x, w, strides, padding, dimension_numbers=("NHWC", "HWIO", "NHWC"), **rest)
case("conv_batch", lambda x, w: conv(x, w), "f32 b,8,8,3", "f32 3,3,3,4")
case("conv_same", lambda x, w: conv(x, w), "f32 b,h,w,3", "f32 3,3,3,4", sizes=[(1, 4, 5), (2, 7, 6), (3, 1, 1)])
case("conv_valid", lambda x, w: conv(x, w, padding="VALID"), "f32 b,h,w,3", "f32 2,3,3,4", sizes=[(1, 4, 5), (2, 7, 6), (3, 3, 3)], constraints=["h >= 3", "w >= 3"])
case("conv_strided_same", lambda x, w: conv(x, w, (2, 2)), "f32 b,h,w,3", "f32 3,3,3,4", sizes=[(1, 4, 5), (2, 7, 6), (3, 1, 1)])
case("conv_dilated", lambda x, w: conv(x, w, rhs_dilation=(2, 2)), "f32 b,h,w,3", "f32 3,3,3,4", sizes=[(1, 4, 5), (2, 7, 6), (3, 6, 6)])
case("conv_transpose", lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME"), "f32 b,h,w,3", "f32 3,3,3,4", sizes=[(1, 4, 5), (2, 7, 6), (3, 2, 2)])
case("conv_depthwise", lambda x, w: conv(x, w, feature_group_count=4), "f32 b,h,w,4", "f32 3,3,1,4", sizes=[(1, 4, 5), (2, 7, 6), (3, 2, 2)])
case("conv1d", lambda x, w: lax.conv_general_dilated(x, w, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC")), "f32 b,n,3", "f32 5,3,4")
case("conv1d_causal", lambda x, w: lax.conv_general_dilated(x, w, (1,), [(4, 0)], dimension_numbers=("NWC", "WIO", "NWC")), "f32 b,n,3", "f32 5,3,4")
case("conv_groups", lambda x, w: conv(x, w, feature_group_count=2), "f32 b,h,w,4", "f32 3,3,2,4", sizes=[(1, 4, 5), (2, 7, 6), (3, 2, 2)])
case("max_pool", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), "f32 b,h,w,3", sizes=[(1, 4, 5), (2, 7, 6), (3, 2, 2)],
     constraints=["h >= 2", "w >= 2"])
case("avg_pool_same", lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") / 9, "f32 b,h,w,3", sizes=[(1, 4, 5), (2, 7, 6), (3, 2, 2)])
case("global_pool", lambda x: lax.reduce_window(x, 0.0, lax.add, (1, x.shape[1], x.shape[2], 1), (1, 1, 1, 1), "VALID"), "f32 b,h,w,3",
     sizes=[(1, 4, 5), (2, 7, 6), (3, 2, 2)])
case("max_pool_grad", lambda x: jax.grad(lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID").sum())(x), "f32 b,4,4,3")
case("conv_grad", lambda x, w: jax.grad(lambda w: conv(x, w).sum())(w), "f32 b,6,6,3", "f32 3,3,3,4", tolerance=1e-4)
case("window_variadic", lambda x, y: lax.reduce_window((x, y), (0.0, 0), lambda a, b: (a[0] + b[0], a[1] + b[1]), (x.shape[0], 1), (1, 1), "VALID"),
     "f32 n,3", "i32 n,3 <9")

# --------------------------------------------------------------------------------------------------------------------------------
family("cumulative")
case("cumsum", lambda x: jnp.cumsum(x, axis=0), "f32 n,3")
case("cumsum_rows", lambda x: jnp.cumsum(x, axis=1), "f32 n,m")
case("cumprod", lambda x: jnp.cumprod(x, axis=0), "f32 n,2")
case("cummax", lambda x: lax.cummax(x, axis=0), "f32 n,m")
case("cummin_reverse", lambda x: lax.cummin(x, axis=0, reverse=True), "f32 n,m")
case("cumlogsumexp", lambda x: lax.cumlogsumexp(x, axis=0), "f32 n,2")
case("cumsum_int", lambda x: jnp.cumsum(x), "i32 n <9")
case("cumsum_bool", lambda x: jnp.cumsum(x > 0), "f32 n")
case("cumsum_window", lambda x: (lambda c: c[2:] - c[:-2])(jnp.cumsum(jnp.pad(x, (1, 0)))), "f32 n")

family("order")
case("sort", lambda x: jnp.sort(x, axis=1), "f32 n,m")
case("sort_columns", lambda x: jnp.sort(x, axis=0), "f32 n,m")
case("sort_int", lambda x: jnp.sort(x), "i32 n <99")
case("sort_descending", lambda x: jnp.sort(x, descending=True), "f32 n")
case("argsort", lambda x: jnp.argsort(x), "f32 n")
case("lexsort", lambda x, y: jnp.lexsort((x, y)), "f32 n", "i32 n <3")
case("sort_pairs", lambda x, y: lax.sort((x, y), num_keys=1), "i32 n <9", "f32 n")
case("sort_comparator_outer", lambda x: lax.sort((jnp.abs(x), x), num_keys=2), "f32 n,2")
case("top_k", lambda x: lax.top_k(x, 3), "f32 n,m", sizes=[(3, 2), (9, 4), (20, 1)], constraints=["m >= 3"])
case("top_k_symbolic", lambda x: lax.top_k(x, x.shape[0]), "f32 n")
case("top_k_rest", lambda x: lax.top_k(x, x.shape[1] - 1), "f32 2,n")
case("top_k_half", lambda x: lax.top_k(x, x.shape[1] // 2), "f32 2,n")
case("approx_max_k", lambda x: lax.approx_max_k(x, 3), "f32 n,m", sizes=[(3, 2), (9, 4), (20, 1)], constraints=["m >= 3"])
case("approx_max_k_symbolic", lambda x, y: lax.approx_max_k(x, y.shape[0]), "f32 n+m", "f32 m", sizes=[(1, 1), (4, 3), (9, 12)])
case("approx_min_k_rows", lambda x, y: lax.approx_min_k(x, y.shape[0]), "f32 2,n+m", "f32 m", sizes=[(1, 1), (4, 3), (9, 12)])
case("unique_sized", lambda x: jnp.unique(x, size=4, fill_value=-1), "i32 n <5")
case("quantile", lambda x: jnp.quantile(x, 0.3, axis=0), "f32 n,2")
case("nanmedian_percentile", lambda x: jnp.percentile(x, 75.0), "f32 n")
case("shuffle", lambda k, x: x[jnp.argsort(random.uniform(random.wrap_key_data(k), x.shape))], "u32 2 key", "f32 n", sizes=[1, 6, 40])

family("random")
case("uniform", lambda k, x: x + random.uniform(random.wrap_key_data(k), x.shape), "u32 2 key", "f32 n,3")
case("normal", lambda k, x: x + random.normal(random.wrap_key_data(k), x.shape), "u32 2 key", "f32 n,m", tolerance=1e-4)
case("randint", lambda k, x: random.randint(random.wrap_key_data(k), x.shape, 0, 10), "u32 2 key", "f32 n,m")
case("bernoulli", lambda k, x: random.bernoulli(random.wrap_key_data(k), 0.3, x.shape), "u32 2 key", "f32 n")
case("categorical", lambda k, x: random.categorical(random.wrap_key_data(k), x, axis=-1), "u32 2 key", "f32 n,5")
case("split_keys", lambda k, x: random.split(random.wrap_key_data(k), x.shape[0]), "u32 2 key", "f32 n")
case("fold_in", lambda k, x: x * random.uniform(random.fold_in(random.wrap_key_data(k), 3), (x.shape[0], 1)), "u32 2 key", "f32 n,3")
case("rbg_uniform", lambda x: x + random.uniform(rbg(), x.shape), "f32 n,3")
case("rbg_normal", lambda x: x + random.normal(rbg(), x.shape), "f32 n,m", tolerance=1e-4)
case("rbg_bits", lambda x: random.bits(rbg(), x.shape), "f32 n")
case("rbg_bits8", lambda x: random.bits(rbg(), x.shape, "uint8"), "f32 n,5")
case("rbg_philox", lambda k, x: lax.rng_bit_generator(k, x.shape, algorithm=lax.RandomAlgorithm.RNG_PHILOX)[1], "u32 4 key", "f32 n,3")
case("rbg_threefry", lambda k, x: lax.rng_bit_generator(k, x.shape, algorithm=lax.RandomAlgorithm.RNG_THREE_FRY), "u32 4 key", "f32 n,3")
case("dropout", lambda k, x: jnp.where(random.bernoulli(random.wrap_key_data(k), 0.9, x.shape), x / 0.9, 0), "u32 2 key", "f32 n,4")
case("gumbel", lambda k, x: random.gumbel(random.wrap_key_data(k), x.shape), "u32 2 key", "f32 n", tolerance=1e-4)
case("exponential", lambda k, x: random.exponential(random.wrap_key_data(k), x.shape), "u32 2 key", "f32 n,2", tolerance=1e-4)

# --------------------------------------------------------------------------------------------------------------------------------
family("linalg")
case("cholesky", lambda x: jnp.linalg.cholesky(x), "f32 n,4,4 spd", tolerance=1e-4)
case("cholesky_upper", lambda x: jsp.linalg.cholesky(x, lower=False), "f32 n,3,3 spd", tolerance=1e-4)
case("solve_triangular", lambda a, b: jsp.linalg.solve_triangular(a, b, lower=True), "f32 n,3,3 spd", "f32 n,3,2", tolerance=1e-4)
case("solve_triangular_columns", lambda a, b: jsp.linalg.solve_triangular(a, b, lower=True), "f32 4,4 spd", "f32 4,n", tolerance=1e-4)
case("solve", lambda a, b: jnp.linalg.solve(a, b), "f32 n,3,3 spd", "f32 n,3,2", tolerance=1e-3)
case("inv", lambda a: jnp.linalg.inv(a), "f32 n,3,3 spd", tolerance=1e-3)
case("det", lambda a: jnp.linalg.det(a), "f32 n,4,4 spd", tolerance=1e-3)
case("slogdet", lambda a: jnp.linalg.slogdet(a), "f32 n,5,5 spd", tolerance=1e-3)
case("qr", lambda a: (lambda q, r: (jnp.abs(q), q @ r))(*jnp.linalg.qr(a)), "f32 n,4,3", tolerance=1e-3)
case("eigh", lambda a: jnp.linalg.eigh(a)[0], "f32 n,4,4 spd", tolerance=1e-3)
case("eigh_vectors", lambda a: (lambda w, v: v @ (w[..., None] * jnp.swapaxes(v, -1, -2)))(*jnp.linalg.eigh(a)), "f32 n,4,4 spd", tolerance=1e-3)
case("svd", lambda a: jnp.linalg.svd(a, compute_uv=False), "f32 n,4,3", tolerance=1e-3)
case("svd_full", lambda a: (lambda u, s, v: (u * s[..., None, :]) @ v)(*jnp.linalg.svd(a, full_matrices=False)), "f32 n,4,3", tolerance=1e-3)
case("eigvals", lambda a: jnp.sort(jnp.abs(jnp.linalg.eigvals(a)), axis=-1), "f32 n,3,3", tolerance=1e-3)
case("lu", lambda a: lax.linalg.lu(a)[0], "f32 n,3,3 spd", tolerance=1e-3)
case("lu_solve", lambda a, b: jsp.linalg.lu_solve(jsp.linalg.lu_factor(a), b), "f32 3,3 spd", "f32 3,n", tolerance=1e-3)
case("cho_solve", lambda a, b: jsp.linalg.cho_solve(jsp.linalg.cho_factor(a), b), "f32 3,3 spd", "f32 3,n", tolerance=1e-3)
case("pinv", lambda a: jnp.linalg.pinv(a), "f32 n,4,3", tolerance=2e-3)
case("matrix_power", lambda a: jnp.linalg.matrix_power(a, 3), "f32 n,n spd", sizes=[1, 3, 6], tolerance=1e-3)
case("expm", lambda a: jsp.linalg.expm(a * 0.1), "f32 n,3,3", tolerance=1e-3)
case("tridiagonal_solve", lambda dl, d, du, b: lax.linalg.tridiagonal_solve(dl, d, du, b), "f32 n,5", "f32 n,5 big", "f32 n,5", "f32 n,5,2", tolerance=1e-3)
case("schur_values", lambda a: jnp.sort(jnp.abs(jsp.linalg.schur(a)[0].diagonal())), "f32 3,3 spd", tolerance=1e-3, sizes=[{}])
case("cholesky_symbolic", lambda x: jnp.linalg.cholesky(x), "f32 n,n spd", sizes=[1, 3, 9], tolerance=1e-3)
case("hessenberg", lambda a: jnp.abs(jsp.linalg.hessenberg(a)), "f32 n,4,4", tolerance=1e-3)

family("fourier")
case("fft", lambda x: jnp.abs(jnp.fft.fft(x, axis=-1)), "f32 n,8", tolerance=1e-4)
case("rfft", lambda x: jnp.abs(jnp.fft.rfft(x, axis=-1)), "f32 n,8", tolerance=1e-4)
case("irfft", lambda x, y: jnp.fft.irfft(lax.complex(x, y), n=8, axis=-1), "f32 n,5", "f32 n,5", tolerance=1e-4)
case("fft2", lambda x: jnp.abs(jnp.fft.fft2(x)), "f32 n,4,6", tolerance=1e-4)
case("fft_columns", lambda x: jnp.fft.ifft(jnp.fft.fft(x, axis=0), axis=0).real, "f32 8,n", tolerance=1e-4)

# --------------------------------------------------------------------------------------------------------------------------------
family("control")
case("while_carried", lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 1.5), (0, x))[1], "f32 n,2")
case("fori_size", lambda x: lax.fori_loop(0, x.shape[0], lambda i, a: a + x[i], jnp.zeros(3)), "f32 n,3")
case("fori_update", lambda x: lax.fori_loop(0, x.shape[0], lambda i, a: a.at[i].set(a[i] * i), x), "f32 n,3")
case("scan", lambda x: lax.scan(lambda c, a: (c + a, c * a), jnp.zeros(3), x), "f32 n,3")
case("scan_carry_symbolic", lambda x, y: lax.scan(lambda c, a: (c * a + 1, c.sum()), x, y), "f32 n", "f32 5")
case("scan_both", lambda x, y: lax.scan(lambda c, a: (jnp.tanh(c + a), c), x, y), "f32 m", "f32 n,m")
case("scan_reverse", lambda x: lax.scan(lambda c, a: (c + a, c), jnp.zeros(2), x, reverse=True), "f32 n,2")
case("rnn", lambda x, w, u: lax.scan(lambda h, a: (jnp.tanh(a @ w + h @ u),) * 2, jnp.zeros((x.shape[1], 4)), x)[0], "f32 n,m,3", "f32 3,4", "f32 4,4")
case("cond", lambda x, p: lax.cond(p > 0, lambda x: x * 2, lambda x: -x, x), "f32 n,2", "i32  <2")
case("cond_on_size", lambda x: lax.cond(x.sum() > x.shape[0], lambda x: x - 1, lambda x: x + 1, x), "f32 n")
case("switch", lambda x, i: lax.switch(i, [lambda x: x, lambda x: x * 2, lambda x: jnp.flip(x, 0)], x), "f32 n,2", "i32  <3")
case("map", lambda x: lax.map(lambda r: jnp.sort(r) * 2, x), "f32 n,4")
case("associative_scan", lambda x: lax.associative_scan(jnp.add, x), "f32 8,n")
case("newton", lambda x: lax.while_loop(lambda y: jnp.max(jnp.abs(y * y - x)) > 1e-3, lambda y: (y + x / y) / 2, x), "f32 n pos", tolerance=1e-3)
case("vmap", jax.vmap(lambda x, y: jnp.dot(x, y) + x.sum()), "f32 n,3", "f32 n,3")
case("grad", jax.grad(lambda w, x: jnp.sum(jnp.tanh(x @ w) ** 2)), "f32 3,2", "f32 n,3", tolerance=1e-4)
case("grad_softmax", jax.grad(lambda x: jnp.sum(nn.log_softmax(x, -1)[:, 0])), "f32 n,m")
case("grad_gather", jax.grad(lambda t, i: jnp.sum(t[i] ** 2)), "f32 n,3", "i32 m <4", sizes=[(4, 4), (2, 7), (13, 9)])
case("jvp", lambda x, v: jax.jvp(lambda x: jnp.sin(x).sum(1), (x,), (v,)), "f32 n,m", "f32 n,m")
case("jacobian", jax.jacobian(lambda x: x**2 + x.sum()), "f32 n")
case("remat", jax.grad(lambda x: jax.checkpoint(lambda x: jnp.sin(jnp.sin(x)))(x).sum()), "f32 n")
case("custom_gradient", jax.grad(lambda x: nn.relu(x).sum()), "f32 n")
case("token_loop", lambda x: lax.fori_loop(0, 3, lambda i, a: jnp.concatenate([a[1:], a[:1]], 0), x), "f32 n,2")

family("symbols")
case("two_n", lambda x: x[::2] + x[1::2], "f32 2*n", sizes=[1, 3, 8])
case("n_plus_one", lambda x, y: x[:-1] + y, "f32 b+1", "f32 b", sizes=[1, 3, 8])
case("half", lambda x: x[: x.shape[0] // 2] * 2, "f32 b,2", sizes=[1, 4, 9])
case("multiple", lambda x: x.reshape(-1, 4).sum(1), "f32 4*b", sizes=[1, 3, 8])
case("minimum", lambda x, y: (lambda k: x[:k] + y[:k])(core.min_dim(x.shape[0], y.shape[0])), "f32 a", "f32 b",
     sizes=[(1, 1), (3, 5), (7, 2)])
case("maximum", lambda x, y: (lambda k: jnp.pad(x, (0, k - x.shape[0])) + jnp.pad(y, (0, k - y.shape[0])))(core.max_dim(x.shape[0], y.shape[0])),
     "f32 a", "f32 b", sizes=[(1, 1), (3, 5), (7, 2)])
case("product", lambda x, y: (x[:, None] * y[None, :]).reshape(x.shape[0] * y.shape[0]), "f32 a", "f32 b", sizes=[(1, 1), (3, 5), (7, 2)])
case("modulo", lambda x: (lambda k: jnp.pad(x, (0, 4 * k - x.shape[0])).reshape(k, 4).sum(0))((x.shape[0] + 3) // 4), "f32 n", sizes=[1, 4, 13])
case("blocks", lambda x: (lambda k: jnp.pad(x, (0, 4 * k - x.shape[0])).reshape(k, 4))((x.shape[0] + 3) // 4), "f32 n", sizes=[1, 4, 13])
case("ceil_div", lambda x: jnp.zeros(((x.shape[0] + 3) // 4,)) + x.sum(), "f32 n")
case("strided_windows", lambda x: jnp.stack([x[i : x.shape[0] - 2 + i] for i in range(3)], 1), "f32 n", sizes=[2, 3, 9], constraints=["n >= 2"])
case("positions", lambda x: jnp.sin(jnp.arange(x.shape[1])[:, None] / 10.0 ** (jnp.arange(4) / 4)) + x, "f32 b,n,4")
case("mean_by_size", lambda x: x.sum(0) / x.shape[0], "f32 n,3")
case("constant_argument", lambda x: jnp.arange(24.0).reshape(4, 6)[None] * x, "f32 b,4,6")

# --------------------------------------------------------------------------------------------------------------------------------
family("models")
def lstm_cell(carry, x, w, u):
    h, c = carry
    i, f, g, o = jnp.split(x @ w + h @ u, 4, axis=-1)
    c = nn.sigmoid(f) * c + nn.sigmoid(i) * jnp.tanh(g)
    h = nn.sigmoid(o) * jnp.tanh(c)
    return (h, c), h
case("lstm", lambda x, w, u: lax.scan(lambda c, a: lstm_cell(c, a, w, u), (jnp.zeros((x.shape[1], 3)), jnp.zeros((x.shape[1], 3))), x),
     "f32 t,b,4", "f32 4,12", "f32 3,12", tolerance=1e-4)
case("decode_step", lambda q, k, v, c, d, i: (lambda c, d: (nn.softmax(jnp.where(jnp.arange(c.shape[1]) <= i, jnp.einsum("bd,bsd->bs", q, c), -1e9)) @ d[0], c, d))(
     lax.dynamic_update_slice_in_dim(c, k, i, 1), lax.dynamic_update_slice_in_dim(d, v, i, 1)),
     "f32 b,4", "f32 b,1,4", "f32 b,1,4", "f32 b,s,4", "f32 b,s,4", "i32  <2", sizes=[(1, 2), (2, 5), (3, 9)])
case("dot_product_attention", lambda q, k, v: nn.dot_product_attention(q, k, v), "f32 b,t,2,4", "f32 b,s,2,4", "f32 b,s,2,4", tolerance=1e-4)
case("dot_product_attention_causal", lambda q, k, v: nn.dot_product_attention(q, k, v, is_causal=True), "f32 b,t,2,4", "f32 b,t,2,4", "f32 b,t,2,4", tolerance=1e-4)
case("encoder_layer", lambda x, q, o, a, b: (lambda y: y + nn.relu(y @ a) @ b)(x + (lambda h: jnp.einsum("bhts,bshd->bthd", nn.softmax(jnp.einsum("bthd,bshd->bhts", h, h)), h).reshape(x.shape))(
     (x @ q).reshape(x.shape[0], x.shape[1], 2, 4)) @ o), "f32 b,t,8", "f32 8,8", "f32 8,8", "f32 8,16", "f32 16,8", tolerance=1e-3)
case("batch_norm_train", lambda x, g: (lambda m, v: ((x - m) * lax.rsqrt(v + 1e-5) * g, m, v))(x.mean((0, 1, 2)), x.var((0, 1, 2))), "f32 b,h,w,3", "f32 3", sizes=[(2, 3, 4), (1, 5, 2), (3, 1, 7)], tolerance=1e-4)
case("loss_and_gradient", jax.value_and_grad(lambda p, x, y: -jnp.mean(jnp.sum(nn.log_softmax(jnp.tanh(x @ p[0]) @ p[1]) * nn.one_hot(y, 3), -1)))
     if False else (lambda a, b, x, y: jax.value_and_grad(lambda p: -jnp.mean(jnp.sum(nn.log_softmax(jnp.tanh(x @ p[0]) @ p[1]) * nn.one_hot(y, 3), -1)))((a, b))),
     "f32 4,5", "f32 5,3", "f32 n,4", "i32 n <3", tolerance=1e-4)
case("rope", lambda x: (lambda p: jnp.concatenate([x[..., :2] * jnp.cos(p) - x[..., 2:] * jnp.sin(p), x[..., 2:] * jnp.cos(p) + x[..., :2] * jnp.sin(p)], -1))(
     jnp.arange(x.shape[1])[:, None] / jnp.array([1.0, 10.0])), "f32 b,t,4")
case("local_attention", lambda q, k: jnp.where(jnp.abs(jnp.arange(q.shape[0])[:, None] - jnp.arange(k.shape[0])[None, :]) <= 2, q @ k.T, 0), "f32 n,4", "f32 m,4")
case("depthwise_separable", lambda x, d, p: conv(conv(x, d, feature_group_count=3), p), "f32 b,h,w,3", "f32 3,3,1,3", "f32 1,1,3,5", sizes=[(1, 4, 5), (2, 7, 6), (3, 2, 2)])
case("resize_nearest", lambda x: jnp.repeat(jnp.repeat(x, 2, axis=1), 2, axis=2), "f32 b,h,w,3", sizes=[(1, 4, 5), (2, 7, 6), (3, 2, 2)])
case("patches", lambda x: x.reshape(x.shape[0], x.shape[1] // 2, 2, x.shape[2] // 2, 2, 3).transpose(0, 1, 3, 2, 4, 5).reshape(x.shape[0], -1, 12), "f32 b,2*h,2*w,3")
case("ctc_like", lambda x: lax.scan(lambda c, a: (jnp.logaddexp(c, jnp.concatenate([jnp.full((1,), -1e9), c[:-1]])) + a, None), jnp.zeros(x.shape[1]), x)[0], "f32 t,s", tolerance=1e-4)
case("viterbi", lambda e, t: lax.scan(lambda s, o: (lambda q: (q.max(0) + o, q.argmax(0)))(s[:, None] + t), jnp.zeros(4), e), "f32 n,4", "f32 4,4")
case("knn", lambda x, y: lax.top_k(-jnp.sum((x[:, None] - y[None]) ** 2, -1), 2), "f32 n,3", "f32 m,3", sizes=[(2, 1), (5, 4), (9, 13)], constraints=["m >= 2"])
case("kmeans_step", lambda x, c: (lambda a: jax.ops.segment_sum(x, a, 3) / jnp.maximum(jax.ops.segment_sum(jnp.ones(x.shape[0]), a, 3), 1)[:, None])(
     jnp.argmin(jnp.sum((x[:, None] - c[None]) ** 2, -1), 1)), "f32 n,2", "f32 3,2")
case("graph_pass", lambda x, s, d, w: jax.ops.segment_sum(x[s] @ w, d, num_segments=x.shape[0]), "f32 n,3", "i32 e <4", "i32 e <4", "f32 3,3", sizes=[(6, 4), (1, 5), (13, 9)])
case("power_iteration", lambda a: lax.fori_loop(0, 20, lambda i, v: (lambda w: w / jnp.linalg.norm(w))(a @ v), jnp.ones(a.shape[0])), "f32 n,n spd", tolerance=1e-3)
case("conjugate_gradient", lambda a, b: jsp.sparse.linalg.cg(a, b, maxiter=5)[0], "f32 n,n spd", "f32 n", tolerance=1e-2)
case("ode", lambda x: lax.fori_loop(0, 10, lambda i, y: y + 0.1 * jnp.sin(y), x), "f32 n")
case("gru_reverse", lambda x, w: lax.scan(lambda h, a: (lambda z: ((1 - z) * h + z * jnp.tanh(a), h))(nn.sigmoid(a @ w + h)), jnp.zeros((x.shape[1], 3)), x, reverse=True), "f32 t,b,3", "f32 3,3", tolerance=1e-4)

family("regions")
case("swap_carried", lambda x, y: lax.fori_loop(0, 3, lambda i, c: (c[1], c[0] + 1), (x, y)), "f32 n", "f32 n")
case("rotate_carried", lambda x, y, z: lax.fori_loop(0, x.shape[0], lambda i, c: (c[2], c[0] * 2, c[1]), (x, y, z)), "f32 n,2", "f32 n,2", "f32 n,2")
case("fibonacci_rows", lambda x: lax.scan(lambda c, _: ((c[1], c[0] + c[1]), c[0]), (x, x * 0.5), None, length=6), "f32 n")
case("scan_lengths", lambda x: lax.scan(lambda c, a: (c + a.sum(), a * c), 0.0, x), "f32 n,m")
case("nested_scan", lambda x: lax.scan(lambda c, r: lax.scan(lambda d, a: (d * 0.5 + a, d), c, r), 0.0, x), "f32 n,m")
case("while_in_cond", lambda x, p: lax.cond(p > 0, lambda x: lax.while_loop(lambda c: jnp.sum(c) > 1, lambda c: c * 0.5, jnp.abs(x)), lambda x: x + 1, x), "f32 n,2", "i32  <2")
case("cond_in_scan", lambda x: lax.scan(lambda c, a: (lax.cond(a.sum() > 0, lambda: c + a, lambda: c - a), c), jnp.zeros(3), x), "f32 n,3")
case("batched_while", jax.vmap(lambda x: lax.while_loop(lambda c: c < 3.0, lambda c: c + 0.7, x)), "f32 n")
case("batched_cond", jax.vmap(lambda x, p: lax.cond(p > 0, lambda x: x * 2, lambda x: -x, x)), "f32 n", "f32 n")
case("batched_dynamic_slice", jax.vmap(lambda x, i: lax.dynamic_slice(x, (i,), (2,))), "f32 n,5", "i32 n <4")
case("batched_update", jax.vmap(lambda x, u, i: lax.dynamic_update_slice(x, u, (i,))), "f32 n,5", "f32 n,2", "i32 n <4")
case("batched_gather", jax.vmap(lambda x, i: x[i]), "f32 n,5", "i32 n,3 <5")
case("batched_scatter", jax.vmap(lambda x, i, u: x.at[i].add(u)), "f32 n,5", "i32 n,3 <5", "f32 n,3")
case("batched_sort", jax.vmap(lambda x, y: lax.sort((x, y), num_keys=1)), "f32 n,m", "f32 n,m")
case("batched_top_k", jax.vmap(lambda x: lax.top_k(x, 2)), "f32 n,5")
case("batched_cumsum", jax.vmap(lambda x: jnp.cumsum(x)), "f32 n,m")
case("batched_conv", jax.vmap(lambda x, w: lax.conv_general_dilated(x, w, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC")), in_axes=(0, None)), "f32 n,2,6,3", "f32 3,3,4")
case("batched_solve", jax.vmap(lambda a, b: jnp.linalg.solve(a, b)), "f32 n,3,3 spd", "f32 n,3", tolerance=1e-3)
case("dynamic_index", lambda x, i: x[i] + lax.dynamic_index_in_dim(x, i, 0, keepdims=False), "f32 n,3", "i32  <1")
case("scan_cumulative", lambda x: lax.scan(lambda c, a: (c, jnp.cumsum(a)), 0.0, x)[1], "f32 n,m")
case("scan_sort", lambda x: lax.scan(lambda c, a: (c + jnp.sort(a)[0], jnp.sort(a)), 0.0, x), "f32 n,m")
case("scan_top_k", lambda x: lax.scan(lambda c, a: (c, lax.top_k(a, a.shape[0])[1]), 0, x)[1], "f32 n,m")
case("map_matmul", lambda x, w: lax.map(lambda r: r @ w, x), "f32 n,m,3", "f32 3,2")
case("scan_dynamic_update", lambda x: lax.fori_loop(0, x.shape[1], lambda i, a: lax.dynamic_update_index_in_dim(a, a[:, i] * 2, i, 1), x), "f32 n,m")
case("gradient_of_scan", jax.grad(lambda x: lax.scan(lambda c, a: (jnp.tanh(c + a), c.sum()), jnp.zeros(3), x)[1].sum()), "f32 n,3", tolerance=1e-4)
case("gradient_of_while", lambda x: jax.grad(lambda x: lax.fori_loop(0, 4, lambda i, a: jnp.sin(a), x).sum())(x), "f32 n")
case("gradient_of_sort", jax.grad(lambda x: (jnp.sort(x) * jnp.arange(x.shape[0])).sum()), "f32 n")
case("gradient_of_cumsum", jax.grad(lambda x: (jnp.cumsum(x) ** 2).sum()), "f32 n", tolerance=1e-4)
case("gradient_of_conv", lambda x, w: jax.grad(lambda x: (conv(x, w) ** 2).sum())(x), "f32 b,h,w,3", "f32 3,3,3,4", sizes=[(1, 4, 5), (2, 7, 6), (3, 1, 1)], tolerance=1e-3)
case("gradient_of_conv_kernel", lambda x, w: jax.grad(lambda w: (conv(x, w) ** 2).sum())(w), "f32 b,h,w,3", "f32 3,3,3,4", sizes=[(1, 4, 5), (2, 7, 6), (3, 1, 1)], tolerance=1e-3)
case("gradient_of_pool", lambda x: jax.grad(lambda x: (lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 1, 1, 1), "SAME") ** 2).sum())(x), "f32 b,h,w,2", sizes=[(1, 4, 5), (2, 7, 6), (3, 1, 1)], tolerance=1e-4)
case("gradient_of_mean_pool", lambda x: jax.grad(lambda x: (lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "SAME") ** 2).sum())(x), "f32 b,h,w,2", sizes=[(1, 4, 5), (2, 7, 6), (3, 1, 1)], tolerance=1e-4)
case("gradient_of_cholesky", lambda a: jax.grad(lambda a: jnp.linalg.cholesky(a).sum())(a), "f32 n,3,3 spd", tolerance=1e-3)
case("gradient_of_solve", lambda a, b: jax.grad(lambda a: jnp.linalg.solve(a, b).sum())(a), "f32 n,3,3 spd", "f32 n,3,1", tolerance=1e-3)
case("gradient_of_take", jax.grad(lambda x, i: (jnp.take(x, i, axis=1) ** 2).sum()), "f32 n,4", "i32 m <4")
case("gradient_of_max", jax.grad(lambda x: jnp.max(x, axis=1).sum()), "f32 n,m")
case("hessian", jax.hessian(lambda x: jnp.sum(jnp.sin(x) * x[0])), "f32 n", tolerance=1e-4)
case("vector_jacobian", lambda x, v: jax.vjp(lambda x: jnp.cumsum(jnp.sin(x)), x)[1](v)[0], "f32 n", "f32 n", tolerance=1e-4)

family("windows")
case("conv_kernel_symbolic", lambda x, w: lax.conv_general_dilated(x, w, (1,), [(0, 0)], dimension_numbers=("NWC", "WIO", "NWC")), "f32 2,n+k,3", "f32 k,3,4", sizes=[(1, 1), (3, 5), (5, 2)])
case("conv_features_symbolic", lambda x, w: conv(x, w), "f32 2,5,5,c", "f32 3,3,c,d", sizes=[(1, 1), (3, 4), (5, 2)])
case("window_sum_symbolic", lambda x, y: lax.reduce_window(x, 0.0, lax.add, (y.shape[0],), (1,), "VALID"), "f32 n+k", "f32 k", sizes=[(1, 1), (3, 5), (5, 2)])
case("window_stride_symbolic", lambda x: lax.reduce_window(x, 0.0, lax.add, (2, x.shape[1]), (1, x.shape[1]), "SAME"), "f32 n,m")
case("window_max_same", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (3,), (1,), "SAME"), "f32 n")
case("window_dilated", lambda x: lax.reduce_window(x, 0.0, lax.add, (2, 1), (1, 1), "VALID", window_dilation=(2, 1)), "f32 n,m", sizes=[(1, 3), (4, 5), (2, 13)], constraints=["n >= 3"])
case("window_base_dilated", lambda x: lax.reduce_window(x, 0.0, lax.add, (x.shape[0], 1), (1, 1), "VALID", base_dilation=(2, 1)), "f32 n,3")
case("window_generic", lambda x: lax.reduce_window(x * 0.1, 0.0, lambda a, b: a + b + a * b, (x.shape[0],), (1,), [(x.shape[0] - 1, 0)]), "f32 n", tolerance=1e-4)
case("window_int", lambda x: lax.reduce_window(x, 0, lax.add, (x.shape[0],), (1,), "SAME"), "i32 n <99")
case("window_bool", lambda x: lax.reduce_window(x > 0, False, lax.bitwise_or, (x.shape[0],), (1,), [(x.shape[0] - 1, 0)]), "f32 n")
case("window_captured", lambda x, s: lax.reduce_window(x, 0.0, lax.add, (x.shape[0],), (1,), [(x.shape[0] - 1, 0)]) * s, "f32 n", "f32 ")
case("window_bf16", lambda x: lax.cummax(x).astype(jnp.float32), "bf16 n")
case("cumsum_reverse", lambda x: lax.cumsum(x, axis=1, reverse=True), "f32 n,m")
case("sum_empty", lambda x: (jnp.sum(x[1:], axis=0), jnp.prod(x[1:], axis=0)), "f32 n,3")
case("matmul_empty", lambda x, y: x[1:] @ y[:, 1:], "f32 n,4", "f32 4,n")
case("contract_empty", lambda x, y: x[:, 1:] @ y[1:], "f32 3,n", "f32 n,4")
case("sort_empty", lambda x: (jnp.sort(x[1:]), jnp.argsort(x[1:])), "f32 n")
case("concatenate_empty", lambda x: jnp.concatenate([x[1:], x[:0], x], 0), "f32 n,2")
case("gather_empty", lambda x, i: x[i[1:]], "f32 5,2", "i32 n <5")
case("scatter_empty", lambda x, i: x.at[i[1:]].add(1.0), "f32 5,2", "i32 n <5")
case("conv_empty_batch", lambda x, w: conv(x[1:], w), "f32 b,4,4,2", "f32 3,3,2,2")
case("cholesky_empty_batch", lambda a: jnp.linalg.cholesky(a[1:]), "f32 n,3,3 spd", tolerance=1e-4)
case("top_k_none", lambda x: lax.top_k(x, x.shape[1] - x.shape[1]) if False else lax.top_k(x, x.shape[1] // 3), "f32 2,n")
case("random_empty", lambda k, x: random.uniform(random.wrap_key_data(k), (x.shape[0] - 1, 2)), "u32 2 key", "f32 n")

family("numbers")
case("int8", lambda x, y: (x + y) * 2, "i8 n <60", "i8 n <60")
case("uint8_sum", lambda x: x.sum(), "u8 n <200")
case("bool_logic", lambda x, y: (x > 0) & (y > 0) ^ (x < y), "f32 n", "f32 n")
case("complex_matmul", lambda x, y: jnp.abs(lax.complex(x, y) @ lax.complex(y, x).T), "f32 n,4", "f32 n,4", tolerance=1e-4)
case("complex_cumsum", lambda x, y: jnp.cumsum(lax.complex(x, y)), "f32 n", "f32 n", tolerance=1e-4)
case("complex_cholesky", lambda x, y: (lambda a: jnp.abs(jnp.linalg.cholesky(a @ jnp.conj(jnp.swapaxes(a, -1, -2)) + 5 * jnp.eye(3))))(lax.complex(x, y)), "f32 n,3,3", "f32 n,3,3", tolerance=1e-3)
case("complex_eigh", lambda x, y: (lambda a: jnp.linalg.eigh(a + jnp.conj(jnp.swapaxes(a, -1, -2)))[0])(lax.complex(x, y)), "f32 n,3,3", "f32 n,3,3", tolerance=1e-3)
case("complex_qr", lambda x, y: (lambda a: jnp.abs(jnp.linalg.qr(a)[1]))(lax.complex(x, y)), "f32 n,4,3", "f32 n,4,3", tolerance=1e-3)
case("complex_svd", lambda x, y: jnp.linalg.svd(lax.complex(x, y), compute_uv=False), "f32 n,4,3", "f32 n,4,3", tolerance=1e-3)
case("f16", lambda x: (x.astype(jnp.float16) * 2 + 1).astype(jnp.float32), "f32 n,4", tolerance=1e-2)
case("float8", lambda x: x.astype(jnp.float8_e4m3fn).astype(jnp.float32) * 2, "f32 n,4", tolerance=1e-6)
case("round_modes", lambda x: jnp.round(x * 3) + jnp.floor(x) + jnp.ceil(x) + jnp.trunc(x), "f32 n")
case("mod_rem", lambda x, y: jnp.mod(x, y) + jnp.fmod(x, y) + lax.rem(x, y), "f32 n", "f32 n pos", tolerance=1e-4)
case("shifts", lambda x: (x << 3) + (x >> 1) + lax.shift_right_logical(x, 2), "i32 n <9999")
case("reduce_precision", lambda x: lax.reduce_precision(x, 5, 7), "f32 n")
case("hyperbolic", lambda x: jnp.arcsinh(x) + jnp.sinh(x) * jnp.cosh(x) + jnp.arctan2(x, x + 1), "f32 n", tolerance=1e-4)
case("bessel", lambda x: jsp.special.i0e(x) + jsp.special.i1e(x), "f32 n", tolerance=1e-4)
case("igamma", lambda x, y: jsp.special.gammainc(x, y), "f32 n pos", "f32 n pos", tolerance=1e-4)
case("betainc", lambda x, y: jsp.special.betainc(x, y, 0.3), "f32 n pos", "f32 n pos", tolerance=1e-4)
case("zeta", lambda x: jsp.special.zeta(x + 1.5, 2.0), "f32 n pos", tolerance=1e-4)
case("ndtri", lambda x: jsp.special.ndtri(nn.sigmoid(x)), "f32 n", tolerance=1e-3)

family("distributions")
case("gamma", lambda k, x: random.gamma(random.wrap_key_data(k), 2.0, x.shape), "u32 2 key", "f32 n", tolerance=1e-3)
case("poisson", lambda k, x: random.poisson(random.wrap_key_data(k), 3.0, x.shape), "u32 2 key", "f32 n")
case("truncated_normal", lambda k, x: random.truncated_normal(random.wrap_key_data(k), -1.0, 1.0, x.shape), "u32 2 key", "f32 n", tolerance=1e-3)
case("dirichlet", lambda k, x: random.dirichlet(random.wrap_key_data(k), jnp.ones(3), (x.shape[0],)), "u32 2 key", "f32 n", tolerance=1e-3)
case("laplace_cauchy", lambda k, x: random.laplace(random.wrap_key_data(k), x.shape) + random.cauchy(random.wrap_key_data(k), x.shape), "u32 2 key", "f32 n", tolerance=1e-2)
case("choice", lambda k, x: random.choice(random.wrap_key_data(k), 5, (x.shape[0],)), "u32 2 key", "f32 n")
case("multivariate_normal", lambda k, x: random.multivariate_normal(random.wrap_key_data(k), jnp.zeros(2), jnp.eye(2), (x.shape[0],)), "u32 2 key", "f32 n", tolerance=1e-3)
case("rademacher", lambda k, x: random.rademacher(random.wrap_key_data(k), x.shape), "u32 2 key", "f32 n")
case("bits16", lambda k, x: random.bits(random.wrap_key_data(k), x.shape, "uint16").astype(jnp.uint32), "u32 2 key", "f32 n,3")
case("rbg_bernoulli", lambda x: random.bernoulli(rbg(), 0.4, x.shape), "f32 n,3")
case("rbg_fold", lambda x: random.normal(random.fold_in(rbg(), 5), (x.shape[0],)), "f32 n", tolerance=1e-4)
