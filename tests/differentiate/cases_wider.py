"""More functions, of what is less usual: other dimension numbers, other modes, functions that bring a rule of their own, control flow in control flow.

They belong to the cases of `cases.py`, and are written in the same way.
"""

import functools

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
from jax import lax, nn

from cases import case, family

# --------------------------------------------------------------------------------------------------------------------------------
family("wider elementwise")
for name, function, kind in [
    ("i0", jsp.special.i0, ""), ("i0e", jsp.special.i0e, ""), ("i1", jsp.special.i1, ""), ("i1e", jsp.special.i1e, ""),
    ("ndtr", jsp.special.ndtr, ""), ("log_ndtr", jsp.special.log_ndtr, ""), ("ndtri", lambda x: jsp.special.ndtri(x / 2), "pos"),
    ("entr", jsp.special.entr, "pos"), ("expit", jsp.special.expit, ""), ("gamma", jsp.special.gamma, "pos"),
    ("factorial", jsp.special.factorial, "pos"), ("exp2_log2", lambda x: jnp.exp2(x) * jnp.log10(x), "pos"), ("float_power", lambda x: jnp.float_power(x, 1.7), "pos"),
    ("heaviside", lambda x: jnp.heaviside(x, 0.5) * x, ""), ("nextafter_free", lambda x: jnp.copysign(x, -x * x - 1) * x, ""),
    ("frac", lambda x: x - jnp.trunc(x) + jnp.rint(x) * x, ""), ("squareplus", nn.squareplus, ""),
    ("celu", nn.celu, ""), ("hard_sigmoid", lambda x: nn.hard_sigmoid(4 * x), ""), ("hard_silu", lambda x: nn.hard_silu(4 * x), ""),
    ("log_sigmoid", nn.log_sigmoid, ""), ("soft_sign", nn.soft_sign, ""), ("sparse_plus", nn.sparse_plus, ""), ("relu_large", lambda x: nn.relu(x) ** 3, ""),
    ("cosine_large", lambda x: jnp.cos(100 * x) + jnp.sin(50 * x), ""), ("power_of_self", lambda x: x**x, "pos"), ("power_zero", lambda x: x**0 + x**1 + x**2 + x**5, ""),
    ("integer_power_negative", lambda x: x**-3, "pos"), ("abs_of_power", lambda x: jnp.abs(x) ** 2.5, ""), ("log_abs", lambda x: jnp.log(jnp.abs(x)), "pos"),
    ("nested_where", lambda x: jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1.0)), 0.0), ""), ("select", lambda x: jnp.select([x > 1, x > 0], [x**2, jnp.sin(x)], -x), ""),
    ("piecewise", lambda x: jnp.piecewise(x, [x < -1, x < 1], [lambda v: v**2, jnp.sin, jnp.exp]), ""), ("unwrap", lambda x: jnp.unwrap(3 * x), ""),
    ("bessel", lambda x: jsp.special.bessel_jn(x, v=2)[1], "pos"), ("sinh_large", lambda x: jnp.arcsinh(1e3 * x), ""), ("cos_pi", lambda x: jnp.cos(jnp.pi * x), ""),
    ("to_half", lambda x: x.astype(jnp.bfloat16).astype(x.dtype) * x, ""), ("exp_of_exp", lambda x: jnp.exp(-jnp.exp(x)), ""),
    ("kl_div", lambda x: jsp.special.kl_div(x, x + 1), "pos"), ("rel_entr", lambda x: jsp.special.rel_entr(x, 2 * x + 1), "pos"),
    ("tetragamma", lambda x: jsp.special.polygamma(1, x), "pos"),
    ("lambda_rational", lambda x: (x**3 + 2 * x) / (x**2 + 1), ""), ("sigmoid_ce", lambda x: jnp.maximum(x, 0) - x * 0.3 + jnp.log1p(jnp.exp(-jnp.abs(x))), ""),
]:
    tolerance = 1e5 if name == "to_half" else 1.0
    case(name, function, f"3,4 {kind}", tolerance=tolerance)
for name, function, kinds in [
    ("beta", jsp.special.beta, ("pos", "pos")), ("betaln", jsp.special.betaln, ("pos", "pos")), 
    
    ("logaddexp2", jnp.logaddexp2, ("", "")), ("xlog1py", jsp.special.xlog1py, ("", "pos")),
    ("multigammaln", lambda x, y: jsp.special.multigammaln(x + 2, 2) * y, ("pos", "")), ("divmod", lambda x, y: jnp.divmod(x * 4, y)[1], ("", "pos")),
    ("floor_divide", lambda x, y: jnp.floor_divide(x * 4, y) * x, ("", "pos")), ("fmod", lambda x, y: jnp.fmod(x * 4, y), ("", "pos")), ("fmin", jnp.fmin, ("", "")),
    ("power_both", lambda x, y: jnp.power(x, y) + jnp.power(y, x), ("pos", "pos")), ("atan2_both", lambda x, y: jnp.arctan2(y, x), ("", "")),
    ("cross", lambda x, y: jnp.cross(x[:, :3], y[:, :3]), ("", "")), ("huber", lambda x, y: jnp.where(jnp.abs(x - y) < 1, 0.5 * (x - y) ** 2, jnp.abs(x - y) - 0.5), ("", "")),
    ("cosine", lambda x, y: (x * y).sum(1) / (jnp.linalg.norm(x, axis=1) * jnp.linalg.norm(y, axis=1)), ("", "")), ("maximum_ties", lambda x, y: jnp.maximum(jnp.round(x), jnp.round(x) + 0 * y), ("", "")),
    ("clamp_all", lambda x, y: lax.clamp(jnp.minimum(x, y) - 0.1, x * y, jnp.maximum(x, y) + 0.1), ("", "")), ("sph", lambda x, y: jnp.sin(x) * jnp.cos(y), ("", "")),
]:
    case(name, function, f"4,4 {kinds[0]}", f"4,4 {kinds[1]}")

# Functions that have an end or a pole at zero, of what is selected by a mask, and selected themselves.
family("masks and ends")
for name, function in [
    ("sqrt", jnp.sqrt), ("rsqrt", lax.rsqrt), ("cbrt", jnp.cbrt), ("log", jnp.log), ("log1p", jnp.log1p), ("reciprocal", jnp.reciprocal),
    ("arcsin", jnp.arcsin), ("arccosh", jnp.arccosh), ("arctanh", jnp.arctanh), ("lgamma", lax.lgamma), ("digamma", lax.digamma),
    ("power", lambda x: x**0.3), ("inverse_square", lambda x: x**-2), ("self_power", lambda x: x**x), ("entropy", lambda x: x * jnp.log(x)),
    ("cosine_root", lambda x: jnp.sqrt(1 - x * x)), ("essential", lambda x: jnp.exp(1 / x)), ("tan", jnp.tan), ("sinc", lambda x: jnp.sin(x) / x),
]:
    for form, whole in [
        ("selected", lambda x, f=function: jnp.where(x > 0, f(x), 0.0)), ("of_selected", lambda x, f=function: f(jnp.where(x > 0, x, 1.0))),
        ("of_zero", lambda x, f=function: f(jnp.where(x > 0, x, 0.0))), ("twice", lambda x, f=function: jnp.where(x > 0, f(jnp.where(x > 0, x, 1.0)), 0.0)),
        ("of_relu", lambda x, f=function: f(nn.relu(x))),
    ]:
        case(f"{name}_{form}", whole, "3,4")

