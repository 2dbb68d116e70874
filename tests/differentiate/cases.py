"""Functions over all families that JAX differentiates: what `compare.py` differentiates in both ways.

A case is a function and its arguments, each written as `SHAPE KIND`: `3,4` has normal numbers, `3,4 pos` numbers between 0.5 and 1.5, `3,4 unit`
numbers between -0.9 and 0.9, `3,4 spd` symmetric positive definite matrices, `3,4 tri` (`tall`, of any rows and columns) matrices with a strong diagonal, `3 <5` integers from 0 to
4, `3,4 c` complex numbers.
"""

import dataclasses
from typing import Any, Callable

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
from jax import lax, nn


@dataclasses.dataclass
class Case:
    """A function to be differentiated."""

    name: str
    family: str
    function: Callable[..., Any]
    arguments: list[str]
    tolerance: float


CASES: list[Case] = []
FAMILY = ""


def family(name):
    """The family of the cases that follow."""
    global FAMILY
    FAMILY = name


def case(name, function, *arguments, tolerance=1.0):
    """Adds a case. `tolerance` is a factor of the bar."""
    CASES.append(Case(name, FAMILY, function, list(arguments), tolerance))


# --------------------------------------------------------------------------------------------------------------------------------
family("elementwise")
for name, function, kind in [
    ("exp", jnp.exp, "unit"), ("exp2", jnp.exp2, "unit"), ("expm1", jnp.expm1, "unit"), ("log", jnp.log, "pos"),
    ("log1p", jnp.log1p, "pos"), ("log2", jnp.log2, "pos"), ("sqrt", jnp.sqrt, "pos"), ("rsqrt", lax.rsqrt, "pos"),
    ("cbrt", jnp.cbrt, "pos"), ("sin", jnp.sin, ""), ("cos", jnp.cos, ""), ("tan", jnp.tan, "unit"),
    ("asin", jnp.arcsin, "unit"), ("acos", jnp.arccos, "unit"), ("atan", jnp.arctan, ""), ("sinh", jnp.sinh, "unit"),
    ("cosh", jnp.cosh, "unit"), ("tanh", jnp.tanh, ""), ("asinh", jnp.arcsinh, ""), ("acosh", lambda x: jnp.arccosh(x + 1), "pos"),
    ("atanh", jnp.arctanh, "unit"), ("logistic", nn.sigmoid, ""), ("softplus", nn.softplus, ""), ("abs", jnp.abs, ""),
    ("sign", lambda x: jnp.sign(x) * x, ""), ("square", jnp.square, ""), ("reciprocal", jnp.reciprocal, "pos"),
    ("floor", lambda x: jnp.floor(x * 3) * x, ""), ("round", lambda x: jnp.round(x * 3) * x, ""), ("integer_pow", lambda x: x**3 + x**-2, "pos"),
    ("erf", jsp.special.erf, ""), ("erfc", jsp.special.erfc, ""), ("erf_inv", jsp.special.erfinv, "unit"),
    ("gammaln", jsp.special.gammaln, "pos"), ("digamma", jsp.special.digamma, "pos"), ("relu", nn.relu, ""), ("gelu", nn.gelu, ""),
    ("gelu_erf", lambda x: nn.gelu(x, approximate=False), ""), ("silu", nn.silu, ""), ("elu", nn.elu, ""), ("selu", nn.selu, ""),
    ("leaky_relu", nn.leaky_relu, ""), ("hard_tanh", nn.hard_tanh, ""), ("mish", nn.mish, ""), ("relu6", lambda x: nn.relu6(x * 8), ""),
    ("sinc", jnp.sinc, "pos"), ("logit", lambda x: jsp.special.logit(x / 2), "pos"), ("nan_to_num", jnp.nan_to_num, ""),
    ("clip", lambda x: jnp.clip(x, -0.5, 0.5), ""), ("deg2rad", jnp.deg2rad, ""), ("reduce_precision", lambda x: lax.reduce_precision(x, 8, 10) * x, ""),
    ("cast", lambda x: x.astype(jnp.float32).astype(x.dtype) * x, ""),
]:
    case(name, function, f"3,5 {kind}", tolerance=1e3 if name in ("cast", "reduce_precision") else 1.0)
