#!/usr/bin/env python3
"""A layer of a Transformer over sentences of different lengths: without padding, and as others do it.

usage: ragged.py [--tool target/release/mapwright] [--threads 1,2] [--rounds 3] [--seconds 3] [--draw uniform,tail] [--only NAME,…] [--write]
       ragged.py --maxima [--tool …] [--threads 1] [--rounds 3] [--seconds 3] [--write]

64 sentences of 16 to 512 tokens, 512 features, 8 heads, 2048 hidden features. `uniform` draws lengths uniformly, `tail` mostly short ones and a few
long ones. The forms:

- `ragged`: `examples/transformer/layer.mlir`, with these maxima;
- `vectorized`: `@batched` of the same file, a function of one sentence for all of them;
- `padded`: every sentence padded to the longest and masked, compiled by us;
- `packed`: the same number of tokens as dense products, and the attention of each sentence with its length known to the compiler, compiled by us;
- `jax`: the padded form, compiled by JAX;
- `torch`: PyTorch's nested tensors in jagged layout, where PyTorch is installed.

The forms take turns, so that what else the machine does meets all of them; a figure is the least of all rounds. Printed are ratios to `ragged`, and
the greatest difference between what the forms give; in the end a table of the ratios. Needs NumPy, and JAX for all forms but `ragged`.

With `--maxima` the layer alone, on 3 sentences of 13, 5 and 24 tokens, with maxima of so many times what is there, and without any: a maximum costs nothing.
With `--write` the table is put into docs/ragged.md, with this command and machine.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

import figures

HEADS, D, HIDDEN, SENTENCES, LONGEST, SHORTEST = 8, 512, 2048, 64, 512, 16
ROOT = pathlib.Path(__file__).parent.parent


def lengths(draw):
    rng = np.random.default_rng(11)
    if draw == "uniform":
        return rng.integers(SHORTEST, LONGEST + 1, SENTENCES)
    return np.clip(SHORTEST + rng.exponential(60.0, SENTENCES), SHORTEST, LONGEST).astype(np.int64)


def inputs(own):
    rng = np.random.default_rng(7)

    def some(*shape, size=1.0):
        return (size * rng.standard_normal(shape)).astype(np.float32)

    tokens = some(int(own.sum()), D)
    weights = [some(D, D, size=D**-0.5) for _ in range(3)] + [1 + some(D, size=0.1), some(D, size=0.1)]
    weights += [some(D, HIDDEN, size=D**-0.5), some(HIDDEN, size=0.1), some(HIDDEN, D, size=HIDDEN**-0.5), some(D, size=0.1)]
    weights += [1 + some(D, size=0.1), some(D, size=0.1)]
    return tokens, weights


def padded_tokens(tokens, own):
    longest = int(own.max())
    result = np.zeros([len(own), longest, D], np.float32)
    begin = 0
    for i, n in enumerate(own):
        result[i, :n] = tokens[begin : begin + n]
        begin += n
    return result


def norm(x, scale, shift, xp):
    centred = x - x.mean(-1, keepdims=True)
    variance = (centred * centred).mean(-1, keepdims=True)
    return centred / xp.sqrt(variance + 1e-6) * scale + shift


def jax_forms(own):
    """The padded and the packed layer as functions of JAX."""
    import jax
    import jax.numpy as jnp

    def ends(x, attended, scale1, shift1, w1, b1, w2, b2, scale2, shift2):
        x = norm(x + attended, scale1, shift1, jnp)
        return norm(x + jnp.maximum(x @ w1 + b1, 0) @ w2 + b2, scale2, shift2, jnp)

    def padded(x, sizes, wq, wk, wv, *others):
        batch, longest, _ = x.shape
        q, k, v = ((x @ w).reshape(batch, longest, HEADS, D // HEADS) for w in (wq, wk, wv))
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * (D // HEADS) ** -0.5
        there = jnp.arange(longest)[None, None, None, :] < sizes[:, None, None, None]
        weights = jax.nn.softmax(jnp.where(there, scores, -jnp.inf), axis=-1)
        return ends(x, jnp.einsum("bhqk,bkhd->bqhd", weights, v).reshape(x.shape), *others)

    def packed(x, wq, wk, wv, *others):
        q, k, v = ((x @ w).reshape(-1, HEADS, D // HEADS) for w in (wq, wk, wv))
        parts, begin = [], 0
        for n in own:
            a, b, c = (y[begin : begin + n] for y in (q, k, v))
            weights = jax.nn.softmax(jnp.einsum("qhd,khd->hqk", a, b) * (D // HEADS) ** -0.5, axis=-1)
            parts.append(jnp.einsum("hqk,khd->qhd", weights, c).reshape(n, D))
            begin += n
        return ends(x, jnp.concatenate(parts), *others)

    return jax, padded, packed


def torch_layer(tokens, own, weights, threads):
    """The layer with PyTorch's nested tensors; a function that gives the packed tokens."""
    import torch
    import torch.nn.functional as F

    torch.set_num_threads(threads)
    wq, wk, wv, scale1, shift1, w1, b1, w2, b2, scale2, shift2 = (torch.from_numpy(x) for x in weights)
    wq, wk, wv, w1, w2 = (x.t().contiguous() for x in (wq, wk, wv, w1, w2))
    offsets = torch.from_numpy(np.cumsum([0, *own]))
    x = torch.nested.nested_tensor_from_jagged(torch.from_numpy(tokens), offsets)

    def run():
        with torch.no_grad():
            q, k, v = (F.linear(x, w).unflatten(-1, [HEADS, D // HEADS]).transpose(1, 2) for w in (wq, wk, wv))
            attended = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(-2)
            y = F.layer_norm(x + attended, (D,), scale1, shift1, 1e-6)
            z = y + F.linear(F.relu(F.linear(y, w1, b1)), w2, b2)
            return F.layer_norm(z, (D,), scale2, shift2, 1e-6)

    return lambda: run().values().numpy()


def timed(run, seconds):
    run()
    least, end = float("inf"), time.perf_counter() + seconds
    while True:
        begin = time.perf_counter()
        result = run()
        least = min(least, time.perf_counter() - begin)
        if time.perf_counter() > end:
            return 1e3 * least, result


def peer(form, draw, threads, seconds, out):
    """Runs in a process of its own, whose number of threads is that of the form."""
    own = lengths(draw)
    tokens, weights = inputs(own)
    if form == "jax":
        jax, padded, _ = jax_forms(own)
        run = jax.jit(padded)
        arguments = [jax.device_put(x) for x in (padded_tokens(tokens, own), own, *weights)]
        least, found = timed(lambda: jax.block_until_ready(run(*arguments)), seconds)
        found = np.asarray(found)
        found = np.concatenate([found[i, :n] for i, n in enumerate(own)])
    else:
        least, found = timed(torch_layer(tokens, own, weights, threads), seconds)
    np.save(out, found)
    print(least)


def save(folder, arguments):
    folder.mkdir()
    for name, x in arguments.items():
        np.save(folder / f"{name}.npy", x)


def numbered(arguments, first=0):
    return {f"arg{first + i}": x for i, x in enumerate(arguments)}


def layer(sentences, longest):
    """The layer with these maxima; 0 stands for none."""
    text = (ROOT / "examples/transformer/layer.mlir").read_text()
    for known, maximum in (("24", longest), ("4", sentences)):
        for before in (", ", " "):
            text = re.sub(f"{before}max = {known}\\b", f"{before}max = {maximum}" if maximum else "", text)
    return text


def arrays(tokens, own, weights):
    """The arguments of the layer."""
    own = {"arg0.values": tokens, "arg0.offsets0": np.array([0, len(own)]), "arg0.offsets1": np.cumsum([0, *own])}
    return {**own, **numbered(weights, 1)}


def prepare(folder, draw, forms):
    """The program and the inputs of each form that is ours."""
    own = lengths(draw)
    tokens, weights = inputs(own)
    for form in ("ragged", "vectorized"):
        (folder / f"{form}.mlir").write_text(layer(SENTENCES, LONGEST))
        save(folder / form, arrays(tokens, own, weights))
    if {"padded", "packed"} & set(forms):
        jax, padded, packed = jax_forms(own)
        for form, run, arguments in [("padded", padded, [padded_tokens(tokens, own), own.astype(np.int32), *weights]), ("packed", packed, [tokens, *weights])]:
            (folder / f"{form}.mlir").write_text(jax.jit(run).lower(*arguments).as_text())
            save(folder / form, numbered(arguments))
    return own


def maxima(options):
    """What the layer takes by its maxima."""
    own = np.array([13, 5, 24])
    tokens, weights = inputs(own)
    threads = options.threads.split(",")[0]
    factors = [1, 10, 1000, 100000, 0]
    least, memory = {}, {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        save(folder / "arguments", arrays(tokens, own, weights))
        for _ in range(options.rounds):
            for factor in factors:
                (folder / "layer.mlir").write_text(layer(factor * len(own), factor * int(own.max())))
                command = [options.tool, "run", folder / "layer.mlir", "--inputs", folder / "arguments", "--threads", threads]
                found = subprocess.run([*command, f"--bench={options.seconds}", "--json"], capture_output=True, text=True, check=True)
                report = json.loads(found.stdout)
                least[factor] = min(report["min_ms"], least.get(factor, report["min_ms"]))
                memory[factor] = report["memory_bytes"]["peak"]
    lines = ["| maxima | time | memory |", "|---|---|---|"]
    for factor in factors:
        what = f"{factor:,} times what is there" if factor else "none"
        lines.append(f"| {what} | {least[factor]:.2f} ms | {memory[factor] / 1e6:.1f} MB |")
    show(options, "maxima", lines)


def show(options, name, lines):
    print("\n".join(lines))
    if options.write:
        figures.write("ragged.md", name, lines)


def measured(tool, folder, form, draw, threads, seconds):
    """Milliseconds of one form, and what it gives."""
    out = folder / f"{form}.out"
    if form in ("jax", "torch"):
        flags = "" if threads > 1 else "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        environment = {**os.environ, "XLA_FLAGS": flags, "OMP_NUM_THREADS": str(threads), "JAX_PLATFORMS": "cpu"}
        cores = ",".join(str(i) for i in range(threads))
        command = ["taskset", "-c", cores, sys.executable, __file__, "--peer", form, "--draw", draw]
        command += ["--threads", str(threads), "--seconds", str(seconds), "--out", f"{out}.npy"]
        found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return float(found.stdout.split()[-1]), np.load(f"{out}.npy")
    command = [tool, "run", folder / f"{form}.mlir", "--inputs", folder / form, "--threads", str(threads), f"--bench={seconds}", "--json"]
    command += ["--entry", "batched" if form == "vectorized" else "main"]
    found = subprocess.run([*command, "--output-dir", out], capture_output=True, text=True, check=True)
    name = "out0.values.npy" if form in ("ragged", "vectorized") else "out0.npy"
    return json.loads(found.stdout)["min_ms"], np.load(out / name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default=str(ROOT / "target/release/mapwright"))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--draw", default="uniform,tail")
    parser.add_argument("--only", default="ragged,vectorized,padded,packed,jax,torch")
    parser.add_argument("--maxima", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    parser.add_argument("--out", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        peer(options.peer, options.draw, int(options.threads), options.seconds, options.out)
        return
    if options.maxima:
        maxima(options)
        return
    table, columns = {}, []
    for draw in options.draw.split(","):
        forms = options.only.split(",")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            own = prepare(folder, draw, forms)
            share = own.sum() / (own.max() * len(own))
            print(f"{draw}: {own.sum()} tokens in {len(own)} sentences, {share:.0%} of the room that padding takes")
            for threads in map(int, options.threads.split(",")):
                least, results = {}, {}
                for _ in range(options.rounds):
                    for form in list(forms):
                        try:
                            took, found = measured(options.tool, folder, form, draw, threads, options.seconds)
                        except (subprocess.CalledProcessError, OSError) as error:
                            lines = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
                            print(f"  {form}: not measured, {lines[-1] if lines else error}")
                            forms.remove(form)
                            continue
                        if form == "padded":
                            found = np.concatenate([found[i, :n] for i, n in enumerate(own)])
                        least[form] = min(took, least.get(form, took))
                        results[form] = found[: own.sum()]
                column = f"`{draw}`, {threads} thread{'s' if threads > 1 else ''}"
                columns.append(column)
                for form, took in least.items():
                    table.setdefault(form, {})[column] = took / least.get("ragged", took)
                    ratio = took / least.get("ragged", took)
                    far = max(np.abs(results[form] - other).max() for other in results.values())
                    print(f"  {threads} threads  {form:8} {took:9.1f} ms  {ratio:5.2f} of ragged  greatest difference {far:.1e}", flush=True)
    lines = ["| form | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns)]
    for form, ratios in table.items():
        lines.append(f"| {form} | " + " | ".join(f"{ratios[c]:.2f}" if c in ratios else "" for c in columns) + " |")
    show(options, "forms", lines)


if __name__ == "__main__":
    main()