family("wider movement")
case("reshape_transpose", lambda x: x.reshape(2, 6, 2).transpose(2, 0, 1).reshape(3, 8) ** 2, "4,6")
case("moveaxis", lambda x: jnp.moveaxis(x, 0, 2) ** 2 + jnp.swapaxes(x, 0, 1).transpose(0, 2, 1), "2,3,4")
case("block", lambda x, y: jnp.block([[x, y], [y.T, x.T @ x]]) ** 2, "3,3", "3,3")
case("hstack", lambda x, y: jnp.hstack([x, y]) @ jnp.vstack([x.T, y.T]), "3,2", "3,4")
case("dstack", lambda x, y: jnp.dstack([x, y]) ** 2, "3,2", "3,2")
case("column_stack", lambda x, y: jnp.column_stack([x, y]) ** 2, "3", "3")
case("tri_indices", lambda x: x[jnp.triu_indices(4)] ** 2, "4,4")
case("diag_indices", lambda x: x.at[jnp.diag_indices(4)].add(2.0) ** 2, "4,4")
case("fill_diagonal", lambda x: jnp.fill_diagonal(x, 3.0, inplace=False) ** 2, "4,4")
case("diagflat", lambda x: jnp.diagflat(x, 1) @ jnp.ones((7, 2), x.dtype), "2,3")
case("block_diag", lambda x, y: jsp.linalg.block_diag(x, y) ** 2, "2,3", "3,2")
case("hankel_like", lambda x: x[jnp.arange(3)[:, None] + jnp.arange(4)[None]] ** 2, "6")
case("frames", lambda x: jnp.stack([x[i : i + 3] for i in range(0, 7, 2)]) * jnp.hanning(3), "9")
case("pad_symmetric", lambda x: jnp.pad(x, ((2, 1), (0, 3)), mode="symmetric") ** 2, "3,4")
case("pad_linear", lambda x: jnp.pad(x, 2, mode="linear_ramp", end_values=1.0) ** 2, "3,4")
case("pad_mean", lambda x: jnp.pad(x, 1, mode="mean") ** 2, "3,4")
case("pad_maximum", lambda x: jnp.pad(x, 1, mode="maximum") ** 2, "3,4")
case("pad_crop", lambda x: lax.pad(x, jnp.zeros((), x.dtype), [(-1, -1, 0), (2, -1, 0)]) ** 2, "4,5")
case("delete", lambda x: jnp.delete(x, 1, axis=0) ** 2, "4,3")
case("insert", lambda x, y: jnp.insert(x, 1, y, axis=0) ** 2, "4,3", "3")
case("append", lambda x, y: jnp.append(x, y) ** 2, "4", "2,3")
case("array_split", lambda x: sum(p.sum() ** (i + 1) for i, p in enumerate(jnp.array_split(x, 3))), "7,2")
case("roll_two", lambda x: jnp.roll(x, (1, -2), (0, 1)) * x, "3,5")
case("rot90_three", lambda x: jnp.rot90(x, 3, (1, 2)) ** 2, "2,3,4")
case("flip_all", lambda x: jnp.flip(x) * x, "3,4")
case("broadcast_middle", lambda x: lax.broadcast_in_dim(x, (3, 2, 4, 2), (0, 2)) * jnp.arange(48.0).reshape(3, 2, 4, 2), "3,4")
case("broadcast_ones", lambda x: jnp.broadcast_to(x, (2, 3, 4)) ** 2, "1,3,1")
case("ravel_index", lambda x: x.ravel()[::3] ** 2, "3,4")
case("squeeze_all", lambda x: jnp.squeeze(x) @ jnp.squeeze(x).T, "1,3,1,4")
case("empty", lambda x, y: jnp.concatenate([x, y], 0).sum(0) * y.sum(), "0,3", "2,3")
case("empty_product", lambda x, y: x @ y, "3,0", "0,2")
case("empty_reduce", lambda x, y: (x**2).sum(0) + y, "0,3", "3")
case("size_one", lambda x: (x * x[0]).sum() + x[:, 0], "1,1")
case("scalar", lambda x: jnp.sin(x) * x, "")
case("repeat_list", lambda x: jnp.repeat(x, np.array([2, 0, 3]), axis=0) ** 2, "3,2")
case("resize", lambda x: jnp.resize(x, (5, 3)) ** 2, "2,4")
case("image_resize", lambda x: jax.image.resize(x, (5, 7), "bilinear"), "3,4")
case("image_cubic", lambda x: jax.image.resize(x, (5, 2), "cubic"), "3,4")
case("image_nearest", lambda x: jax.image.resize(x, (6, 8), "nearest") ** 2, "3,4")
case("map_coordinates", lambda x, y: jsp.ndimage.map_coordinates(x, [y * 2, y], order=1), "4,5", "6 pos")
case("pixel_shuffle", lambda x: x.reshape(2, 3, 4, 2, 2).transpose(0, 3, 1, 4, 2).reshape(4, 6, 4) ** 2, "2,3,16")
case("windows_of_patches", lambda x: lax.conv_general_dilated_patches(x, (2, 2), (1, 1), "VALID") ** 2, "1,2,4,5")

family("wider reduction")
for name, function, kind in [
    ("norm_l1", lambda x: jnp.linalg.norm(x, 1, axis=1), ""), ("norm_inf", lambda x: jnp.linalg.norm(x, jnp.inf, axis=2), ""), ("norm_3", lambda x: jnp.linalg.norm(x, 3, axis=2), ""),
    ("norm_fro", lambda x: jnp.linalg.norm(x, axis=(1, 2)), ""), ("logsumexp_weights", lambda x: jsp.special.logsumexp(x, 1, b=jnp.arange(1.0, 4.0)[:, None]), ""),
    ("logmeanexp", lambda x: jsp.special.logsumexp(x) - jnp.log(24.0), ""), ("all_max", lambda x: jnp.max(x) * x, ""), ("max_where", lambda x: jnp.max(x, 2, where=x > 0, initial=-1.0), ""),
    ("sum_where", lambda x: jnp.sum(x * x, 1, where=x > 0), ""), ("mean_where", lambda x: jnp.mean(x, 2, where=jnp.abs(x) < 5), ""), ("min_initial", lambda x: jnp.min(x, 1, initial=0.2), ""),
    ("prod_initial", lambda x: jnp.prod(x, 1, initial=3.0), ""), ("prod_all", lambda x: jnp.prod(x), "pos"), ("nanmax", lambda x: jnp.nanmax(x, 1), ""), ("nanmean", lambda x: jnp.nanmean(x * x, (0, 1)), ""),
    ("nanvar", lambda x: jnp.nanvar(x, 1), ""), ("nanprod", lambda x: jnp.nanprod(x, 2), "pos"), ("var_ddof", lambda x: jnp.var(x, (0, 1), ddof=1), ""), ("cov", lambda x: jnp.cov(x.reshape(6, 4)), ""),
    ("corrcoef", lambda x: jnp.corrcoef(x.reshape(6, 4)), ""), ("softmax_where", lambda x: nn.softmax(x, 2, where=jnp.arange(4) < 3), ""), ("log_softmax_0", lambda x: nn.log_softmax(x, 0), ""),
    ("nanmedian", lambda x: jnp.nanmedian(x, 2), ""), ("quantile_many", lambda x: jnp.quantile(x, jnp.array([0.1, 0.5]), axis=2, method="midpoint"), ""),
    ("quantile_nearest", lambda x: jnp.quantile(x, 0.4, axis=1, method="nearest"), ""), ("argmin_take", lambda x: x[0, 0, jnp.argmin(x[0, 0])] ** 2, ""), ("center", lambda x: x - x.mean((0, 2), keepdims=True), ""),
    ("rms", lambda x: x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6), ""), ("group_norm", lambda x: nn.standardize(x.reshape(2, 3, 2, 2), (1, 3)).reshape(2, 3, 4), ""),
    ("batch_norm", lambda x: (x - x.mean((0, 1))) / jnp.sqrt(x.var((0, 1)) + 1e-5), ""), ("focal", lambda x: ((1 - nn.softmax(x, 2)) ** 2 * nn.log_softmax(x, 2)).sum(2), ""),
    ("entropy", lambda x: -(nn.softmax(x) * nn.log_softmax(x)).sum(-1), ""), ("sum_of_three", lambda x: jnp.einsum("abc->b", x) ** 2, ""), ("logsumexp_sign", lambda x: jsp.special.logsumexp(x, 1, b=-jnp.ones(()), return_sign=True)[0], ""),
    ("count", lambda x: jnp.sum(x > 0) * x, ""), ("weighted", lambda x: jnp.average(x, 2, weights=jnp.abs(x) + 1), ""), ("max_pair", lambda x: jnp.max(x, (0, 1)) - jnp.min(x, (1, 2)).sum(), ""),
]:
    case(name, function, f"2,3,4 {kind}")