for name, function, kinds in [
    ("add", lambda x, y: x + y, ("", "")), ("subtract", lambda x, y: x - 2 * y, ("", "")), ("multiply", lambda x, y: x * y, ("", "")),
    ("divide", lambda x, y: x / y, ("", "pos")), ("power", lambda x, y: x**y, ("pos", "")), ("power_int", lambda x, y: x ** 2.5 * y, ("pos", "")),
    ("atan2", jnp.arctan2, ("", "pos")), ("maximum", jnp.maximum, ("", "")), ("minimum", jnp.minimum, ("", "")),
    ("where", lambda x, y: jnp.where(x > y, x * y, y), ("", "")), ("hypot", jnp.hypot, ("pos", "pos")), ("logaddexp", jnp.logaddexp, ("", "")),
    ("remainder", lambda x, y: lax.rem(x * 5, y), ("", "pos")), ("mod", lambda x, y: jnp.mod(x * 5, y), ("", "pos")),
    ("clamp", lambda x, y: lax.clamp(jnp.asarray(-0.5, x.dtype), x, y), ("", "pos")), ("xlogy", jsp.special.xlogy, ("", "pos")),
    ("fmax", jnp.fmax, ("", "")), ("zeta", lambda x, y: jsp.special.zeta(2.5, y) * x, ("", "pos")),
    ("polygamma", lambda x, y: jsp.special.polygamma(2, y) * x, ("", "pos")),
]:
    case(name, function, f"4,3 {kinds[0]}", f"4,3 {kinds[1]}")

family("broadcast")
case("rows", lambda x, y: x * y[None, :], "3,4", "4")
case("columns", lambda x, y: x * y[:, None], "3,4", "3")
case("scalar", lambda x, y: x * y + y, "3,4", "")
case("ones", lambda x, y: x * y, "3,1,4", "1,5,1")
case("outer", jnp.outer, "3", "4")
case("tile", lambda x: jnp.tile(x, (2, 3)), "2,3")
case("repeat", lambda x: jnp.repeat(x, 3, axis=1), "2,3")
case("broadcast_to", lambda x: jnp.broadcast_to(x[:, None, :], (2, 4, 3)), "2,3")
case("kron", jnp.kron, "2,3", "3,2")
case("meshgrid", lambda x, y: sum(a * (i + 1) for i, a in enumerate(jnp.meshgrid(x, y))), "3", "4")

family("movement")
case("reshape", lambda x: x.reshape(6, 4) * jnp.arange(24.0).reshape(6, 4), "2,3,4")
case("transpose", lambda x: x.transpose(2, 0, 1) ** 2, "2,3,4")
case("slice", lambda x: x[1:, ::2] ** 2, "3,5")
case("slice_negative", lambda x: x[::-1, 3:0:-2] ** 2, "3,5")
case("reverse", lambda x: jnp.flip(x, 1) * jnp.arange(5.0), "3,5")
case("concatenate", lambda x, y: jnp.concatenate([x, y, x], 1) ** 2, "2,3", "2,2")
case("stack", lambda x, y: jnp.stack([x, y, x * y], 1), "2,3", "2,3")
case("pad", lambda x: jnp.pad(x, ((1, 2), (0, 1))) ** 2, "2,3")
case("pad_interior", lambda x, v: lax.pad(x, v, [(1, -1, 2), (-1, 2, 1)]) ** 2, "3,4", "")
case("pad_edge", lambda x: jnp.pad(x, 2, mode="edge") ** 2, "3,4")
case("pad_reflect", lambda x: jnp.pad(x, 2, mode="reflect") ** 2, "3,4")
case("pad_wrap", lambda x: jnp.pad(x, 2, mode="wrap") ** 2, "3,4")
case("roll", lambda x: jnp.roll(x, 2, 1) * x, "3,5")
case("split", lambda x: sum((i + 1) * p for i, p in enumerate(jnp.split(x, 3, 1))), "2,6")
case("diag", lambda x: jnp.diag(x) ** 2, "4")
case("diagonal", lambda x: jnp.diagonal(x, 1) ** 2, "4,5")
case("trace", lambda x: jnp.trace(x @ x), "4,4")
case("tril", lambda x: jnp.tril(x) @ jnp.triu(x), "4,4")
case("rot90", lambda x: jnp.rot90(x) ** 2, "3,4")
case("squeeze", lambda x: jnp.squeeze(x, 1) ** 2, "3,1,4")
case("expand", lambda x: (x[:, None] - x[None]) ** 2, "4")
case("vander", lambda x: jnp.vander(x, 4), "3")
case("toeplitz", lambda x: jsp.linalg.toeplitz(x) ** 2, "4")
case("where_index", lambda x: x.at[1:3, ::2].get() ** 2, "4,5")

