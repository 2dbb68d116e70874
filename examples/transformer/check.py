#!/usr/bin/env python3
"""The encoder layer of layer.mlir against the same in NumPy with 64 bits.

    python3 examples/transformer/check.py path/to/mapwright [lengths of sentences …]
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HEADS, D, HIDDEN, MOST_TOKENS, MOST_SENTENCES = 8, 512, 2048, 24, 4


def norm(x, scale, shift):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-6) * scale + shift


def attention(q, k, v):
    q, k, v = (x.reshape(len(x), HEADS, D // HEADS).transpose(1, 0, 2) for x in (q, k, v))
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(D // HEADS)
    powers = np.exp(scores - scores.max(-1, keepdims=True, initial=-np.inf))
    weights = powers / powers.sum(-1, keepdims=True)
    return (weights @ v).transpose(1, 0, 2).reshape(-1, D)


def layer(x, wq, wk, wv, scale1, shift1, w1, b1, w2, b2, scale2, shift2):
    x = norm(x + attention(x @ wq, x @ wk, x @ wv), scale1, shift1)
    return norm(x + np.maximum(x @ w1 + b1, 0) @ w2 + b2, scale2, shift2)


def main(program, lengths):
    rng = np.random.default_rng(7)

    def some(*shape, size=1.0):
        return (size * rng.standard_normal(shape)).astype(np.float32)

    sentences = [some(n, D) for n in lengths]
    weights = [some(D, D, size=D**-0.5) for _ in range(3)]
    weights += [1 + some(D, size=0.1), some(D, size=0.1)]
    weights += [some(D, HIDDEN, size=D**-0.5), some(HIDDEN, size=0.1), some(HIDDEN, D, size=HIDDEN**-0.5), some(D, size=0.1)]
    weights += [1 + some(D, size=0.1), some(D, size=0.1)]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        np.save(folder / "arg0.values.npy", np.concatenate([np.zeros([0, D], np.float32), *sentences]))
        np.save(folder / "arg0.offsets0.npy", np.array([0, len(lengths)]))
        np.save(folder / "arg0.offsets1.npy", np.cumsum([0, *lengths]))
        for i, x in enumerate(weights):
            np.save(folder / f"arg{i + 1}.npy", x)
        source = pathlib.Path(__file__).with_name("layer.mlir")
        subprocess.run([program, "run", source, "--inputs", folder, "--output-dir", folder / "out"], check=True)
        values = np.load(folder / "out" / "out0.values.npy")
        offsets = np.load(folder / "out" / "out0.offsets1.npy")
    assert list(np.diff(offsets)) == lengths, offsets
    weights = [x.astype(np.float64) for x in weights]
    worst = 0.0
    for i, x in enumerate(sentences):
        want = layer(x.astype(np.float64), *weights)
        worst = max(worst, np.abs(values[offsets[i]:offsets[i + 1]] - want).max(initial=0.0))
    print(f"{len(lengths)} sentences of {lengths} tokens: greatest difference {worst:.1e}")
    assert worst < 1e-5


if __name__ == "__main__":
    main(sys.argv[1], [int(n) for n in sys.argv[2:]] or [5, 24, 1, 13])