case("reduce_custom", lambda x: lax.reduce(x, np.array(0.0, x.dtype), lambda a, b: a * b + a + b, (1,)), "2,4 pos")
case("reduce_or", lambda x: jnp.where(jnp.any(x > 1, 1, keepdims=True), x, x**2), "3,4")
case("reduce_pairs", lambda x, y: lax.reduce((x, y), (np.array(-np.inf, x.dtype), np.array(0, x.dtype)), lambda a, b: (jnp.maximum(a[0], b[0]), jnp.where(a[0] >= b[0], a[1], b[1])), (1,)), "3,4", "3,4")
case("reduce_welford", lambda x: lax.reduce((x, x * x), (np.zeros((), x.dtype),) * 2, lambda a, b: (a[0] + b[0], a[1] + b[1]), (1,)), "3,4")

family("wider cumulative")
case("cummax_ties", lambda x: lax.cummax(jnp.round(x * 2) + 0 * x, 0), "8")
case("cumprod_zero", lambda x: jnp.cumprod(jnp.where(jnp.arange(6) == 2, 0.0, 1.0) * x, 0), "6 pos")
case("cumprod_reverse", lambda x: lax.cumprod(x, 1, reverse=True), "3,5 pos")
case("cummin_reverse", lambda x: lax.cummin(x, 1, reverse=True), "3,5")
case("cumlogsumexp_reverse", lambda x: lax.cumlogsumexp(x, 0, reverse=True), "5,3")
case("cumsum_all", lambda x: jnp.cumsum(x) ** 2, "3,4")
case("nancumsum", lambda x: jnp.nancumsum(x * x, 1), "3,4")
case("associative_max", lambda x: lax.associative_scan(jnp.maximum, x, axis=1), "3,7")
case("associative_pair", lambda a, b: lax.associative_scan(lambda x, y: (x[0] * y[0], x[1] * y[0] + y[1]), (a, b))[1], "9 pos", "9")
case("associative_reverse", lambda x: lax.associative_scan(jnp.matmul, x, reverse=True), "5,2,2")
case("gradient", lambda x: jnp.gradient(x, axis=1) ** 2, "3,6")
case("ediff", lambda x: jnp.ediff1d(x) ** 2, "6")
case("convolve_full", lambda x, y: jnp.convolve(x, y, mode="valid") ** 2, "4", "7")
case("convolve2d", lambda x, y: jsp.signal.convolve2d(x, y, mode="same"), "4,5", "3,3")
case("correlate2d", lambda x, y: jsp.signal.correlate2d(x, y, mode="full"), "4,5", "3,2")
case("fftconvolve", lambda x, y: jsp.signal.fftconvolve(x, y), "6", "4")
case("polyval", jnp.polyval, "4", "5")
case("polymul", lambda x, y: jnp.polymul(x, y), "4", "3")
case("polyfit", lambda y: jnp.polyfit(jnp.arange(6.0), y, 2), "6", tolerance=100)
case("moving_average", lambda x: (jnp.cumsum(x)[3:] - jnp.cumsum(x)[:-3]) / 3, "9")

family("wider product")
case("general", lambda x, y: lax.dot_general(x, y, (((1, 3), (2, 0)), ((0,), (1,)))), "2,3,4,5", "5,2,3,2")
case("general_order", lambda x, y: lax.dot_general(x, y, (((2, 0), (1, 2)), ((), ()))), "3,2,4", "5,4,3")
case("outer_batch", lambda x, y: lax.dot_general(x, y, (((), ()), ((0,), (0,)))), "3,4", "3,2")
case("all_contract", lambda x, y: jnp.einsum("abc,abc->", x, y), "2,3,4", "2,3,4")
case("hadamard", lambda x, y: jnp.einsum("ab,ab->ab", x, y), "2,3", "2,3")
case("trace_einsum", lambda x: jnp.einsum("ii->", x) + jnp.einsum("ij->i", x).sum() ** 2, "4,4")
case("diagonal_einsum", lambda x, y: jnp.einsum("bii,bi->b", x, y), "2,3,3", "2,3")
case("bilinear", lambda x, w, y: jnp.einsum("bi,ijk,bj->bk", x, w, y), "3,2", "2,4,5", "3,4")
case("mixed_type", lambda x, y: lax.dot_general(x.astype(jnp.float32), y.astype(jnp.float32), (((1,), (0,)), ((), ())), preferred_element_type=x.dtype) * 1.0, "3,4", "4,2", tolerance=1e4)
case("self_product", lambda x: x @ x.T @ x, "3,4")
case("power_iteration", lambda x, v: (lambda u: u / jnp.linalg.norm(u))(x @ (x @ v)), "4,4", "4")
case("matrix_chain", lambda a, b, c, d: jnp.linalg.multi_dot([a, b, c, d]), "2,3", "3,4", "4,2", "2,5")
case("vdot", jnp.vdot, "2,3", "2,3")
case("inner", jnp.inner, "2,3", "4,3")
case("multi_head", lambda x, w, u: jnp.einsum("bhqk,bkhd->bqhd", nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", x, w)), u), "2,3,2,4", "2,5,2,4", "2,5,2,4")
case("causal", lambda q, k, v: nn.dot_product_attention(q, k, v, is_causal=True), "1,5,2,4", "1,5,2,4", "1,5,2,4", tolerance=1e3)
case("grouped_query", lambda q, k, v: nn.dot_product_attention(q, k, v), "1,5,4,3", "1,5,2,3", "1,5,2,3", tolerance=1e3)
case("rotary", lambda x: jnp.concatenate([x[..., :2] * jnp.cos(jnp.arange(4.0))[:, None] - x[..., 2:] * jnp.sin(jnp.arange(4.0))[:, None], x[..., 2:] * 2], -1) @ x.T, "4,4")
case("moe", lambda x, g, w: jnp.einsum("be,beo->bo", nn.softmax(x @ g), jnp.einsum("bi,eio->beo", x, w)), "3,4", "4,2", "2,4,5")
case("low_rank", lambda x, a, b: x + x @ a @ b, "3,4", "4,2", "2,4")
case("complex_mixed", lambda x, z: jnp.abs((x + 0j) @ z), "3,4", "4,2 c")
case("batched_vec", lambda x, y: jnp.vectorize(jnp.dot, signature="(n),(n)->()")(x, y), "3,4", "2,3,4")

family("wider convolution")


def conv(name, x, w, numbers=("NCHW", "OIHW", "NCHW"), stride=None, padding="SAME", **options):
    n = len(numbers[0]) - 2
    stride = stride or (1,) * n
    case(name, lambda a, b: lax.conv_general_dilated(a, b, stride, padding, dimension_numbers=numbers, **options), x, w)


conv("grouped_dilated", "2,4,9,8", "6,2,3,2", feature_group_count=2, rhs_dilation=(2, 3), stride=(2, 1))
conv("grouped_input_dilated", "2,4,4,3", "6,2,3,2", feature_group_count=2, lhs_dilation=(2, 3), padding=[(1, 1), (2, 0)])
conv("depthwise_strided", "2,3,9,7", "6,1,3,3", feature_group_count=3, stride=(2, 2))
conv("batch_grouped_strided", "4,3,7,6", "6,3,3,2", batch_group_count=2, stride=(2, 1))
conv("batch_grouped_dilated", "6,2,5,6", "6,2,2,3", batch_group_count=3, rhs_dilation=(2, 1), padding=[(1, 0), (0, 2)])
conv("stride_beyond_window", "1,2,9,11", "3,2,2,2", stride=(3, 4), padding="VALID")
conv("window_beyond_operand", "1,2,3,4", "3,2,5,6", padding=[(3, 3), (2, 4)])
conv("padding_beyond_window", "1,2,3,4", "3,2,2,2", padding=[(4, 3), (5, 2)])
conv("negative_both", "1,2,8,9", "3,2,3,2", padding=[(-2, -1), (-1, -3)], stride=(2, 1))
conv("negative_dilated", "1,2,5,6", "3,2,3,2", padding=[(-2, 1), (3, -3)], lhs_dilation=(2, 2), rhs_dilation=(1, 2))
conv("one_dilated", "2,3,11", "4,3,3", numbers=("NCW", "OIW", "NCW"), rhs_dilation=(3,), padding="VALID")
conv("one_causal", "2,9,3", "4,3,5", numbers=("NWC", "WIO", "NWC"), padding=[(3, 0)])
conv("three_strided", "1,5,4,6,2", "2,3,2,2,3", numbers=("NDHWC", "DHWIO", "NDHWC"), stride=(2, 1, 2))
conv("none", "3,4", "5,4", numbers=("NC", "OI", "NC"), stride=(), padding=[])
conv("channels_first_to_last", "2,3,5,6", "3,3,3,4", numbers=("NCHW", "HWIO", "NHWC"), stride=(2, 1))
conv("hwnc", "5,6,2,3", "4,3,2,2", numbers=("HWNC", "OIHW", "CHWN"))
conv("one_by_one_strided", "2,3,7,7", "5,3,1,1", stride=(2, 2), padding="VALID")
conv("full", "1,1,4,4", "1,1,3,3", padding=[(2, 2), (2, 2)])
case("transposed_dilated", lambda x, w: lax.conv_transpose(x, w, (3, 2), "VALID", rhs_dilation=(2, 1), dimension_numbers=("NHWC", "HWIO", "NHWC")), "1,4,3,2", "3,2,2,3")
case("transposed_kernel", lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), transpose_kernel=True), "1,4,3,3", "3,3,2,3")
case("local", lambda x, w: lax.conv_general_dilated_local(x, w, (1, 1), "VALID", (2, 2)), "1,2,4,5", "3,8,3,4")
case("conv_complex", lambda x, w: jnp.abs(lax.conv(x, w, (1, 1), "SAME")), "1,2,4,5 c", "3,2,3,3 c")
case("conv_twice", lambda x, w, u: lax.conv(nn.gelu(lax.conv(x, w, (1, 1), "SAME")), u, (2, 2), "SAME"), "1,2,6,6", "3,2,3,3", "2,3,2,2")
case("conv_shared", lambda x: lax.conv(x, x[:, :, :2, :2], (1, 1), "VALID"), "2,2,5,5")
case("squeeze_excite", lambda x, w, u: x * nn.sigmoid(nn.relu(x.mean((1, 2)) @ w) @ u)[:, None, None], "2,3,4,6", "6,2", "2,6")
case("conv_batch_norm", lambda x, w, g: (lambda y: g * (y - y.mean((0, 2, 3), keepdims=True)) * lax.rsqrt(y.var((0, 2, 3), keepdims=True) + 1e-5))(lax.conv(x, w, (1, 1), "SAME")), "2,2,4,4", "3,2,3,3", "3,1,1")

