#!/usr/bin/env python3
"""The encoder layers of layer.mlir and document.mlir against the same in NumPy with 64 bits: by loops, as a function of one sentence, with embeddings of
words and dropout, and in the form of the paper, whose sentences have one length, on batches of one to three sentences of each of the lengths.

    python3 examples/transformer/check.py path/to/mapwright [lengths of sentences …]
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HEADS, D, HIDDEN, WORDS = 8, 512, 2048, 1000


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


def embedded(words, table):
    places = np.arange(len(words))[:, None]
    angles = places * 10000.0 ** (-(np.arange(D) // 2 * 2) / D)
    return table[words] * np.sqrt(D) + np.where(np.arange(D) % 2, np.cos(angles), np.sin(angles))


def kept(words, seed):
    """What dropout multiplies the features of each word with: 0 or 2."""
    words, places = words.astype(np.uint32), np.arange(len(words), dtype=np.uint32)
    h = (np.uint32(seed) ^ words * np.uint32(2654435761)) + places * np.uint32(2246822519)
    h = h[:, None] + np.arange(D, dtype=np.uint32) * np.uint32(3266489917)
    h = (h ^ h >> np.uint32(16)) * np.uint32(2146121005)
    h = (h ^ h >> np.uint32(15)) * np.uint32(2221713035)
    return np.where((h ^ h >> np.uint32(16)) >> np.uint32(31), 0.0, 2.0)


def encoder(words, table, seed, wq, wk, wv, scale1, shift1, w1, b1, w2, b2, scale2, shift2):
    x = embedded(words, table)
    x = norm(x + attention(x @ wq, x @ wk, x @ wv), scale1, shift1)
    return norm(x + kept(words, seed) * (np.maximum(x @ w1 + b1, 0) @ w2 + b2), scale2, shift2)


def run(program, entry, leaves, lengths, others):
    """What the function gives for these sentences, one behind the other."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        np.save(folder / "arg0.values.npy", leaves)
        np.save(folder / "arg0.offsets0.npy", np.array([0, len(lengths)]))
        np.save(folder / "arg0.offsets1.npy", np.cumsum([0, *lengths]))
        for i, x in enumerate(others):
            np.save(folder / f"arg{i + 1}.npy", x)
        source = pathlib.Path(__file__).with_name("layer.mlir")
        command = [program, "run", source, "--entry", entry, "--inputs", folder, "--output-dir", folder / "out"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        offsets = np.load(folder / "out" / "out0.offsets1.npy")
        assert list(np.diff(offsets)) == lengths, offsets
        return np.load(folder / "out" / "out0.values.npy")


def compare(entry, found, wanted, lengths):
    worst = np.abs(found - np.concatenate([np.zeros([0, D]), *wanted])).max(initial=0.0)
    print(f"@{entry}, {len(lengths)} sentences of {lengths} tokens: greatest difference {worst:.1e}")
    assert worst < 1e-5


def document(program, length, batch, weights, rng):
    """The paper's layer. Which features dropout keeps is its second result."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        words = rng.integers(0, WORDS, [batch, length])
        for i, x in enumerate([words, *weights]):
            np.save(folder / f"arg{i}.npy", x)
        source = pathlib.Path(__file__).with_name("document.mlir")
        command = [program, "run", source, "--entry", "document", "--inputs", folder, "--output-dir", folder / "out"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        found, mask = (np.load(folder / "out" / f"out{i}.npy") for i in range(2))
    table, wq, wk, wv, scale, shift, w1, b1, w2, b2 = (x.astype(np.float64) for x in weights)
    wanted = np.zeros([batch, length, D])
    for i, own in enumerate(words):
        x = embedded(own, table.T)
        y = norm(x + attention(x @ wq.T, x @ wk.T, x @ wv.T), scale, shift)
        wanted[i] = (np.maximum(y @ w1 + b1, 0) * mask[i] * 2) @ w2 + b2
    worst = np.abs(found - wanted).max(initial=0.0)
    share = f", {mask.mean():.1%} of the features kept" if mask.size else ""
    print(f"@document, {batch} sentences of {length} words: greatest difference {worst:.1e}{share}")
    assert worst < 1e-5


def main(program, lengths):
    rng = np.random.default_rng(7)

    def some(*shape, size=1.0):
        return (size * rng.standard_normal(shape)).astype(np.float32)

    sentences = [some(n, D) for n in lengths]
    weights = [some(D, D, size=D**-0.5) for _ in range(3)]
    weights += [1 + some(D, size=0.1), some(D, size=0.1)]
    weights += [some(D, HIDDEN, size=D**-0.5), some(HIDDEN, size=0.1), some(HIDDEN, D, size=HIDDEN**-0.5), some(D, size=0.1)]
    weights += [1 + some(D, size=0.1), some(D, size=0.1)]
    wide = [x.astype(np.float64) for x in weights]
    found = run(program, "main", np.concatenate([np.zeros([0, D], np.float32), *sentences]), lengths, weights)
    compare("main", found, [layer(x.astype(np.float64), *wide) for x in sentences], lengths)
    found = run(program, "batched", np.concatenate([np.zeros([0, D], np.float32), *sentences]), lengths, weights)
    compare("batched", found, [layer(x.astype(np.float64), *wide) for x in sentences], lengths)

    table, seed = some(WORDS, D, size=D**-0.5), np.array(12345, np.uint32)
    words = [rng.integers(0, WORDS, n) for n in lengths]
    found = run(program, "encoder", np.concatenate([np.zeros(0, np.int64), *words]), lengths, [table, seed, *weights])
    compare("encoder", found, [encoder(x, table.astype(np.float64), seed, *wide) for x in words], lengths)

    for i, length in enumerate(lengths):
        document(program, length, i % 3 + 1, [np.ascontiguousarray(table.T), *weights[:9]], rng)


if __name__ == "__main__":
    main(sys.argv[1], [int(n) for n in sys.argv[2:]] or [5, 24, 1, 13])
