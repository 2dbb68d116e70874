"""Speed of code for every size against code for the sizes at hand, for kinds of programs that `jax.export` writes with symbolic shapes.

    python tests/export/speed.py [--mapwright PROGRAM] [--only WORD,…] [--threads N] [--seconds S] [--sweep | --values] [--folder FOLDER]

Each kind is exported once. Its ratio is the time of `mapwright run --specialize=off` over that of `--specialize=on`, both forms by turns and
the best of each. `--sweep` runs the code for every size at sizes from 1 to 4096 instead, and shows where the time for an element rises by
more than a factor of two from one size to a larger one, beyond 64. `--values` compares what both forms give at sizes from 1 to 257 with JAX. The folder keeps programs and arguments, so that a second run does not
need JAX. The kernels that the general emitter made are listed with the reasons of the others (`--why`).
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy


def kinds():
    """Name, function, arguments (`b,t,64` or `i32 b` …), sizes, and the size that a sweep changes."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    def decode(x, wq, wk, wv, keys, values):
        # One new token against a cache of n tokens that grows by it.
        q, k, v = x @ wq, x @ wk, x @ wv
        keys = jnp.concatenate([keys, k[None]], axis=0)
        values = jnp.concatenate([values, v[None]], axis=0)
        heads = lambda y: y.reshape(y.shape[:-1] + (8, 64))
        scores = jnp.einsum("hd,nhd->hn", heads(q), heads(keys)) / 8.0
        weights = jax.nn.softmax(scores, axis=-1)
        return jnp.einsum("hn,nhd->hd", weights, heads(values)).reshape(-1), keys, values

    def norm(x, scale):
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        return (x - mean) * lax.rsqrt(variance + 1e-5) * scale

    def encoder(x, wq, wk, wv, wo, w1, w2, scale):
        b, t, _ = x.shape
        split = lambda y: y.reshape(b, t, 4, 32)
        q, k, v = split(x @ wq), split(x @ wk), split(x @ wv)
        weights = jax.nn.softmax(jnp.einsum("bthd,bshd->bhts", q, k) / 5.6, axis=-1)
        x = norm(x + jnp.einsum("bhts,bshd->bthd", weights, v).reshape(b, t, 128) @ wo, scale)
        return norm(x + jax.nn.gelu(x @ w1) @ w2, scale)

    def depthwise(x, k):
        return lax.conv_general_dilated(x, k, (1,), [(1, 1)], dimension_numbers=("NWC", "WIO", "NWC"), feature_group_count=64)

    def pool(x):
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 4, 1), (1, 4, 1), "VALID")

    def pool_same(x):
        return lax.reduce_window(x, 0.0, lax.add, (1, 3, 1), (1, 1, 1), "SAME") / 3

    def convolution(x, k):
        return lax.conv_general_dilated(x, k, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"))

    def image(x, k):
        return lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def strided(x, k):
        return lax.conv_general_dilated(x, k, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def rotary(x):
        angle = jnp.arange(x.shape[1])[:, None] / 10000.0 ** (jnp.arange(32) / 32)
        a, b = x[..., :32], x[..., 32:]
        return jnp.concatenate([a * jnp.cos(angle) - b * jnp.sin(angle), a * jnp.sin(angle) + b * jnp.cos(angle)], -1)

    def to_multiple(x):
        blocks = (x.shape[0] + 31) // 32
        return jnp.pad(x, ((0, 32 * blocks - x.shape[0]), (0, 0))).reshape(blocks, 32, 64).sum(1)

    def loss(x, w, y):
        return -jnp.take_along_axis(jax.nn.log_softmax(x @ w), y[:, None] % 128, 1).mean()

    def ema(x):
        step = lambda carried, row: (lambda new: (new, new))(0.9 * carried + 0.1 * row)
        return lax.scan(step, jnp.zeros(x.shape[1:], x.dtype), x)[1]

    def ema_batch(x):
        step = lambda carried, row: (lambda new: (new, new))(0.9 * carried + 0.1 * row)
        return jnp.swapaxes(lax.scan(step, x[:, 0] * 0, jnp.swapaxes(x, 0, 1))[1], 0, 1)

    def running_least(x):
        step = lambda least, row: (lambda new: (new, new))(jnp.minimum(least, row))
        return lax.scan(step, x[0], x)[1]

    def gated_recurrence(x, w, u):
        def step(h, row):
            z = jax.nn.sigmoid(row @ w + h @ u)
            h = z * h + (1 - z) * jnp.tanh(row)
            return h, h
        return lax.scan(step, x[:, 0] * 0, jnp.swapaxes(x, 0, 1))[1]

    def updates(c, k):
        return lax.fori_loop(0, 64, lambda i, c: lax.dynamic_update_slice(c, k * (i + 1.0), (i, 0)), c)

    def branches(x):
        step = lambda i, x: lax.cond(i % 3 == 0, lambda x: x * 0.5, lambda x: x + 1.0, x)
        return lax.fori_loop(0, 64, step, x)

    def convolution_gradient(x, k):
        return jax.grad(lambda x, k: (convolution(x, k) ** 2).sum(), (0, 1))(x, k)

    def image_gradient(x, k):
        return jax.grad(lambda x, k: (image(x, k) ** 2).sum(), (0, 1))(x, k)

    def patches(x):
        return lax.conv_general_dilated_patches(x, (3, 3), (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def patches_channels_first(x):
        return lax.conv_general_dilated_patches(x, (3, 3), (1, 1), "SAME")

    def padded_pool(x):
        y = jnp.pad(jax.nn.relu(x), ((0, 0), (1, 1), (0, 0)))
        return lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 1), (1, 2, 1), "VALID")

    def relu_pool(x):
        y = jnp.pad(x, ((0, 0), (1, 1), (0, 0)))
        return lax.reduce_window(jax.nn.relu(y), -jnp.inf, lax.max, (1, 2, 1), (1, 2, 1), "VALID")

    def group_norm(x, scale):
        y = x.reshape(x.shape[0], x.shape[1], 8, 8)
        y = (y - y.mean((1, 3), keepdims=True)) * lax.rsqrt(y.var((1, 3), keepdims=True) + 1e-5)
        return y.reshape(x.shape) * scale

    def frames(x):
        # Windows of 64 samples at distances of 32.
        count = x.shape[1] // 32 - 1
        at = jnp.arange(count)[:, None] * 32 + jnp.arange(64)[None]
        return x[:, at] * jnp.hanning(64).astype(x.dtype)

    def halves(x):
        # The same windows as two halves of 32 samples.
        y = x.reshape(x.shape[0], -1, 32)
        return jnp.concatenate([y[:, :-1], y[:, 1:]], -1) * jnp.hanning(64).astype(x.dtype)

    return [
        ("decode", decode, ["512", "512,512", "512,512", "512,512", "n,512", "n,512"], {"n": 1024}, "n"),
        ("encoder", encoder, ["b,t,128", "128,128", "128,128", "128,128", "128,128", "128,512", "512,128", "128"], {"b": 4, "t": 128}, "t"),
        ("ragged_gather", lambda x, i: x[i], ["n,256", "i32 m"], {"n": 4096, "m": 2048}, "m"),
        ("batched_products", lambda x, y: x @ y, ["b,64,64", "b,64,64"], {"b": 128}, "b"),
        ("batched_rows", lambda x, y: x @ y, ["b,n,64", "b,64,n"], {"b": 8, "n": 128}, "n"),
        ("depthwise", depthwise, ["b,t,64", "3,1,64"], {"b": 8, "t": 512}, "t"),
        ("cumsum", lambda x: jnp.cumsum(x, axis=0), ["n,64"], {"n": 2048}, "n"),
        ("cumsum_rows", lambda x: jnp.cumsum(x, axis=1), ["64,n"], {"n": 2048}, "n"),
        ("argmax", lambda x: jnp.argmax(x, axis=-1), ["n,1024"], {"n": 512}, "n"),
        ("argmax_long", lambda x: jnp.argmax(x, axis=-1), ["64,n"], {"n": 4096}, "n"),
        ("matmul", lambda x, y: x @ y, ["n,256", "256,256"], {"n": 1024}, "n"),
        ("matmul_all", lambda x, y: x @ y, ["n,m", "m,n"], {"n": 300, "m": 200}, "n"),
        ("softmax", lambda x: jax.nn.softmax(x, axis=-1), ["n,n"], {"n": 1024}, "n"),
        ("attention", lambda q, k, v: jax.nn.softmax(q @ k.T / 8, axis=-1) @ v, ["n,64", "n,64", "n,64"], {"n": 1024}, "n"),
        ("layer_norm", norm, ["n,768", "768"], {"n": 1024}, "n"),
        ("column_sum", lambda x: x.sum(0), ["n,512"], {"n": 2048}, "n"),
        ("row_sum", lambda x: x.sum(1), ["512,n"], {"n": 2048}, "n"),
        ("transpose", lambda x: x.T + 1, ["n,m"], {"n": 1024, "m": 1024}, "n"),
        ("chain", lambda x, y: jnp.tanh(x) * y + x, ["n", "n"], {"n": 1 << 18}, "n"),
        ("sort", lambda x: jnp.sort(x, axis=-1), ["32,n"], {"n": 2048}, "n"),
        ("max_pool", pool, ["b,4*t,64"], {"b": 8, "t": 256}, "t"),
        ("concatenate", lambda x, y: jnp.concatenate([x, y], axis=0) * 2, ["n,256", "m,256"], {"n": 1024, "m": 512}, "n"),
        ("concatenate_rows", lambda x, y: jnp.concatenate([x, y], axis=1) * 2, ["256,n", "256,m"], {"n": 1024, "m": 512}, "n"),
        ("concatenate_three", lambda x, y: jnp.concatenate([x, y, x], axis=0) + 1, ["n,256", "m,256"], {"n": 512, "m": 512}, "n"),
        ("concatenate_sum", lambda x, y: jnp.concatenate([x, y], axis=1).sum(1), ["256,n", "256,m"], {"n": 1024, "m": 512}, "n"),
        ("pad", lambda x: jnp.pad(x, ((1, 2), (0, 0))) + 1, ["n,256"], {"n": 1024}, "n"),
        ("pad_rows", lambda x: jnp.pad(x, ((0, 0), (3, 5))) + 1, ["256,n"], {"n": 1024}, "n"),
        ("pad_to_multiple", to_multiple, ["n,64"], {"n": 2000}, "n"),
        ("difference", lambda x: x[1:] - x[:-1], ["n,256"], {"n": 1024}, "n"),
        ("roll", lambda x: jnp.roll(x, 3, axis=0) + x, ["n,256"], {"n": 1024}, "n"),
        ("rotary", rotary, ["b,t,64"], {"b": 8, "t": 256}, "t"),
        ("convolution", convolution, ["b,t,32", "3,32,64"], {"b": 4, "t": 256}, "t"),
        ("convolution_2d", image, ["b,h,h,16", "3,3,16,32"], {"b": 2, "h": 32}, "h"),
        ("convolution_strided", strided, ["b,h,h,16", "3,3,16,32"], {"b": 2, "h": 32}, "h"),
        ("pool_same", pool_same, ["b,t,64"], {"b": 8, "t": 512}, "t"),
        ("scatter_add", lambda x, i, u: x.at[i].add(u), ["n,64", "i32 m", "m,64"], {"n": 1024, "m": 2048}, "m"),
        ("fft", lambda x: jnp.abs(jnp.fft.rfft(x, axis=-1)), ["n,256"], {"n": 256}, "n"),
        ("top_k", lambda x: lax.top_k(x, 4)[0], ["n,256"], {"n": 256}, "n"),
        ("update", lambda c, k: lax.dynamic_update_slice(c, k, (0, 3, 0)) * 2, ["b,n,64", "b,1,64"], {"b": 8, "n": 512}, "n"),
        ("gated", lambda x, w, v: jax.nn.silu(x @ w) * (x @ v), ["n,256", "256,256", "256,256"], {"n": 512}, "n"),
        ("loss", loss, ["n,64", "64,128", "i32 n"], {"n": 1024}, "n"),
        ("ema", ema, ["n,256"], {"n": 1024}, "n"),
        ("ema_columns", ema, ["n,m"], {"n": 512, "m": 256}, "n"),
        ("ema_batch", ema_batch, ["b,t,64"], {"b": 8, "t": 256}, "b"),
        ("running_least", running_least, ["n,m"], {"n": 512, "m": 256}, "n"),
        ("gated_recurrence", gated_recurrence, ["b,t,128", "128,128", "128,128"], {"b": 8, "t": 128}, "b"),
        ("updates", updates, ["n+64,256", "1,256"], {"n": 1024}, "n"),
        ("updates_columns", updates, ["64+n,m", "2,m"], {"n": 1024, "m": 256}, "m"),
        ("branches", branches, ["n,64"], {"n": 256}, "n"),
        ("convolution_gradient", convolution_gradient, ["b,t,32", "3,32,64"], {"b": 4, "t": 256}, "t"),
        ("image_gradient", image_gradient, ["b,h,h,16", "3,3,16,32"], {"b": 2, "h": 32}, "h"),
        ("patches", patches, ["b,h,h,16"], {"b": 2, "h": 32}, "h"),
        ("patches_channels_first", patches_channels_first, ["b,16,h,h"], {"b": 2, "h": 32}, "h"),
        ("padded_pool", padded_pool, ["b,2*t,64"], {"b": 8, "t": 256}, "t"),
        ("relu_pool", relu_pool, ["b,2*t,64"], {"b": 8, "t": 256}, "t"),
        ("pad_sum", lambda x: jnp.pad(x, ((0, 0), (3, 5))).sum(1), ["256,n"], {"n": 1024}, "n"),
        ("pad_column_sum", lambda x: jnp.pad(x, ((3, 5), (0, 0))).sum(0), ["n,256"], {"n": 1024}, "n"),
        ("group_norm", group_norm, ["b,t,64", "64"], {"b": 8, "t": 256}, "t"),
        ("roll_columns", lambda x: jnp.roll(x, 5, axis=1) * 2, ["256,n"], {"n": 1024}, "n"),
        ("roll_by", lambda x, k: jnp.roll(x, k[0], axis=1) * 2, ["256,n", "i32 1"], {"n": 1024}, "n"),
        ("frames", frames, ["8,32*n"], {"n": 256}, "n"),
        ("halves", halves, ["8,32*n"], {"n": 256}, "n"),
    ]


def split(words):
    parts = words.split(" ")
    return parts if len(parts) == 2 else ("f32", words)


def shape(words, sizes):
    return [eval(size, {}, dict(sizes)) for size in split(words)[1].split(",")]


def export(kind, folder):
    import jax
    from jax import export

    name, function, arguments, sizes, swept = kind
    scope = export.SymbolicScope()
    specs = []
    for words in arguments:
        kind, dims = split(words)
        dtype = {"f32": "float32", "i32": "int32"}[kind]
        specs.append(jax.ShapeDtypeStruct(export.symbolic_shape(dims, scope=scope), dtype))
    exported = export.export(jax.jit(function), platforms=["cpu"])(*specs)
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    (place / "program.mlir").write_text(exported.mlir_module())
    described = {"arguments": arguments, "sizes": sizes, "swept": swept}
    (place / "kind.json").write_text(json.dumps(described))


def arguments(place, kind, sizes):
    """A folder with arguments of these sizes."""
    folder = place / ("sizes-" + "-".join(str(size) for size in sizes.values()))
    if not folder.exists():
        folder.mkdir()
        rng = numpy.random.default_rng(1)
        for i, words in enumerate(kind["arguments"]):
            dims = shape(words, sizes)
            if split(words)[0] == "i32":
                # Rows of the first argument, in any order.
                rows = shape(kind["arguments"][0], sizes)[0]
                values = rng.integers(0, rows, dims).astype(numpy.int32)
            else:
                values = (rng.standard_normal(dims) / 4).astype(numpy.float32)
            numpy.save(folder / f"arg{i}.npy", values)
    return folder


def run(options, place, folder, mode, seconds):
    command = [options.mapwright, "run", str(place / "program.mlir"), "--inputs", str(folder), "--json"]
    command += [f"--specialize={mode}", f"--bench={seconds}", "--threads", str(options.threads)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr.strip().splitlines()[:1]
    return json.loads(done.stdout), None


def ratio(options, place, kind):
    folder = arguments(place, kind, kind["sizes"])
    best = {"on": math.inf, "off": math.inf}
    general = []
    for _ in range(options.turns):
        for mode in best:
            report, error = run(options, place, folder, mode, options.seconds)
            if report is None:
                return None, [f"{mode}: {error}"]
            best[mode] = min(best[mode], report["min_ms"])
            if mode == "off":
                general = [kernel for kernel in report["kernels"] if kernel["emitter"] == "general"]
    why = []
    for kernel in general:
        reasons = {reason["emitter"]: reason["reason"] for reason in kernel["declined"]}
        why.append(f"{kernel['name']}: {reasons}")
    return (best["off"] / best["on"], best), why


def expected(place, kind, function, sizes):
    """What JAX computes at these sizes, kept beside the arguments."""
    import jax

    folder = arguments(place, kind, sizes)
    if not (folder / "expected0.npy").exists():
        count = len(kind["arguments"])
        values = [numpy.load(folder / f"arg{i}.npy") for i in range(count)]
        for i, value in enumerate(jax.tree.leaves(jax.jit(function)(*values))):
            numpy.save(folder / f"expected{i}.npy", numpy.asarray(value))
    return folder


def values(options, place, kind, function):
    """Where a form gives something else than JAX, at sizes from 1 to 257."""
    wrong = []
    for n in (1, 7, 64, 257):
        own = dict(kind["sizes"])
        own[kind["swept"]] = n
        folder = expected(place, kind, function, own)
        for mode in ("on", "off"):
            with tempfile.TemporaryDirectory() as out:
                command = [options.mapwright, "run", str(place / "program.mlir"), "--inputs", str(folder), "--output-dir", out]
                command += [f"--specialize={mode}", "--threads", str(options.threads)]
                done = subprocess.run(command, capture_output=True, text=True)
                if done.returncode:
                    wrong.append(f"{n} {mode}: {done.stderr.strip().splitlines()[:1]}")
                    continue
                for path in sorted(folder.glob("expected*.npy")):
                    found, wanted = numpy.load(f"{out}/out{path.stem[8:]}.npy"), numpy.load(path)
                    if found.shape != wanted.shape:
                        wrong.append(f"{n} {mode}: {found.shape}, not {wanted.shape}")
                    elif not numpy.allclose(found, wanted, rtol=2e-4, atol=2e-4, equal_nan=True):
                        wrong.append(f"{n} {mode}: differs by {numpy.nanmax(numpy.abs(found - wanted)):.3g}")
    return wrong


def sweep(options, place, kind):
    """Times for an element at each size, and the steps of more than two."""
    found = []
    last = kind["swept"]
    sizes = [1, 2, 3, 7, 8, 16, 31, 33, 63, 64, 65, 96, 127, 129, 192, 255, 257, 384, 500, 511, 513, 768, 1000, 1023, 1025, 1536, 2047, 2049, 3000, 4095, 4096]
    for n in sizes:
        own = dict(kind["sizes"])
        own[last] = n
        if n > 1024 and any(shape(words, own).count(n) > 1 for words in kind["arguments"]):
            break
        folder = arguments(place, kind, own)
        report, error = run(options, place, folder, "off", options.seconds)
        if report is None:
            return [f"{n}: {error}"]
        elements = sum(math.prod(shape(words, own)) for words in kind["arguments"] if last in split(words)[1])
        found.append((n, report["min_ms"] * 1e6 / elements))
    steps = []
    for i, (n, time) in enumerate(found):
        smaller = [other for other in found[:i] if other[0] >= 64]
        if smaller:
            m, least = min(smaller, key=lambda pair: pair[1])
            # Work that grows with the square is no step.
            if time > 2 * least:
                steps.append(f"{m}: {least:.3f} -> {n}: {time:.3f}")
    line = " ".join(f"{n}:{time:.2f}" for n, time in found)
    return [f"ns an element: {line}"] + [f"step {step}" for step in steps[:4]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mapwright", default="target/release/mapwright")
    parser.add_argument("--only", default="")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--sweep", action="store_true")
    parser.add_argument("--values", action="store_true")
    parser.add_argument("--why", action="store_true")
    parser.add_argument("--folder")
    options = parser.parse_args()
    folder = pathlib.Path(options.folder or tempfile.mkdtemp(prefix="speed-"))
    wanted = [word for word in options.only.split(",") if word]
    if not any(folder.glob("*/kind.json")):
        for kind in kinds():
            try:
                export(kind, folder)
            except Exception as error:
                print(f"{kind[0]}: not exported: {str(error).splitlines()[0]}", file=sys.stderr)
    ratios = []
    failed = False
    functions = {name: function for name, function, *_ in kinds()} if options.values else {}
    for place in sorted(folder.iterdir()):
        if wanted and place.name not in wanted:
            continue
        kind = json.loads((place / "kind.json").read_text())
        if options.values:
            wrong = values(options, place, kind, functions[place.name])
            print(f"{place.name:18} {wrong or 'as JAX'}", flush=True)
            failed |= bool(wrong)
            continue
        if options.sweep:
            for line in sweep(options, place, kind):
                print(f"{place.name:18} {line}", flush=True)
            continue
        measured, why = ratio(options, place, kind)
        if measured is None:
            print(f"{place.name:18} {why}", flush=True)
            continue
        value, best = measured
        ratios.append(value)
        print(f"{place.name:18} {value:6.2f}   {best['off']:9.3f} / {best['on']:9.3f} ms   general: {len(why)}", flush=True)
        if options.why:
            for line in why:
                print(f"    {line}")
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{'geometric mean':18} {mean:6.2f}   greatest {max(ratios):.2f}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