family("wider window")


def pool(x, window, stride, padding="VALID", init=-jnp.inf, by=lax.max, **options):
    return lax.reduce_window(x, np.array(init, x.dtype), by, window, stride, padding, **options)


case("max_pool_padded", lambda x: pool(x, (3, 3), (2, 2), [(1, 1), (2, 1)]), "6,7")
case("min_pool_overlap", lambda x: pool(x, (1, 3, 3, 1), (1, 1, 1, 1), "SAME", jnp.inf, lax.min), "1,5,6,2")
case("avg_pool_counts", lambda x: pool(x, (1, 3, 3, 1), (1, 2, 2, 1), "SAME", 0.0, lax.add) / pool(jnp.ones_like(x), (1, 3, 3, 1), (1, 2, 2, 1), "SAME", 0.0, lax.add), "1,7,6,2")
case("lp_pool", lambda x: pool(x**3, (2, 2), (2, 2), "VALID", 0.0, lax.add) ** (1 / 3), "4,6 pos")
case("global_max", lambda x: pool(x, (4, 5), (1, 1)), "4,5")
case("max_pool_3d", lambda x: pool(x, (2, 2, 2), (1, 2, 1), "SAME"), "3,4,5")
case("unpooled", lambda x: jnp.repeat(jnp.repeat(pool(x, (2, 2), (2, 2)), 2, 0), 2, 1) * x, "4,6")
case("blur", lambda x: lax.conv(x[None, None], jnp.ones((1, 1, 3, 3), x.dtype) / 9, (1, 1), "SAME")[0, 0] ** 2, "5,6")
case("max_pool_ties", lambda x: pool(jnp.round(x) + 0 * x, (2, 2), (2, 2)), "4,6")
case("local_response", lambda x: x / (1 + pool(x * x, (1, 3), (1, 1), "SAME", 0.0, lax.add)) ** 0.75, "3,6")