family("reduction")
for name, function, kind in [
    ("sum", lambda x: jnp.sum(x * x, 1), ""), ("sum_all", lambda x: jnp.sum(jnp.sin(x)), ""), ("mean", lambda x: jnp.mean(x, (0, 2)) ** 2, ""),
    ("max", lambda x: jnp.max(x, 1), ""), ("min", lambda x: jnp.min(x, (0, 2)), ""), ("prod", lambda x: jnp.prod(x, 2), ""),
    ("prod_zero", lambda x: jnp.prod(jnp.floor(x) * (x + 1) + x * 0, 2), ""), ("var", lambda x: jnp.var(x, 1), ""), ("std", lambda x: jnp.std(x, 2), ""),
    ("logsumexp", lambda x: jsp.special.logsumexp(x, 1), ""), ("softmax", lambda x: nn.softmax(x, 1), ""), ("log_softmax", lambda x: nn.log_softmax(x, 2), ""),
    ("norm", lambda x: jnp.linalg.norm(x, axis=2), ""), ("argmax_take", lambda x: jnp.take_along_axis(x, jnp.argmax(x, 2)[..., None], 2) ** 2, ""),
    ("max_ties", lambda x: jnp.max(jnp.round(x) + x * 0, 2), ""), ("ptp", lambda x: jnp.ptp(x, 1), ""), ("median", lambda x: jnp.median(x, 1), ""),
    ("average", lambda x: jnp.average(x, 1, weights=jnp.arange(3.0)), ""), ("nansum", lambda x: jnp.nansum(x * x, 1), ""), ("quantile", lambda x: jnp.quantile(x, 0.3, axis=2), ""),
    ("standardize", lambda x: nn.standardize(x, 2), ""), ("glu", lambda x: nn.glu(x, 2), ""),
]:
    case(name, function, f"2,3,4 {kind}")

family("cumulative")
for name, function in [("cumsum", jnp.cumsum), ("cumprod", jnp.cumprod), ("cummax", lax.cummax), ("cummin", lax.cummin), ("cumlogsumexp", lax.cumlogsumexp)]:
    case(name, lambda x, f=function: f(x, 1), "3,6 pos")
    case(name + "_0", lambda x, f=function: f(x, 0) * x, "5,2")
case("cumsum_reverse", lambda x: lax.cumsum(x, 0, reverse=True) ** 2, "7")
case("associative_scan", lambda x: lax.associative_scan(jnp.multiply, x) ** 2, "7,2")
case("diff", lambda x: jnp.diff(x, 2) ** 2, "3,6")
case("trapezoid", lambda x, y: jnp.trapezoid(x, y), "6", "6")
case("convolve", lambda x, y: jnp.convolve(x, y), "6", "3")
case("correlate", lambda x, y: jnp.correlate(x, y, mode="same"), "6", "3")

family("product")
case("matmul", lambda x, y: x @ y, "3,4", "4,5")
case("matvec", lambda x, y: x @ y, "3,4", "4")
case("dot", jnp.dot, "5", "5")
case("batched", lambda x, y: x @ y, "2,3,4", "2,4,5")
case("batched_shared", lambda x, y: x @ y, "2,3,4", "4,5")
case("einsum", lambda x, y: jnp.einsum("bij,kjb->bki", x, y), "2,3,4", "5,4,2")
case("einsum_two", lambda x, y: jnp.einsum("abcd,dbe->ac", x, y), "2,3,2,4", "4,3,2")
case("einsum_three", lambda x, y, z: jnp.einsum("ij,jk,kl->il", x, y, z), "2,3", "3,4", "4,2")
case("tensordot", lambda x, y: jnp.tensordot(x, y, ((0, 2), (1, 0))), "2,3,4", "4,2,3")
case("attention", lambda q, k, v: nn.softmax(q @ k.T / 2, -1) @ v, "5,4", "6,4", "6,4")
case("mlp", lambda x, w, b, u: jnp.tanh(x @ w + b) @ u, "3,4", "4,8", "8", "8,2")
case("layer_norm", lambda x, g, b: (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5) * g + b, "3,8", "8", "8")
case("quadratic", lambda x, y: x @ y @ x, "4", "4,4")
case("gram", lambda x: x.T @ x, "3,4")
case("matrix_power", lambda x: jnp.linalg.matrix_power(x, 3), "3,3")
case("vmapped", lambda x, y: jax.vmap(lambda a, b: jnp.sin(a @ b))(x, y), "3,2,4", "3,4,2")

