#!/usr/bin/env python3
"""Fifteen kinds of programs with loops, as people write them with `lax`, beside XLA:CPU and plain C.

usage: kinds.py [--tool target/release/mapwright] [--seconds 0.5] [--threads 1] [--only NAME] [--markdown]

Needs JAX and clang. The three take turns, three rounds, and the least median counts. Values are compared with C's.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
threads = sys.argv[sys.argv.index("--threads") + 1] if "--threads" in sys.argv else "1"
if threads == "1":
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

PROGRAMS = {}


def normal(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def program(what, *inputs):
    def add(f):
        PROGRAMS[f.__name__] = (f, inputs, what)
        return f
    return add


@program("Runge and Kutta's method for Lorenz's system, 10,000 steps", np.array([1, 1, 1], np.float32))
def runge_kutta(x):
    def f(x):
        return jnp.stack([10.0 * (x[1] - x[0]), x[0] * (28.0 - x[2]) - x[1], x[0] * x[1] - 2.6666667 * x[2]])
    h = 0.001
    def step(_, x):
        a = f(x)
        b = f(x + h / 2 * a)
        c = f(x + h / 2 * b)
        d = f(x + h * c)
        return x + h / 6 * (a + 2 * b + 2 * c + d)
    return lax.fori_loop(0, 10000, step, x)


@program("a particle filter, 1,024 particles, 100 observations", normal(1024), normal(100, 1024), normal(100))
def particle_filter(p, noise, seen):
    n = p.shape[0]
    def step(p, inputs):
        noise, seen = inputs
        p = 0.9 * p + noise
        w = jax.nn.softmax(-0.5 * (p - seen) ** 2)
        k = jnp.searchsorted(jnp.cumsum(w), (jnp.arange(n) + 0.5) / n)
        p = p[jnp.minimum(k, n - 1)]
        return p, jnp.mean(p)
    return lax.scan(step, p, (noise, seen))[1]


@program("Viterbi's algorithm, 64 states, 200 steps", normal(64, 64), normal(200, 64))
def viterbi(transition, emission):
    def step(a, e):
        v = a[:, None] + transition
        return jnp.max(v, 0) + e, jnp.argmax(v, 0)
    a, back = lax.scan(step, emission[0], emission[1:])
    def trace(best, back):
        return back[best], best
    first, path = lax.scan(trace, jnp.argmax(a), back, reverse=True)
    return jnp.concatenate([first[None], path]).astype(jnp.int32)


@program("beam search, 8 beams, 256 words, 32 steps", normal(256, 256))
def beam_search(table):
    def step(_, state):
        score, word = state
        s = score[:, None] + table[word]
        score, k = lax.top_k(s.reshape(-1), 8)
        return score, k % 256
    start = jnp.where(jnp.arange(8) == 0, 0.0, -1e9).astype(jnp.float32)
    return lax.fori_loop(0, 32, step, (start, jnp.zeros(8, jnp.int32)))[0]


@program("conjugate gradients on a grid of 128 by 128, 100 iterations", normal(128, 128))
def conjugate_gradients(b):
    def apply(p):
        q = jnp.pad(p, 1)
        return 4 * p - q[:-2, 1:-1] - q[2:, 1:-1] - q[1:-1, :-2] - q[1:-1, 2:]
    def step(_, state):
        x, r, p, s = state
        q = apply(p)
        alpha = s / jnp.sum(p * q)
        x, r = x + alpha * p, r - alpha * q
        t = jnp.sum(r * r)
        return x, r, r + t / s * p, t
    return lax.fori_loop(0, 100, step, (jnp.zeros_like(b), b, b, jnp.sum(b * b)))[0]


@program("Sinkhorn's scalings of 256 by 256, 50 rounds", np.abs(normal(256, 256)))
def sinkhorn(cost):
    k = jnp.exp(-cost)
    def step(_, state):
        u, v = state
        u = 1 / (k @ v)
        return u, 1 / (u @ k)
    u, v = lax.fori_loop(0, 50, step, (jnp.ones(256), jnp.ones(256)))
    return u[:, None] * k * v[None, :]


@program("8 queens, every way, one row after the other")
def queens():
    n = 8
    def step(state):
        at, row, count = state
        at = at.at[row].add(1)
        own = at[row]
        over = own >= n
        d = at - own
        rows = jnp.arange(n)
        hit = jnp.any((rows < row) & ((d == 0) | (d == row - rows) | (d == rows - row)))
        free = ~over & ~hit
        last = row == n - 1
        at = jnp.where((rows == row) & over, -1, at)
        return at, row + jnp.where(over, -1, jnp.where(free & ~last, 1, 0)), count + (free & last)
    start = (jnp.full(n, -1, jnp.int32), jnp.int32(0), jnp.int32(0))
    return lax.while_loop(lambda s: s[1] >= 0, step, start)[2]


@program("k-means, 2,000 points of 8 numbers, 16 centres, 10 rounds", normal(2000, 8), normal(16, 8))
def kmeans(x, c):
    def step(_, c):
        d = jnp.sum((x[:, None] - c[None]) ** 2, -1)
        which = jnp.argmin(d, 1)
        total = jnp.zeros_like(c).at[which].add(x)
        count = jnp.zeros(c.shape[0]).at[which].add(1.0)
        return total / jnp.maximum(count, 1)[:, None]
    return lax.fori_loop(0, 10, step, c)


@program("dynamic time warping of two lines of 300", normal(300), normal(301)[:300])
def warping(x, y):
    far = jnp.float32(1e30)
    def row(d, x):
        cost = jnp.abs(x - y)
        def cell(left, inputs):
            cost, up, corner = inputs
            new = cost + jnp.minimum(jnp.minimum(up, left), corner)
            return new, new
        _, new = lax.scan(cell, far, (cost, d[1:], d[:-1]))
        return jnp.concatenate([far[None], new]), None
    start = jnp.where(jnp.arange(301) == 0, 0.0, far).astype(jnp.float32)
    return lax.scan(row, start, x)[0][-1]


@program("alignment of two sequences of 300 letters", np.random.default_rng(3).integers(0, 4, 300).astype(np.int32),
         np.random.default_rng(4).integers(0, 4, 300).astype(np.int32))
def alignment(x, y):
    def row(state, x):
        d, i = state
        def cell(left, inputs):
            same, up, corner = inputs
            new = jnp.maximum(jnp.maximum(corner + jnp.where(same, 3, -1), up - 2), left - 2)
            return new, new
        first = -2 * (i + 1)
        _, new = lax.scan(cell, first, (x == y, d[1:], d[:-1]))
        return (jnp.concatenate([first[None], new]), i + 1), None
    start = (-2 * jnp.arange(301, dtype=jnp.int32), jnp.int32(0))
    return lax.scan(row, start, x)[0][0][-1]


@program("a recurrence of two numbers, a million steps", np.array([0.3, 0.1], np.float32))
def recurrence(x):
    def step(_, state):
        x, y = state
        return 3.7 * x * (1 - x) + 0.01 * y, 0.5 * y + x
    return jnp.stack(lax.fori_loop(0, 1000000, step, (x[0], x[1])))


@program("the product of 10,000 matrices of 3 by 3", np.eye(3, dtype=np.float32) + np.triu(normal(10000, 3, 3) * 1e-3, 1))
def products_3x3(m):
    return lax.scan(lambda r, m: (r @ m, None), jnp.eye(3, dtype=jnp.float32), m)[0]


@program("an LSTM cell of 8, 1,000 steps", normal(1000, 8), normal(8, 32) / 3, normal(8, 33)[:, :32] / 3, normal(32))
def lstm_8(x, w, u, bias):
    def cell(state, x):
        h, c = state
        i, f, g, o = jnp.split(x @ w + h @ u + bias, 4)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h
    return lax.scan(cell, (jnp.zeros(8), jnp.zeros(8)), x)[1]


MOTION = np.array([[1, 0, 0.1, 0], [0, 1, 0, 0.1], [0, 0, 1, 0], [0, 0, 0, 1]], np.float32)


@program("Kalman's filter of 4 states, 1,000 steps", MOTION, 0.01 * np.eye(4, dtype=np.float32), normal(1000, 2))
def kalman_4(f, q, seen):
    def step(state, z):
        x, p = state
        x, p = f @ x, f @ p @ f.T + q
        s = p[:2, :2] + 0.1 * jnp.eye(2)
        inverse = jnp.array([[s[1, 1], -s[0, 1]], [-s[1, 0], s[0, 0]]]) / (s[0, 0] * s[1, 1] - s[0, 1] * s[1, 0])
        k = p[:, :2] @ inverse
        x, p = x + k @ (z - x[:2]), p - k @ p[:2]
        return (x, p), x
    return lax.scan(step, (jnp.zeros(4), jnp.eye(4)), seen)[1]


@program("Mandelbrot's set with a mask, 256 by 256 points, 100 rounds", *np.meshgrid(np.linspace(-2, 1, 256, dtype=np.float32), np.linspace(-1.5, 1.5, 256, dtype=np.float32)))
def mandelbrot(cr, ci):
    def step(_, state):
        x, y, count = state
        inside = x * x + y * y < 4
        return (jnp.where(inside, x * x - y * y + cr, x), jnp.where(inside, 2 * x * y + ci, y), count + inside)
    start = jnp.zeros_like(cr)
    return lax.fori_loop(0, 100, step, (start, start, jnp.zeros(cr.shape, jnp.int32)))[2]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", default=os.path.join(ROOT, "target/release/mapwright"))
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--markdown", action="store_true")
    args = parser.parse_args()
    folder = tempfile.mkdtemp()
    clang = shutil.which("clang-22") or shutil.which("clang") or "/usr/lib/llvm-22/bin/clang"
    binary = os.path.join(folder, "kinds")
    subprocess.run([clang, "-O3", "-march=native", os.path.join(HERE, "kinds.c"), "-o", binary, "-lm"], check=True)
    if args.markdown:
        print("| program | C, ms | XLA:CPU / ours | C / ours |\n|---|---|---|---|")
    for name, (function, inputs, what) in PROGRAMS.items():
        if args.only not in name:
            continue
        own = os.path.join(folder, name)
        os.makedirs(own)
        files = []
        for i, value in enumerate(inputs):
            np.save(os.path.join(own, f"arg{i}.npy"), value)
            files.append(os.path.join(own, f"{i}.bin"))
            value.tofile(files[-1])
        compiled = jax.jit(function, keep_unused=True).lower(*inputs)
        path = os.path.join(own, "program.mlir")
        with open(path, "w") as file:
            file.write(compiled.as_text())
        compiled = compiled.compile()
        arrays = [jnp.asarray(value) for value in inputs]
        best = {}
        for _ in range(args.rounds):
            c = subprocess.run([binary, name, str(args.seconds), os.path.join(own, "out.bin"), *files], check=True, capture_output=True, text=True)
            times = [float(c.stdout)]
            best["c"] = min(best.get("c", 1e30), *times)
            run = subprocess.run([args.tool, "run", path, "--inputs", own, "--output-dir", own, f"--bench={args.seconds}", "--threads", str(args.threads), "--json"],
                                 capture_output=True, text=True)
            if run.returncode:
                sys.exit(f"{name}: {run.stderr}")
            best["ours"] = min(best.get("ours", 1e30), json.loads(run.stdout)["median_ms"])
            times, start = [], time.perf_counter()
            while len(times) < 3 or time.perf_counter() - start < args.seconds:
                begin = time.perf_counter()
                jax.block_until_ready(compiled(*arrays))
                times.append((time.perf_counter() - begin) * 1e3)
            best["xla"] = min(best.get("xla", 1e30), sorted(times)[len(times) // 2])
        got = np.load(os.path.join(own, "out0.npy"))
        theirs = np.fromfile(os.path.join(own, "out.bin"), got.dtype).reshape(got.shape)
        xla = np.asarray(compiled(*arrays))
        scale = max(float(np.max(np.abs(theirs))), 1e-30)
        apart = max(float(np.max(np.abs(got - theirs))), float(np.max(np.abs(got - xla)))) / scale
        if args.markdown:
            print(f"| {what} | {best['c']:.3f} | {best['xla'] / best['ours']:.2f} | {best['c'] / best['ours']:.2f} |", flush=True)
        else:
            print(f"{name:20} C {best['c']:9.4f}  ours {best['ours']:9.4f}  XLA {best['xla']:9.4f}  ours/XLA {best['ours'] / best['xla']:5.2f}  "
                  f"ours/C {best['ours'] / best['c']:5.2f}  apart {apart:.1e}", flush=True)


if __name__ == "__main__":
    main()