family("wider places")
case("gather_windows", lambda x, i: lax.gather(x, i, lax.GatherDimensionNumbers((1, 2), (), (0, 1)), (2, 3)) ** 2, "5,6", "4,2 <3")
case("gather_order", lambda x, i: lax.gather(x, i, lax.GatherDimensionNumbers((0, 2), (1,), (1, 0)), (2, 1, 3)) ** 2, "4,5,3", "3,2 <3")
case("gather_batch_dims", lambda x, i: lax.gather(x, i, lax.GatherDimensionNumbers((2,), (1,), (1,), operand_batching_dims=(0,), start_indices_batching_dims=(0,)), (1, 1, 2)) ** 2, "3,5,4", "3,2,1 <5")
case("gather_outside", lambda x, i: lax.gather(x, i + 3, lax.GatherDimensionNumbers((1,), (0,), (0,)), (1, 3), mode="clip") ** 2, "5,3", "4,1 <5")
case("gather_negative", lambda x, i: x[i - 3] ** 2, "5,3", "4 <5")
case("gather_unsigned", lambda x, i: x[i.astype(jnp.uint8)] ** 2, "5,3", "4 <5")
case("gather_wide", lambda x, i: x[i.astype(jnp.int64)] ** 2, "5,3", "4 <5")
case("gather_two_axes", lambda x, i, j: x[i[:, None], :, j[None, :]] ** 2, "4,3,5", "2 <4", "3 <5")
case("gather_computed", lambda x, y: x[(jnp.abs(y) * 3).astype(jnp.int32) % 5] * y, "5", "4")
case("take_scalar", lambda x, i: x[i[0]] ** 2 * x[i[1], 1], "4,3", "2 <4")
case("take_negative_fill", lambda x, i: x.at[i].get(mode="fill", fill_value=2.0) ** 2, "5,3", "4 <9")
case("take_drop", lambda x, y, i: x.at[i].set(y, mode="drop") ** 2, "5,3", "4,3", "4 <9")
case("take_promise", lambda x, i: x.at[i].get(mode="promise_in_bounds") ** 2, "5,3", "4 <5")
case("choose", lambda x, y, i: jnp.choose(i, [x, y, x * y], mode="clip"), "4", "4", "4 <3")
case("dynamic_index", lambda x, i: lax.dynamic_index_in_dim(x, i[0], 1, keepdims=False) ** 2, "4,5", "1 <5")
case("dynamic_slice_clamped", lambda x, i: lax.dynamic_slice(x, (i[0] + 2, i[1] - 3), (2, 3)) ** 2, "4,5", "2 <5")
case("dynamic_update_clamped", lambda x, y, i: lax.dynamic_update_slice(x, y, (i[0] + 2, i[1] - 3)) ** 2, "4,5", "2,3", "2 <5")
case("dynamic_update_same", lambda x, i: lax.dynamic_update_slice(x, x[:2, :2] * 2, (i[0], i[1])) ** 2, "4,5", "2 <3")
case("at_divide", lambda x, y: x.at[jnp.array([1, 3])].divide(y, unique_indices=True), "5,3", "2,3 pos")
case("at_power", lambda x: x.at[jnp.array([1, 3])].power(2.0), "5,3 pos")
case("at_subtract", lambda x, y, i: x.at[i].subtract(y) ** 2, "5,3", "4,3", "4 <5")
case("at_column", lambda x, y, i: x.at[:, i].add(y) ** 2, "3,5", "3,4", "4 <5")
case("at_column_set", lambda x, y, i: x.at[:, i[0]].set(y) ** 2, "3,5", "3", "1 <5")
case("at_slice_add", lambda x, y: x.at[1:3, ::2].add(y) ** 2, "4,5", "2,3")
case("at_window", lambda x, y, i: jax.lax.scatter_add(x, i, y, lax.ScatterDimensionNumbers((1, 2), (), (0, 1))) ** 2, "5,6", "3,2,2", "3,2 <4")
case("at_window_set", lambda x, y, i: jax.lax.scatter(x, i, y, lax.ScatterDimensionNumbers((1, 2), (), (0, 1))) ** 2, "5,6", "3,2,2", "3,2 <4")
case("scatter_mul_unique", lambda x, y: lax.scatter_mul(x, jnp.array([[1], [3]]), y, lax.ScatterDimensionNumbers((1,), (0,), (0,)), unique_indices=True) ** 2, "5,3", "2,3")
case("scatter_max_ties", lambda x, y, i: x.at[i].max(jnp.round(y)) ** 2, "5,3", "4,3", "4 <5")
case("scatter_batched", lambda x, y, i: lax.scatter_add(x, i, y, lax.ScatterDimensionNumbers((2,), (1,), (1,), operand_batching_dims=(0,), scatter_indices_batching_dims=(0,))) ** 2, "3,5,2", "3,4,2", "3,4,1 <5")
case("segment_min", lambda x, i: jnp.where(jnp.isfinite(jax.ops.segment_min(x, i, 4)), jax.ops.segment_min(x, i, 4), 0.0), "7,2", "7 <4")
case("segment_softmax", lambda x, i: (lambda e: e / jax.ops.segment_sum(e, i, 4)[i])(jnp.exp(x - lax.stop_gradient(jax.ops.segment_max(x, i, 4))[i])), "7", "7 <4")
case("segment_mean", lambda x, i: jax.ops.segment_sum(x, i, 4) / jnp.maximum(jax.ops.segment_sum(jnp.ones_like(x), i, 4), 1), "7,2", "7 <4")
case("graph_conv", lambda x, w, i, j: nn.relu(jax.ops.segment_sum((x @ w)[i], j, 5)), "5,3", "3,4", "8 <5", "8 <5")
case("graph_attention", lambda x, a, i, j: (lambda e: jax.ops.segment_sum(e[:, None] * x[i], j, 5) / (jax.ops.segment_sum(e, j, 5)[:, None] + 1))(jnp.exp(jnp.tanh((x[i] * a).sum(1) + x[j].sum(1)))), "5,3", "3", "8 <5", "8 <5")
case("bincount", lambda x, i: jnp.bincount(i, weights=x, length=5) ** 2, "7", "7 <5")
case("histogram", lambda x, i: jnp.zeros(6, x.dtype).at[i].add(x) ** 2, "7", "7 <6")
case("lookup_grid", lambda x, y: jnp.take(x, jnp.clip((y * 5).astype(jnp.int32), 0, 4)) * y, "5", "6 pos")
case("embedding_bag", lambda w, i: w[i].sum(1) ** 2, "7,3", "4,2 <7")
case("negative_sampling", lambda w, i, j: nn.log_sigmoid((w[i] * w[j]).sum(-1)).sum(), "7,3", "4 <7", "4 <7")
case("permutation", lambda x: x[jnp.array([2, 0, 3, 1])] * x, "4,3")
case("nonzero_known", lambda x: x[jnp.nonzero(x > 0, size=3, fill_value=0)] ** 2, "6")
case("ragged_mask", lambda x, i: jnp.where(jnp.arange(5)[None] < i[:, None], x, 0.0).sum(1) ** 2, "3,5", "3 <5")
case("beam", lambda x, i: jnp.take_along_axis(x, jnp.broadcast_to(i[:, None, None], (3, 1, 4)), 1) ** 2, "3,5,4", "3 <5")

family("wider ordering")
case("sort_axis_middle", lambda x: jnp.sort(x, 1) * jnp.arange(4.0)[:, None], "2,4,3")
case("sort_three", lambda x, y, z: lax.sort((x, y, z), num_keys=2), "6", "6", "6")
case("sort_stable_ties", lambda x, y: lax.sort((jnp.round(x), y), num_keys=1)[1] * jnp.arange(6.0), "6", "6")
case("sort_with_integers", lambda x, i: lax.sort((i, x), num_keys=1)[1] * jnp.arange(6.0), "6", "6 <9")
case("lexsort", lambda x, y: x[jnp.lexsort((x, y))] * jnp.arange(6.0), "6", "6")
case("partition", lambda x: jnp.partition(x, 3)[:3].sum(), "7")
case("top_k_all", lambda x: [lax.top_k(x, 3)[0], x[lax.top_k(x, 2)[1]]], "7")
case("top_k_axis", lambda x: lax.top_k(x.T, 2)[0] * x.sum(), "5,3")
case("rank", lambda x: jnp.argsort(jnp.argsort(x)) * x, "7")
case("unique_known", lambda x: jnp.unique(x, size=4) ** 2, "6")
case("trimmed_mean", lambda x: jnp.sort(x)[1:-1].mean(), "7")
case("isotonic_like", lambda x: lax.cummax(jnp.sort(x)) - jnp.sort(x)[::-1], "7")
case("wasserstein", lambda x, y: jnp.abs(jnp.sort(x) - jnp.sort(y)).sum(), "7", "7")
case("sort_complex", lambda z: jnp.real(jnp.sort(z)) * jnp.arange(5.0), "5 c")
case("approx_max", lambda x: lax.approx_max_k(x, 3)[0] * jnp.arange(3.0), "9")

family("wider complex")
case("power", lambda z: z**2.5, "5 c")
case("power_complex", lambda z, w: z**w, "4 c", "4 c", tolerance=10)
case("division", lambda z, w: z / w, "4 c", "4 c")
case("real_into_complex", lambda x, z: x * z + jnp.real(z) * x, "4", "4 c")
case("trigonometry", lambda z: jnp.sin(z) + jnp.cos(z) * jnp.tan(z), "4 c")
case("hyperbolic", lambda z: jnp.sinh(z) + jnp.cosh(z), "4 c")
case("inverse_functions", lambda z: jnp.arcsin(z) + jnp.arccos(z) + jnp.arctan(z), "4 c")
case("inverse_hyperbolic", lambda z: jnp.arcsinh(z) + jnp.arctanh(z / 3), "4 c")
case("exponentials", lambda z: jnp.expm1(z) + jnp.log1p(z) + jnp.exp2(z), "4 c")
case("square_roots", lambda z: lax.rsqrt(z) + jnp.sqrt(z), "4 c")
case("sign", lambda z: jnp.sign(z) * z, "4 c")
case("polar", lambda r, t: r * jnp.exp(1j * t), "4", "4")
case("reductions", lambda z: [jnp.sum(z), jnp.prod(z), jnp.mean(z * z)], "4 c")
case("moves", lambda z: jnp.concatenate([z[::-1], jnp.pad(z, 1)]) * jnp.arange(10), "4 c")
case("places", lambda z, i: z[i] * z.at[i].add(2.0)[:3], "4 c", "3 <4")
case("matrix", lambda z: z @ jnp.conj(z).T, "3,4 c")
case("einsum", lambda z, w: jnp.einsum("abc,cb->a", z, w), "2,3,4 c", "4,3 c")
case("absolute_square", lambda z: jnp.real(z * jnp.conj(z)) ** 1.5, "4 c")
case("logistic", lambda z: nn.sigmoid(z), "4 c")
case("cumulative", lambda z: jnp.cumsum(z) * jnp.cumprod(z), "4 c")
case("where", lambda z: jnp.where(jnp.real(z) > 0, z, jnp.conj(z) * 2), "4 c")
case("scan", lambda z: lax.scan(lambda c, a: (c * a + 1, c), jnp.ones((), z.dtype), z), "5 c")
case("solve", lambda a, b: jnp.linalg.solve(a, b), "3,3 c", "3,2 c", tolerance=100)
case("inverse", lambda a: jnp.linalg.inv(a), "3,3 c", tolerance=100)
case("determinant", lambda a: jnp.linalg.det(a), "3,3 c", tolerance=10)
case("fft_axis", lambda z: jnp.fft.fft(z, axis=0) ** 2, "4,3 c")
case("fft_padded", lambda z: jnp.fft.fft(z, 9) * jnp.arange(9), "3,5 c")
case("fft_cut", lambda x: jnp.abs(jnp.fft.rfft(x, 4)), "3,7")
case("fft_ortho", lambda x: jnp.real(jnp.fft.fft(x, norm="ortho")) ** 2, "7")
case("fftn", lambda z: jnp.fft.fftn(z) * jnp.fft.ifftn(z), "2,3,4 c")
case("rfftn", lambda x: jnp.abs(jnp.fft.rfftn(x)), "2,3,4")
case("irfftn", lambda z: jnp.fft.irfftn(z, (2, 3, 5)) ** 2, "2,3,3 c")
case("hfft", lambda z: jnp.fft.hfft(z) ** 2, "5 c")
case("fftshift", lambda x: jnp.real(jnp.fft.fftshift(jnp.fft.fft2(x))) ** 2, "4,5")
case("dct", lambda x: jsp.fft.dct(x) ** 2, "3,6")
case("idct", lambda x: jsp.fft.idct(x) ** 2, "3,6")
case("spectral_filter", lambda x, h: jnp.fft.irfft(jnp.fft.rfft(x) * h, 8), "8", "5 c")
case("stft", lambda x: jnp.abs(jsp.signal.stft(x, nperseg=8)[2]) ** 2, "24")
case("hilbert", lambda x: jnp.abs(jsp.signal.hilbert(x)), "8") if hasattr(jsp.signal, "hilbert") else None

