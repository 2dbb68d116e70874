"""Functions of tensors whose sizes are known at run time only, named in the shapes of their arguments: `a`, `b` and `n` (see `compare.py`)."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn

from cases import case, family

family("sizes")


def layer_norm(x, g, c):
    d = x - x.mean(-1, keepdims=True)
    return d * lax.rsqrt((d * d).mean(-1, keepdims=True) + 1e-5) * g + c


def attention(q, k, v):
    return nn.softmax(q @ k.T / 2, axis=-1) @ v


def heads(x, wq, wk, wv):
    q, k, v = ((x @ w).reshape(x.shape[0], 2, 3).transpose(1, 0, 2) for w in (wq, wk, wv))
    weights = nn.softmax(jnp.einsum("hqd,hkd->hqk", q, k), axis=-1)
    return jnp.einsum("hqk,hkd->qhd", weights, v).reshape(x.shape[0], 6)


def masked(x, m):
    scores = jnp.where(m[:, None] & m[None], x @ x.T, -1e9)
    return nn.softmax(scores, axis=-1) @ x


def window(x, size, stride, init=-jnp.inf, by=lax.max):
    return lax.reduce_window(x, np.array(init, x.dtype), by, size, stride, "VALID")


case("unary", lambda x: jnp.tanh(x) * jnp.exp(-x * x) + nn.sigmoid(x), "b,3")
case("binary", lambda x, y: jnp.maximum(x, y) * x / (1 + y * y), "b,n", "b,n")
case("scalar_factor", lambda x, y: x * y + jnp.sin(y), "b", "")
case("bias", lambda x, y: x * y + y, "b,4", "4")
case("columns", lambda x, y: x * y[:, None] + y[:, None] ** 2, "b,4", "b")
case("outer", jnp.outer, "b", "n")
case("expand", lambda x: (x[:, None] - x[None]) ** 2, "b")
case("repeated", lambda x: jnp.broadcast_to(x[:, None, :], (x.shape[0], 3, x.shape[1])) * jnp.arange(3.0)[:, None], "b,n")
case("transpose", lambda x: x.transpose(2, 0, 1) ** 2, "b,3,n")
case("reshape", lambda x: jnp.sin(x.reshape(-1, 2)) @ jnp.ones((2, 3), x.dtype), "b,4")
case("flatten", lambda x: x.reshape(-1) ** 2, "b,n")
case("squeeze", lambda x: jnp.squeeze(x, 1) ** 2, "b,1,n")
case("reverse", lambda x: jnp.flip(x, 0) * jnp.arange(3.0) * x, "b,3")
case("sum", lambda x: jnp.sum(x * x, 0), "b,3")
case("sum_all", lambda x: jnp.sum(jnp.sin(x)), "b,n")
case("mean", lambda x: x.mean(0) * x.mean(1).sum(), "b,n")
case("max", lambda x: jnp.max(x, 0) + jnp.min(x, 1).sum(), "b,3")
case("prod", lambda x: jnp.prod(x, 1), "b,3 pos")
case("var", lambda x: jnp.var(x, 0), "b,n")
case("logsumexp", lambda x: jax.scipy.special.logsumexp(x, 1), "b,n")
case("softmax", lambda x: nn.softmax(x, 1) ** 2, "b,n")
case("softmax_0", lambda x: nn.softmax(x, 0) * x, "b,3")
case("layer_norm", layer_norm, "b,4", "4", "4")
case("layer_norm_n", lambda x: layer_norm(x, 2.0, 1.0), "b,n")
case("product", lambda x, w: x @ w, "b,4", "4,3")
case("product_inner", lambda x, y: x.T @ y, "b,4", "b,3")
case("product_batch", lambda x, y: jnp.einsum("bij,bjk->bki", x, y), "b,2,n", "b,n,3")
case("product_all", lambda x, y: x @ y @ y.T, "a,b", "b,n")
case("mlp", lambda x, w, c, u: nn.gelu(x @ w + c) @ u, "b,4", "4,5", "5", "5,2")
case("attention", attention, "b,4", "n,4", "n,3")
case("self_attention", heads, "b,6", "6,6", "6,6", "6,6")
case("masked_attention", masked, "b,4", "b true")
case("where", lambda x, y: jnp.where(x > y, x * y, y * y), "b,n", "b,n")
case("clip", lambda x: jnp.clip(x, -0.5, 0.5) * x, "b,n")
case("relu", lambda x: nn.relu(x) + jnp.abs(x), "b,n")
case("slice_static", lambda x: x[:, 1:3] ** 2, "b,4")
case("slice", lambda x: x[1:] * x[:-1], "b,3")
case("slice_strided", lambda x: x[::2] ** 2, "b,3")
case("shift", lambda x: jnp.concatenate([x[1:], 2 * x[:1]], 0) * x, "b,3")
case("concatenate", lambda x, y: jnp.concatenate([x, y, x * x], 0) ** 2, "b,3", "n,3")
case("concatenate_columns", lambda x, y: jnp.concatenate([x, y], 1) ** 2, "b,2", "b,3")
case("stack", lambda x, y: jnp.stack([x, y, x * y], 1), "b,n", "b,n")
case("pad", lambda x: jnp.pad(x, ((1, 2), (0, 1))) ** 2, "b,3")
case("pad_value", lambda x, v: lax.pad(x, v, [(1, 1, 0), (0, 0, 0)]) ** 2, "b,n", "")
case("tril", lambda x: jnp.tril(x) @ jnp.triu(x), "b,b")
case("diagonal_mask", lambda x: jnp.where(jnp.eye(x.shape[0], dtype=bool), 0.0, x) ** 2, "b,b")
case("arange", lambda x: x * jnp.arange(x.shape[0], dtype=x.dtype)[:, None], "b,3")
case("cast", lambda x: (x.astype(jnp.float32) * 2).astype(x.dtype) * x, "b,3", tolerance=1e3)
case("embedding", lambda w, i: jnp.tanh(w[i]), "7,4", "b <7")
case("embedding_rows", lambda w, i: w[i] ** 2, "b,3", "6 <3")
case("take_axis", lambda x, i: jnp.take(x, i, axis=1) ** 2, "b,5", "2,4 <5")
case("take_along", lambda x, i: jnp.take_along_axis(x, i[:, None], 1) ** 2, "b,5", "b <5")
case("cross_entropy", lambda x, i: -jnp.take_along_axis(nn.log_softmax(x, -1), i[:, None], 1).mean(), "b,7", "b <7")
case("at_add", lambda x, y, i: x.at[i].add(y) ** 2, "5,3", "b,3", "b <5")
case("at_add_rows", lambda x, y, i: x.at[i].add(y) ** 2, "b,3", "4,3", "4 <3")
case("at_set", lambda x, y, i: x.at[i].set(y) ** 2, "5,3", "b,3", "b <5")
case("at_max", lambda x, y, i: x.at[i].max(y) ** 2, "5,3", "b,3", "b <5")
case("segment_sum", lambda x, i: jax.ops.segment_sum(x, i, 4) ** 2, "b,2", "b <4")
case("one_hot", lambda x, i: nn.one_hot(i, 5, dtype=x.dtype) @ x, "5,3", "b <5")
case("dynamic_slice", lambda x, i: lax.dynamic_slice(x, (i[0], i[0] * 0), (2, 3)) ** 2, "b,3", "1 <3")
case("dynamic_update", lambda x, y, i: lax.dynamic_update_slice(x, y, (i[0], i[0] * 0)) ** 2, "b,3", "2,3", "1 <3")
case("sort", lambda x: jnp.sort(x, 0) * jnp.arange(3.0), "b,3")
case("sort_rows", lambda x: jnp.sort(x, 1)[:, :2] ** 2, "b,n")
case("argsort", lambda x: x[jnp.argsort(x)] * jnp.arange(x.shape[0], dtype=x.dtype), "b")
case("convolution", lambda x, w: nn.relu(lax.conv(x, w, (1, 1), "SAME")), "b,2,5,5", "3,2,3,3")
case("convolution_nhwc", lambda x, w: lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) ** 2, "b,5,4,2", "3,3,2,3")
case("max_pool", lambda x: window(x, (1, 2, 2, 1), (1, 2, 2, 1)), "b,4,4,2")
case("avg_pool", lambda x: window(x, (1, 2, 2, 1), (1, 2, 2, 1), 0.0, lax.add) ** 2, "b,4,4,2")
case("complex", lambda x, y: jnp.abs(lax.complex(x, y) * (1 + 2j)), "b,3", "b,3")
case("complex_product", lambda x, y: x @ y, "b,4 c", "4,2 c")
case("holomorphic", lambda z: jnp.exp(z) * jnp.sin(z) / (z + 2), "b c")
case("conjugate", lambda z: jnp.conj(z) * z * z, "b,n c")
case("several_results", lambda x, y: (x @ y, x.sum(0), jnp.sin(y)), "b,3", "3,n")
case("integers_beside", lambda x, i: (x * i[:, None], i + 1), "b,3", "b <5")
case("scan_batch", lambda x, w: lax.scan(lambda c, _: (jnp.tanh(c @ w), c), x, None, length=4), "b,3", "3,3")
case("scan_steps", lambda x, w: lax.scan(lambda c, a: (jnp.tanh(c @ w + a),) * 2, jnp.zeros(3, x.dtype), x), "n,3", "3,3")
case("scan_both", lambda x, w: lax.scan(lambda c, a: (jnp.tanh(c @ w + a),) * 2, jnp.zeros((x.shape[1], 3), x.dtype), x), "n,b,3", "3,3")
case("scan_reverse", lambda x: lax.scan(lambda c, a: (c * a + 1, c), jnp.ones((), x.dtype), x, reverse=True), "n")
case("scan_captured", lambda x, y: lax.scan(lambda c, a: (c + (a * y).sum(), c), jnp.zeros((), x.dtype), x), "n,3", "3")
case("scan_nested", lambda x, y: lax.scan(lambda c, a: (lax.scan(lambda d, b: (d * b + a, None), c, y)[0], c), jnp.ones((), x.dtype), x), "n", "b")
case("fori", lambda x: lax.fori_loop(0, 4, lambda i, c: jnp.cos(c) * (i + 1), x), "b")
case("cond", lambda x, i: lax.cond(i[0] > 1, jnp.sin, lambda a: a**2, x), "b", "1 <4")
case("cond_captured", lambda x, y, i: lax.cond(i[0] > 1, lambda: x * y, lambda: x + jnp.exp(y)), "b,n", "b,n", "1 <4")
case("switch", lambda x, i: lax.switch(i[0], [jnp.sin, jnp.cos, lambda a: a**3, lambda a: a], x), "b,3", "1 <4")
case("cond_in_scan", lambda x, y: lax.scan(lambda c, a: (lax.cond(a > 0, lambda: c * a, lambda: c - jnp.sin(a * c)), None), y, x)[0], "n", "b")
case("newton", lambda x: lax.fori_loop(0, 5, lambda i, c: 0.5 * (c + x / c), x), "b pos")
case("cumsum", lambda x: jnp.cumsum(x * x, 1), "b,6")
case("cumprod", lambda x: jnp.cumprod(x, 1), "b,4 pos")
case("triangular", lambda a, b: jax.scipy.linalg.solve_triangular(a, b, lower=True), "4,4 tri", "4,b", tolerance=10)
case("transformer", lambda x, wq, wk, wv, w1, w2: (lambda h: layer_norm(h + nn.relu(h @ w1) @ w2, 1.0, 0.0))(layer_norm(x + heads(x, wq, wk, wv), 1.0, 0.0)), "b,6", "6,6", "6,6", "6,6", "6,8", "8,6")