family("convolution")


def conv(name, x, w, numbers=("NCHW", "OIHW", "NCHW"), stride=None, padding="SAME", **options):
    n = len(numbers[0]) - 2
    stride = stride or (1,) * n
    case(name, lambda a, b: lax.conv_general_dilated(a, b, stride, padding, dimension_numbers=numbers, **options), x, w)


conv("plain", "2,3,6,5", "4,3,3,3")
conv("valid", "2,3,6,5", "4,3,3,2", padding="VALID")
conv("strided", "2,3,7,6", "4,3,3,3", stride=(2, 3))
conv("strided_valid", "1,2,8,9", "3,2,3,2", stride=(3, 2), padding="VALID")
conv("kernel_dilated", "1,2,8,9", "3,2,3,2", rhs_dilation=(2, 3))
conv("input_dilated", "1,2,4,5", "3,2,3,2", lhs_dilation=(2, 3), padding=[(1, 2), (0, 3)])
conv("both_dilated", "1,2,4,5", "3,2,2,3", lhs_dilation=(3, 2), rhs_dilation=(2, 1), stride=(2, 2), padding=[(2, 1), (1, 4)])
conv("negative_padding", "1,2,6,7", "3,2,3,2", padding=[(-1, 1), (2, -2)])
conv("grouped", "2,4,5,5", "6,2,3,3", feature_group_count=2)
conv("depthwise", "2,4,5,5", "8,1,3,3", feature_group_count=4)
conv("batch_grouped", "4,3,5,5", "6,3,3,3", batch_group_count=2)
conv("grouped_strided", "2,4,7,6", "6,2,3,2", feature_group_count=2, stride=(2, 1), rhs_dilation=(1, 2))
conv("nhwc", "2,6,5,3", "3,3,3,4", numbers=("NHWC", "HWIO", "NHWC"))
conv("nhwc_strided", "2,7,6,3", "3,3,3,4", numbers=("NHWC", "HWIO", "NHWC"), stride=(2, 2))
conv("nhwc_depthwise", "1,6,5,4", "3,3,1,4", numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=4)
conv("mixed_layout", "6,2,5,3", "4,3,2,3", numbers=("HNWC", "OHWI", "CWNH"))
conv("one", "2,3,9", "4,3,3", numbers=("NCW", "OIW", "NCW"), stride=(2,))
conv("three", "1,2,4,3,5", "3,2,2,2,3", numbers=("NCDHW", "OIDHW", "NCDHW"), stride=(1, 2, 1))
conv("pointwise", "2,3,4,4", "5,3,1,1")
case("transposed", lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")), "1,4,3,2", "3,3,2,3")
case("conv_bias_relu", lambda x, w, b: nn.relu(lax.conv(x, w, (1, 1), "SAME") + b[:, None, None]), "1,2,5,5", "3,2,3,3", "3")

family("window")


def pool(x, window, stride, padding="VALID", init=-jnp.inf, by=lax.max, **options):
    return lax.reduce_window(x, np.array(init, x.dtype), by, window, stride, padding, **options)


case("max_pool", lambda x: pool(x, (1, 2, 2, 1), (1, 2, 2, 1)), "1,6,4,2")
case("max_pool_overlap", lambda x: pool(x, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"), "1,7,6,2")
case("min_pool", lambda x: pool(x, (2, 3), (1, 2), init=jnp.inf, by=lax.min), "5,7")
case("avg_pool", lambda x: pool(x, (1, 3, 2, 1), (1, 2, 2, 1), "SAME", 0.0, lax.add) / 6, "1,7,6,2")
case("sum_pool_dilated", lambda x: pool(x, (2, 3), (2, 1), [(1, 2), (0, 1)], 0.0, lax.add, window_dilation=(2, 1)), "6,7")
case("sum_pool_base", lambda x: pool(x, (2, 3), (2, 1), [(1, 2), (0, 1)], 0.0, lax.add, base_dilation=(2, 3)), "4,5")
case("sum_pool_negative", lambda x: pool(x, (2, 3), (1, 1), [(-1, 2), (0, -1)], 0.0, lax.add), "6,7")
case("max_pool_1d", lambda x: pool(x, (3,), (1,), "SAME"), "9")

family("places")
case("take", lambda x, i: x[i] ** 2, "5,3", "4 <5")
case("take_axis", lambda x, i: jnp.take(x, i, axis=1) ** 2, "3,5", "2,4 <5")
case("take_clip", lambda x, i: jnp.take(x, i + 2, axis=0, mode="clip") ** 2, "5,3", "4 <5")
case("take_wrap", lambda x, i: jnp.take(x, i + 2, axis=0, mode="wrap") ** 2, "5,3", "4 <5")
case("take_fill", lambda x, i: jnp.nan_to_num(jnp.take(x, i + 2, axis=0, mode="fill", fill_value=0.0)) ** 2, "5,3", "4 <5")
case("take_along", lambda x, i: jnp.take_along_axis(x, i, 1) ** 2, "3,5", "3,4 <5")
case("take_pairs", lambda x, i, j: x[i, j] ** 2, "4,5", "6 <4", "6 <5")
case("take_windows", lambda x, i: jax.vmap(lambda s: lax.dynamic_slice_in_dim(x, s, 2))(i) ** 2, "6,4", "3 <5")
case("take_mask", lambda x: jnp.sum(x[np.array([True, False, True])] ** 2), "3,4")
case("embedding", lambda x, w, i: jnp.tanh(x[i]) @ w, "7,4", "4,2", "3,2 <7")
case("dynamic_slice", lambda x, i: lax.dynamic_slice(x, (i[0], i[1]), (2, 3)) ** 2, "4,5", "2 <4")
case("dynamic_slice_twice", lambda x, i: lax.dynamic_slice(x, (i[0],), (3,)) * lax.dynamic_slice(x, (i[1],), (3,)), "7", "2 <6")
case("dynamic_update", lambda x, y, i: lax.dynamic_update_slice(x, y, (i[0], i[1])) ** 2, "4,5", "2,3", "2 <4")
case("at_add", lambda x, y, i: x.at[i].add(y) ** 2, "5,3", "4,3", "4 <5")
case("at_add_outside", lambda x, y, i: x.at[i + 2].add(y) ** 2, "5,3", "4,3", "4 <5")
case("at_set", lambda x, y, i: x.at[i].set(y) ** 2, "5,3", "4,3", "4 <5")
case("at_set_unique", lambda x, y: x.at[jnp.array([3, 0, 2])].set(y, unique_indices=True) ** 2, "5,3", "3,3")
case("at_mul", lambda x, y: x.at[jnp.array([3, 0, 2])].mul(y, unique_indices=True) ** 2, "5,3", "3,3")
case("at_max", lambda x, y, i: x.at[i].max(y) ** 2, "5,3", "4,3", "4 <5")
case("at_min", lambda x, y, i: x.at[i].min(y) ** 2, "5,3", "4,3", "4 <5")
case("at_slice", lambda x, y: x.at[1:3, ::2].set(y) ** 2, "4,5", "2,3")
case("at_apply", lambda x: x.at[1].multiply(3.0) ** 2, "4,5")
case("at_pairs", lambda x, y, i, j: x.at[i, j].add(y) ** 2, "4,5", "6", "6 <4", "6 <5")
case("segment_sum", lambda x, i: jax.ops.segment_sum(x, i, 4) ** 2, "7,2", "7 <4")
case("segment_max", lambda x, i: jnp.where(jnp.isfinite(jax.ops.segment_max(x, i, 4)), jax.ops.segment_max(x, i, 4), 0.0), "7,2", "7 <4")
case("batched_gather", lambda x, i: jax.vmap(lambda a, k: a[k])(x, i) ** 2, "3,5,2", "3,4 <5")
case("batched_scatter", lambda x, y, i: jax.vmap(lambda a, b, k: a.at[k].add(b))(x, y, i) ** 2, "3,5,2", "3,4,2", "3,4 <5")
case("one_hot", lambda x, i: nn.one_hot(i, 5, dtype=x.dtype) @ x, "5,3", "4 <5")
case("interp", lambda x, y: jnp.interp(x * 3, jnp.arange(6.0).astype(x.dtype), y), "5 pos", "6")
case("cross_entropy", lambda x, i: -jnp.take_along_axis(nn.log_softmax(x, -1), i[:, None], 1).mean(), "4,7", "4 <7")

family("ordering")
case("sort", lambda x: jnp.sort(x, 1) * jnp.arange(5.0), "3,5")
case("sort_0", lambda x: jnp.sort(x, 0) ** 2, "4,3")
case("sort_descending", lambda x: jnp.sort(x, descending=True) * jnp.arange(5.0), "3,5")
case("sort_key", lambda x, y: lax.sort((x, y), num_keys=1)[1] * jnp.arange(6.0), "6", "6")
case("sort_both", lambda x, y: jnp.stack(lax.sort((x, y), num_keys=1)) ** 2, "6", "6")
case("argsort", lambda x: x[jnp.argsort(x)] * jnp.arange(6.0), "6")
case("top_k", lambda x: lax.top_k(x, 3)[0] * jnp.arange(3.0), "2,7")
case("percentile", lambda x: jnp.percentile(x, jnp.array([20.0, 70.0])), "9")
case("searchsorted", lambda x, y: y[jnp.searchsorted(jnp.sort(x), x) % 4] * x, "6", "4")

family("complex")
case("complex", lambda x, y: jnp.abs(lax.complex(x, y) * (1 + 2j)), "4", "4")
case("parts", lambda z: jnp.real(z * z) + 3 * jnp.imag(z), "4 c")
case("holomorphic", lambda z: jnp.exp(z) * jnp.sin(z) / (z + 2), "4 c")
case("conjugate", lambda z: jnp.conj(z) * z * z, "4 c")
case("complex_product", lambda x, y: x @ y, "3,4 c", "4,2 c")
case("complex_abs", lambda z: jnp.abs(z) ** 1.5, "3,4 c")
case("angle", jnp.angle, "5 c")
case("complex_sqrt", lambda z: jnp.sqrt(z) * jnp.log(z), "5 c")
case("complex_tanh", lambda z: jnp.tanh(z) + z**3, "5 c")
case("fft", lambda z: jnp.fft.fft(z) * jnp.arange(6.0), "3,6 c")
case("ifft", lambda z: jnp.fft.ifft(z) * jnp.arange(6.0), "3,6 c")
case("rfft", lambda x: jnp.abs(jnp.fft.rfft(x)) ** 2, "3,6")
case("rfft_odd", lambda x: jnp.abs(jnp.fft.rfft(x)) ** 2, "3,7")
case("irfft", lambda z: jnp.fft.irfft(z) ** 2, "3,4 c")
case("irfft_odd", lambda z: jnp.fft.irfft(z, 7) ** 2, "3,4 c")
case("fft2", lambda x: jnp.abs(jnp.fft.fft2(x)) ** 2, "4,6")
case("rfft2", lambda x: jnp.abs(jnp.fft.rfft2(x)) ** 2, "4,6")
case("irfft2", lambda z: jnp.fft.irfft2(z) ** 2, "4,4 c")

family("loops")


def lstm(x, h, w, u, b):
    def step(state, x):
        h, c = state
        gates = x @ w + h @ u + b
        i, f, g, o = jnp.split(gates, 4, -1)
        c = nn.sigmoid(f) * c + nn.sigmoid(i) * jnp.tanh(g)
        h = nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    (h, c), all = lax.scan(step, (h, jnp.zeros_like(h)), x)
    return all, c


case("scan_sum", lambda x: lax.scan(lambda c, a: (c + a, c * a), jnp.zeros((), x.dtype), x), "6")
case("scan_tanh", lambda x, w: lax.scan(lambda c, a: (jnp.tanh(c @ w + a),) * 2, jnp.zeros(3, x.dtype), x), "5,3", "3,3")
case("scan_reverse", lambda x: lax.scan(lambda c, a: (c * a + 1, c), jnp.ones((), x.dtype), x, reverse=True), "6")
case("scan_length", lambda x: lax.scan(lambda c, _: (jnp.sin(c) * 1.1, c), x, None, length=5), "3")
case("scan_nested", lambda x, y: lax.scan(lambda c, a: (lax.scan(lambda d, b: (d * b + a, None), c, y)[0], c), jnp.ones((), x.dtype), x), "4", "3")
case("scan_two_carries", lambda x: lax.scan(lambda c, a: ((c[1], c[0] * a + c[1]), c[0]), (jnp.ones((), x.dtype), x[0]), x), "6")
case("scan_captured", lambda x, y: lax.scan(lambda c, a: (c + (a * y).sum(), c), jnp.zeros((), x.dtype), x), "4,3", "3")
case("scan_gather", lambda x, i: lax.scan(lambda c, k: (c * x[k], c), jnp.ones((), x.dtype), i), "5 pos", "6 <5")
case("scan_update", lambda x: lax.scan(lambda c, k: (c.at[k].set(c[k - 1] * 1.5 + c[k]), None), x, jnp.arange(1, 6))[0], "6")
case("scan_int_state", lambda x: lax.scan(lambda c, a: ((c[0] + 1, c[1] * a + c[0]), c[1]), (0, jnp.ones((), x.dtype)), x)[0][1], "6")
case("lstm", lstm, "5,2,3", "2,4", "3,16", "4,16", "16")
case("fori", lambda x: lax.fori_loop(0, 4, lambda i, c: jnp.cos(c) * (i + 1), x), "3")
case("fori_matrix", lambda x, y: lax.fori_loop(0, 3, lambda i, c: jnp.tanh(x @ c), y), "3,3", "3,2")
case("checkpoint", lambda x, w: lax.scan(jax.checkpoint(lambda c, a: (jnp.tanh(c @ w + a), c)), jnp.zeros(3, x.dtype), x), "5,3", "3,3")
case("unrolled", lambda x, w: lax.scan(lambda c, a: (jnp.tanh(c @ w + a), c), jnp.zeros(3, x.dtype), x, unroll=2), "5,3", "3,3")
case("newton", lambda x: lax.fori_loop(0, 5, lambda i, c: 0.5 * (c + x / c), x), "3 pos")
case("map", lambda x: lax.map(lambda a: jnp.sin(a) * a.sum(), x), "4,3")
case("rk4", lambda x: lax.fori_loop(0, 6, lambda i, c: c + 0.1 * jnp.stack([c[1], (1 - c[0] ** 2) * c[1] - c[0]]), x), "2")
case("scan_conv", lambda x, w: lax.scan(lambda c, _: (jnp.tanh(lax.conv(c, w, (1, 1), "SAME")), None), x, None, length=3)[0], "1,2,5,5", "2,2,3,3")

family("branches")
case("cond", lambda x, i: lax.cond(i[0] > 1, jnp.sin, lambda a: a**2, x), "4", "1 <4")
case("cond_captured", lambda x, y, i: lax.cond(i[0] > 1, lambda: x * y, lambda: x + jnp.exp(y)), "4", "4", "1 <4")
case("switch", lambda x, i: lax.switch(i[0], [jnp.sin, jnp.cos, lambda a: a**3, lambda a: a], x), "4", "1 <4")
case("cond_nested", lambda x, i: lax.cond(i[0] > 0, lambda a: lax.cond(i[0] > 2, jnp.sin, jnp.tanh, a) * a, jnp.exp, x), "4", "1 <4")
case("cond_in_scan", lambda x: lax.scan(lambda c, a: (lax.cond(a > 0, lambda: c * a, lambda: c - jnp.sin(a * c)), c), jnp.ones((), x.dtype), x), "7")
case("scan_in_cond", lambda x, i: lax.cond(i[0] > 1, lambda: lax.scan(lambda c, a: (c * a + 1, None), jnp.ones((), x.dtype), x)[0], lambda: x.sum()), "5", "1 <4")
case("cond_constant", lambda x, i: lax.cond(i[0] > 1, lambda a: a * 2, lambda a: jnp.ones_like(a), x), "4", "1 <4")
case("select_n", lambda x, y, i: lax.select_n(i, x, y, x * y), "4", "4", "4 <3")

family("linalg")
case("cholesky", lambda x: jnp.linalg.cholesky(x), "4,4 spd", tolerance=10)
case("cholesky_batch", lambda x: jnp.linalg.cholesky(x), "2,3,3 spd", tolerance=10)
case("triangular_solve", lambda a, b: jsp.linalg.solve_triangular(a, b, lower=True), "4,4 tri", "4,2", tolerance=10)
case("triangular_upper", lambda a, b: jsp.linalg.solve_triangular(a, b, trans="T"), "4,4 tri", "4,2", tolerance=10)
case("triangular_unit", lambda a, b: jsp.linalg.solve_triangular(a, b, lower=True, unit_diagonal=True), "4,4 tri", "4,2", tolerance=10)
case("triangular_right", lambda a, b: lax.linalg.triangular_solve(a, b, lower=True, transpose_a=True), "4,4 tri", "2,4", tolerance=10)
case("cho_solve", lambda a, b: jsp.linalg.cho_solve((jnp.linalg.cholesky(a), True), b), "4,4 spd", "4", tolerance=10)
# Of a matrix that is not made symmetric JAX's cotangent is one of symmetric changes only; ours is that of the triangle that is read.
case("gaussian", lambda a, b: b @ jsp.linalg.cho_solve(jsp.linalg.cho_factor((a + a.T) / 2, lower=True), b), "4,4 spd", "4", tolerance=10)
case("cholesky_complex", lambda z: jnp.linalg.cholesky(z @ jnp.conj(z).T + 4 * jnp.eye(3)), "3,3 c", tolerance=10)

# Signs of vectors are free: what is compared does not depend on them.
def size(z):
    return jnp.real(z * jnp.conj(z))


case("eigh", lambda x: [jnp.linalg.eigh(x)[0], size(jnp.linalg.eigh(x)[1])], "4,4", tolerance=100)
case("eigh_batch", lambda x: size(jnp.linalg.eigh(x)[1]), "2,3,3", tolerance=100)
case("eigh_complex", lambda z: [jnp.linalg.eigh(z)[0], size(jnp.linalg.eigh(z)[1])], "3,3 c", tolerance=100)
case("eigvalsh", lambda x: jnp.linalg.eigvalsh(x), "4,4", tolerance=10)
case("svd", lambda x: [f(y) for f, y in zip((size, jnp.sin, size), jnp.linalg.svd(x, full_matrices=False))], "4,4 tri", tolerance=100)
case("svd_tall", lambda x: [f(y) for f, y in zip((size, jnp.sin, size), jnp.linalg.svd(x, full_matrices=False))], "5,3", tolerance=100)
case("svd_wide", lambda x: [f(y) for f, y in zip((size, jnp.sin, size), jnp.linalg.svd(x, full_matrices=False))], "2,3,4", tolerance=100)
case("svd_complex", lambda z: [f(y) for f, y in zip((size, jnp.sin, size), jnp.linalg.svd(z, full_matrices=False))], "4,3 c", tolerance=100)
case("svdvals", lambda x: jnp.linalg.svd(x, compute_uv=False), "5,3", tolerance=10)
case("nuclear_norm", lambda x: jnp.linalg.norm(x, "nuc"), "4,3", tolerance=10)
case("pinv", lambda x: jnp.linalg.pinv(x), "4,3", tolerance=100)
case("lu", lambda x: lax.linalg.lu(x)[0], "4,4", tolerance=100)
case("lu_batch_tall", lambda x: lax.linalg.lu(x)[0], "2,5,3", tolerance=100)
case("lu_wide", lambda x: lax.linalg.lu(x)[0], "3,5", tolerance=100)
case("lu_complex", lambda z: lax.linalg.lu(z)[0], "3,3 c", tolerance=100)
case("solve", jnp.linalg.solve, "4,4 tri", "4,2", tolerance=10)
case("inverse", jnp.linalg.inv, "4,4 tri", tolerance=10)
case("determinant", jnp.linalg.det, "4,4", tolerance=10)
case("slogdet", lambda x: jnp.linalg.slogdet(x)[1], "4,4", tolerance=10)
case("qr", lambda x: jnp.linalg.qr(x), "4,4", tolerance=100)
case("qr_batch_tall", lambda x: jnp.linalg.qr(x), "2,5,3", tolerance=100)
case("qr_complex", lambda z: jnp.linalg.qr(z), "4,3 c", tolerance=100)
case("qr_upper", lambda x: jnp.linalg.qr(x, mode="r"), "5,3", tolerance=100)
case("lstsq", lambda a, b: jnp.linalg.lstsq(a, b)[0], "5,3", "5,2", tolerance=100)