family("wider loops")


def gru(x, h, w, u):
    def step(h, x):
        r, z, n = jnp.split(x @ w, 3, -1)
        s, y, m = jnp.split(h @ u, 3, -1)
        z = nn.sigmoid(z + y)
        h = (1 - z) * jnp.tanh(n + nn.sigmoid(r + s) * m) + z * h
        return h, h

    return lax.scan(step, h, x)


case("gru", gru, "5,2,3", "2,4", "3,12", "4,12")
case("scan_tree", lambda x, y: lax.scan(lambda c, a: ({"s": c["s"] + a[0] * c["p"], "p": c["p"] * a[1]}, (c["s"], a[0])), {"s": jnp.zeros((), x.dtype), "p": jnp.ones((), x.dtype)}, (x, y)), "6", "6 pos")
case("scan_three_deep", lambda x: lax.scan(lambda c, a: (lax.scan(lambda d, b: (lax.scan(lambda e, f: (e * jnp.cos(f), None), d, b)[0] + 1, None), c, a)[0], c), jnp.ones((), x.dtype), x), "2,3,4")
case("scan_of_matrices", lambda x: lax.scan(lambda c, a: (c @ a, c), jnp.eye(3, dtype=x.dtype), x), "4,3,3")
case("scan_conditional", lambda x, i: lax.scan(lambda c, a: (lax.switch(a[1], [lambda v: v * a[0], lambda v: v + a[0], jnp.sin], c), c), jnp.ones((), x.dtype), (x, i)), "6", "6 <3")
case("scan_integers_out", lambda x: lax.scan(lambda c, a: (c + a, (c * 2, jnp.int32(3), c > 0)), jnp.zeros((), x.dtype), x), "5")
case("scan_carry_unused", lambda x: lax.scan(lambda c, a: ((c[0] + a, c[1]), c[0] * c[1]), (jnp.zeros((), x.dtype), x[0]), x)[1], "5")
case("scan_zero", lambda x: lax.scan(lambda c, a: (c * a, c), x[0], x[:0]), "5")
case("scan_one", lambda x: lax.scan(lambda c, a: (c * a, c), x[0], x[:1]), "5")
case("scan_dynamic_update", lambda x: lax.scan(lambda c, k: (lax.dynamic_update_slice(c, (c[k] * c[k - 1])[None], (k,)), c[0]), x, jnp.arange(1, 5)), "5")
case("scan_scatter", lambda x, i: lax.scan(lambda c, k: (c.at[k].add(c[0] * 0.5), None), x, i)[0], "5", "6 <5")
case("scan_matrix_free", lambda x, w: lax.scan(lambda c, _: ((lambda y: y / jnp.linalg.norm(y))(w @ c), None), x, None, length=4)[0], "4", "4,4")
case("scan_sort", lambda x: lax.scan(lambda c, a: (jnp.sort(c * a), c), jnp.arange(1.0, 4.0).astype(x.dtype), x), "4")
case("scan_fft", lambda x: lax.scan(lambda c, a: (jnp.real(jnp.fft.ifft(jnp.fft.fft(c) * a)), None), x[0], x)[0], "3,5")
case("scan_pool", lambda x: lax.scan(lambda c, a: (pool(c, (3,), (1,), "SAME") * a, None), x[0], x)[0], "3,6")
case("scan_triangular", lambda x: lax.scan(lambda c, a: (jsp.linalg.solve_triangular(a + 3 * jnp.eye(3), c, lower=True), None), jnp.ones(3, x.dtype), x)[0], "3,3,3")
case("scan_split_transpose", lambda x: lax.scan(lambda c, a: (jnp.sin(c) * a, c), jnp.ones(3, x.dtype), x, _split_transpose=True), "4,3")
case("scan_checkpoint_nested", lambda x: lax.scan(jax.checkpoint(lambda c, a: (lax.scan(jax.checkpoint(lambda d, b: (jnp.sin(d * b), None)), c, a)[0], c)), jnp.ones((), x.dtype), x), "3,4")
case("fori_zero", lambda x: lax.fori_loop(0, 0, lambda i, c: c * 2, x) * x, "3")
case("fori_index", lambda x: lax.fori_loop(0, 5, lambda i, c: c + x[i] * c, jnp.ones((), x.dtype)), "5")
case("fori_backward", lambda x: lax.fori_loop(0, 4, lambda i, c: c.at[3 - i].multiply(c[4 - i]), x), "5")
case("fori_step", lambda x: lax.fori_loop(2, 5, lambda i, c: c + jnp.sin(x * i.astype(x.dtype)), x), "3")
case("fori_bounds", lambda x, i: lax.fori_loop(0, 4, lambda k, c: jnp.where(k < i[0], c * x, c), x), "3", "1 <4")
case("while_in_custom", lambda x: jax.lax.custom_root(lambda y: y**3 - x, x, lambda f, y0: lax.fori_loop(0, 30, lambda i, y: y - f(y) / (3 * y**2), y0), lambda g, y: y / g(jnp.ones_like(y))), "3 pos")
case("custom_linear_solve", lambda a, b: lax.custom_linear_solve(lambda v: (a @ a.T + 4 * jnp.eye(4)) @ v, b, lambda m, v: jnp.linalg.solve(a @ a.T + 4 * jnp.eye(4), v), symmetric=True), "4,4", "4", tolerance=10)
case("euler", lambda x, w: lax.scan(lambda c, _: (c + 0.1 * jnp.tanh(w @ c), c), x, None, length=10)[1], "3", "3,3")
case("leapfrog", lambda q, p: lax.fori_loop(0, 5, lambda i, s: (lambda h: (s[0] + 0.1 * h, h - 0.05 * jnp.sin(s[0] + 0.1 * h)))(s[1] - 0.05 * jnp.sin(s[0])), (q, p)), "3", "3")
case("gradient_descent", lambda w, x, y: lax.fori_loop(0, 3, lambda i, c: c - 0.1 * jax.grad(lambda v: ((x @ v - y) ** 2).mean())(c), w), "3", "5,3", "5")
case("hessian_product", lambda x, v: jax.jvp(jax.grad(lambda y: jnp.sum(jnp.sin(y) ** 3)), (x,), (v,))[1], "4", "4")
case("second", lambda x: jax.grad(lambda y: jnp.sum(jnp.tanh(y) ** 2))(x) ** 2, "4")
case("jacobian", lambda x: jax.jacfwd(lambda y: jnp.sin(y) * y.sum())(x), "3")
case("hessian", lambda x: jax.hessian(lambda y: jnp.prod(jnp.sin(y)))(x), "3")
case("forward_algorithm", lambda t, e: lax.scan(lambda a, o: ((lambda b: (b - jsp.special.logsumexp(b), jsp.special.logsumexp(b)))(jsp.special.logsumexp(a[:, None] + t, 0) + o)), e[0], e[1:])[1].sum(), "4,4", "6,4")
case("ctc_like", lambda x: lax.scan(lambda a, o: (jnp.logaddexp(a, jnp.concatenate([jnp.full(1, -1e9, a.dtype), a[:-1]])) + o, None), x[0], x[1:])[0], "6,4")
case("adam", lambda w, x: lax.scan(lambda s, a: (lambda g, m, v: ((s[0] - 0.1 * m / (jnp.sqrt(v) + 1e-3), m, v), None))(2 * (s[0] - a), 0.9 * s[1] + 0.2 * (s[0] - a), 0.9 * s[2] + 0.4 * (s[0] - a) ** 2), (w, jnp.zeros_like(w), jnp.ones_like(w)), x)[0][0], "3", "5,3")
case("map_nested", lambda x: lax.map(lambda r: lax.map(lambda a: jnp.sin(a) * r.sum(), r), x), "3,4")
case("vmap_scan", lambda x: jax.vmap(lambda r: lax.scan(lambda c, a: (c * a + 1, c), jnp.ones((), x.dtype), r))(x), "3,4")
case("batched_map", lambda x: lax.map(lambda a: jnp.sin(a) * a.sum(), x, batch_size=2), "5,3")

family("wider branches")
case("cond_results", lambda x, y, i: lax.cond(i[0] > 1, lambda a, b: (a * b, a, 1), lambda a, b: (a, b * b, 2), x, y), "4", "4", "1 <4")
case("cond_integer_operand", lambda x, i: lax.cond(i[0] > 1, lambda a, k: a * k, lambda a, k: a + k, x, i), "1", "1 <4")
case("cond_of_value", lambda x: lax.cond(x.sum() > 0, lambda a: a**2, lambda a: jnp.sin(a), x), "4")
case("cond_no_gradient", lambda x, i: lax.cond(i[0] > 1, lambda a: jnp.zeros(3, a.dtype), lambda a: a[:3] * 2, x), "4", "1 <4")
case("cond_loop_both", lambda x, i: lax.cond(i[0] > 1, lambda a: lax.fori_loop(0, 3, lambda k, c: jnp.sin(c), a), lambda a: lax.scan(lambda c, b: (c * b, c), a[0], a)[1], x), "4", "1 <4")
case("switch_clamped", lambda x, i: lax.switch(i[0] + 2, [jnp.sin, jnp.cos, lambda a: a**3], x), "4", "1 <4")
case("switch_in_switch", lambda x, i, j: lax.switch(i[0], [lambda a: lax.switch(j[0], [jnp.sin, jnp.cos], a), jnp.exp, lambda a: lax.cond(j[0] > 0, jnp.tanh, jnp.sinh, a) * a], x), "4", "1 <3", "1 <2")
case("switch_captured", lambda x, y, z, i: lax.switch(i[0], [lambda: x @ y, lambda: y @ z, lambda: x * z], ), "3,3", "3,3", "3,3", "1 <3")
case("vmapped_cond", lambda x, i: jax.vmap(lambda a, k: lax.cond(k > 1, jnp.sin, jnp.cos, a))(x, i), "4", "4 <4")
case("cond_in_cond_in_scan", lambda x: lax.scan(lambda c, a: (lax.cond(a > 0, lambda: lax.cond(c > 1, lambda: c * a, lambda: c + a), lambda: c - a), c), jnp.ones((), x.dtype), x), "8")
case("early_exit", lambda x: lax.fori_loop(0, 6, lambda i, s: lax.cond(s[1] > 4.0, lambda t: t, lambda t: (t[0] * 1.5, t[1] + t[0].sum() ** 2), s), (x, jnp.zeros((), x.dtype)))[0], "3")

family("wider rules")


@jax.custom_vjp
def clipped(x):
    return jnp.clip(x, -1, 1)


clipped.defvjp(lambda x: (clipped(x), x), lambda x, g: (g * (jnp.abs(x) <= 1),))


@jax.custom_jvp
def log1pexp(x):
    return jnp.log1p(jnp.exp(x))


log1pexp.defjvps(lambda g, out, x: nn.sigmoid(x) * g)
case("custom_vjp_same", lambda x: clipped(x) * x, "5")
case("custom_jvp", lambda x: log1pexp(x) * x, "5")
case("inner_jit", lambda x: jax.jit(lambda a: jax.jit(jnp.sin)(a) * a)(x) + jax.jit(jnp.sin)(x), "5")
case("remat", jax.checkpoint(lambda x, w: jnp.tanh(jnp.tanh(x @ w) @ w)), "3,4", "4,4")
case("remat_policy", jax.checkpoint(lambda x, w: jnp.tanh(jnp.tanh(x @ w) @ w), policy=jax.checkpoint_policies.dots_saveable), "3,4", "4,4")
case("gradient_inside", lambda x: jax.grad(lambda y: (jnp.sin(y) * clipped(y)).sum())(x) * x, "5")
case("custom_jvp_second", lambda x: jax.grad(lambda y: log1pexp(y).sum())(x) ** 2, "5")
case("linear_transpose", lambda x: jax.linear_transpose(lambda y: jnp.cumsum(y) * 2, x)(x)[0], "5")
case("named_call", lambda x: jax.named_call(lambda a: jnp.sin(a) * a, name="f")(x), "5")
case("tied_weights", lambda x, w: jnp.tanh(x @ w) @ w.T, "3,4", "4,2")
case("integer_results", lambda x, i: (x * 2, i * 3, x > 0, jnp.argmax(x)), "3", "3 <4")
case("integer_between", lambda x, y: x * y.astype(jnp.int32) + jnp.floor(y) * x, "4", "4")
case("same_twice", lambda x: (x, x), "3")
case("argument_as_result", lambda x, y: (y, x * y, x), "3", "3")
case("constant_result", lambda x: (jnp.ones(3, x.dtype), x), "3")
case("random_noise", lambda x: x * jax.random.normal(jax.random.key(0), (4,), x.dtype), "4")
case("dropout", lambda x: jnp.where(jax.random.bernoulli(jax.random.key(1), 0.5, (4, 5)), x / 0.5, 0) ** 2, "4,5")
case("gumbel_softmax", lambda x: nn.softmax((x + jax.random.gumbel(jax.random.key(2), (3, 4), x.dtype)) / 0.5), "3,4")
case("reparametrised", lambda m, s: m + jnp.exp(s) * jax.random.normal(jax.random.key(3), (4,), m.dtype), "4", "4")

family("wider linalg")
case("cho_factor_upper", lambda a, b: jsp.linalg.cho_solve(jsp.linalg.cho_factor((a + a.T) / 2), b), "4,4 spd", "4,2", tolerance=10)
case("solve_pos", lambda a, b: jsp.linalg.solve((a + a.T) / 2, b, assume_a="pos"), "4,4 spd", "4", tolerance=10)
case("solve_batch", lambda a, b: jnp.linalg.solve(a, b), "2,4,4 tri", "2,4,3", tolerance=10)
case("solve_vector", lambda a, b: jnp.linalg.solve(a, b), "4,4 tri", "4", tolerance=10)
case("inverse_batch", lambda a: jnp.linalg.inv(a) @ a[0], "2,3,3 tri", tolerance=10)
case("lu_solve", lambda a, b: jsp.linalg.lu_solve(jsp.linalg.lu_factor(a), b), "4,4 tri", "4", tolerance=10)
case("lu_all", lambda a: [x for x in jsp.linalg.lu(a)[1:]], "4,4 tri", tolerance=100)
case("expm", lambda a: jsp.linalg.expm(a / 4), "3,3", tolerance=100)
case("sqrtm_like", lambda a: jnp.linalg.cholesky(a @ a.T + jnp.eye(3)) @ a, "3,3", tolerance=10)
case("slogdet_batch", lambda a: jnp.linalg.slogdet(a)[1], "2,3,3 tri", tolerance=10)
case("cofactor", lambda a: jnp.linalg.det(a) * jnp.linalg.inv(a).T, "3,3 tri", tolerance=10)
case("matrix_norm_2", lambda a: jnp.linalg.norm(a, 2), "4,3", tolerance=100)
case("cond", lambda a: jnp.linalg.cond(a), "3,3 tri", tolerance=100)
case("pinv_wide", lambda a: jnp.linalg.pinv(a), "3,4", tolerance=100)
case("tensorinv", lambda a: jnp.linalg.tensorinv(a.reshape(2, 2, 4), 2), "4,4 tri", tolerance=10)
case("tensorsolve", lambda a, b: jnp.linalg.tensorsolve(a.reshape(2, 2, 4), b), "4,4 tri", "2,2", tolerance=10)
case("eigh_function", lambda a: (lambda w, v: (v * jnp.exp(w)) @ v.T)(*jnp.linalg.eigh(a + a.T)), "3,3", tolerance=100)
case("eigh_upper", lambda a: jnp.linalg.eigh(a + a.T, UPLO="U")[0], "4,4", tolerance=100)
case("gaussian_process", lambda x, y: (lambda k: y @ jsp.linalg.cho_solve((jnp.linalg.cholesky(k), True), y) + 2 * jnp.log(jnp.diag(jnp.linalg.cholesky(k))).sum())(jnp.exp(-((x[:, None] - x[None]) ** 2)) + 0.5 * jnp.eye(5)), "5", "5", tolerance=10)
case("mvn", lambda x, m, a: jsp.stats.multivariate_normal.logpdf(x, m, a @ a.T + jnp.eye(3)), "5,3", "3", "3,3", tolerance=10)
case("kalman", lambda f, h, z: lax.scan(lambda s, o: (lambda p, k: ((f @ s[0] + k @ (o - h @ f @ s[0]), p - k @ h @ p), None))(f @ s[1] @ f.T + jnp.eye(2), (f @ s[1] @ f.T + jnp.eye(2)) @ h.T @ jnp.linalg.inv(h @ (f @ s[1] @ f.T + jnp.eye(2)) @ h.T + jnp.eye(1))), (jnp.zeros(2, z.dtype), jnp.eye(2, dtype=z.dtype)), z)[0][0], "2,2", "1,2", "4,1", tolerance=10)
case("triangular_adjoint", lambda a, b: jsp.linalg.solve_triangular(a, b, trans="C", lower=True), "3,3 c", "3,2 c", tolerance=100)
case("triangular_batch", lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True, lower=False), "2,3,3 tri", "2,3,2", tolerance=10)
case("triangular_vector", lambda a, b: jsp.linalg.solve_triangular(a, b), "4,4 tri", "4", tolerance=10)
case("qr_solve", lambda a, b: (lambda q, r: jsp.linalg.solve_triangular(r, q.T @ b))(*jnp.linalg.qr(a)), "5,3", "5,2", tolerance=100)
case("tridiagonal_solve", lambda d, b: lax.linalg.tridiagonal_solve(jnp.concatenate([jnp.zeros(1, d.dtype), d[1:]]), d + 4, jnp.concatenate([d[:-1], jnp.zeros(1, d.dtype)]), b), "4 pos", "4,2", tolerance=10)
case("eigvals_like", lambda a: jnp.linalg.eigvalsh(a @ a.T + jnp.eye(4)) ** 2, "4,4", tolerance=100)
case("svd_reconstruct", lambda a: (lambda u, s, v: (u * jnp.tanh(s)) @ v)(*jnp.linalg.svd(a, full_matrices=False)), "4,3", tolerance=100)
case("matrix_exp_product", lambda a, v: jsp.linalg.expm(a / 4) @ v, "3,3", "3", tolerance=100)
case("eig_values", lambda a: jnp.abs(jnp.linalg.eigvals(a + 3 * jnp.diag(jnp.arange(4.0)))), "4,4", tolerance=1000)
case("cholesky_update_like", lambda a, v: jnp.linalg.cholesky(a @ a.T + jnp.outer(v, v) + jnp.eye(3)), "3,3", "3", tolerance=10)
case("vander_solve", lambda x, y: jnp.linalg.solve(jnp.vander(x, 4), y), "4 pos", "4", tolerance=1e5)

family("wider losses")
case("mse", lambda x, y: ((x - y) ** 2).mean(), "4,5", "4,5")
case("bce", lambda x, y: -(nn.sigmoid(y) * nn.log_sigmoid(x) + (1 - nn.sigmoid(y)) * nn.log_sigmoid(-x)).mean(), "4,5", "4,5")
case("hinge", lambda x, i: jnp.maximum(0, 1 + x - jnp.take_along_axis(x, i[:, None], 1)).sum(), "4,5", "4 <5")
case("triplet", lambda a, p, n: nn.relu(((a - p) ** 2).sum(1) - ((a - n) ** 2).sum(1) + 1).mean(), "4,3", "4,3", "4,3")
case("contrastive", lambda x, y: (lambda s: (jsp.special.logsumexp(s, 1) - jnp.diag(s)).mean())((x / jnp.linalg.norm(x, axis=1, keepdims=True)) @ (y / jnp.linalg.norm(y, axis=1, keepdims=True)).T / 0.1), "4,3", "4,3")
case("kl", lambda x, y: (nn.softmax(x) * (nn.log_softmax(x) - nn.log_softmax(y))).sum(-1).mean(), "4,5", "4,5")
case("vae", lambda m, s, x: ((x - m) ** 2).sum() + 0.5 * (jnp.exp(s) + m**2 - 1 - s).sum(), "4,3", "4,3", "4,3")
case("smooth", lambda x, i: -(nn.log_softmax(x) * (nn.one_hot(i, 5) * 0.9 + 0.02)).sum(-1).mean(), "4,5", "4 <5")
case("dice", lambda x, i: 1 - 2 * (nn.sigmoid(x) * i).sum() / (nn.sigmoid(x).sum() + i.sum() + 1), "4,5", "4,5 <2")
case("quantile_loss", lambda x, y: jnp.maximum(0.3 * (x - y), -0.7 * (x - y)).mean(), "4,5", "4,5")
case("poisson", lambda x, i: (jnp.exp(x) - i * x + jsp.special.gammaln(i + 1.0)).mean(), "4,5", "4,5 <5")
case("normal_logpdf", lambda x, m, s: jsp.stats.norm.logpdf(x, m, s), "4", "4", "4 pos")
case("gamma_logpdf", lambda x, a: jsp.stats.gamma.logpdf(x, a), "4 pos", "4 pos")
case("beta_logpdf", lambda x, a: jsp.stats.beta.logpdf(x / 2, a, 2.0), "4 pos", "4 pos")
case("t_logpdf", lambda x, d: jsp.stats.t.logpdf(x, d + 2), "4", "4 pos")
case("dirichlet", lambda a: jsp.stats.dirichlet.logpdf(jnp.array([0.2, 0.3, 0.5]), a), "3 pos")
case("cauchy_cdf", lambda x: jsp.stats.cauchy.cdf(x), "4")
case("laplace", lambda x, m: jsp.stats.laplace.logpdf(x, m, 2.0), "4", "4")

case("pinball_sorted", lambda x: (jnp.sort(x) * jnp.linspace(-1, 1, 7)).sum(), "7")
