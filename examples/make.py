"""Makes the examples again: programs as JAX prints them, unedited, and what they compute.

    python3 -m venv venv && venv/bin/pip install jax==0.9.0 numpy && venv/bin/python examples/make.py

Each folder gets
    program.mlir    jax.jit(f).lower(...).as_text()
    expected.json   the arguments (shape, scale) and some elements of the result, computed by NumPy in double precision

An argument is not stored: element i (row-major) of argument a is scale * unit(a, i), rounded to single precision. `unit` is the hash
below, which tests/examples.rs has as well.
"""

import json
import pathlib

import jax
import jax.numpy as jnp
import numpy as np

HERE = pathlib.Path(__file__).parent
SAMPLES = 1009  # elements of each result that are kept


def unit(argument, count):
    """Numbers in [-1, 1), the same on every machine."""
    h = np.arange(count, dtype=np.uint64) * 2654435761 + (argument + 1) * 2246822519
    h &= 0xFFFFFFFF
    h ^= h >> 15
    h = h * 2246822519 & 0xFFFFFFFF
    h ^= h >> 13
    h = h * 3266489917 & 0xFFFFFFFF
    h ^= h >> 16
    return h.astype(np.float64) / 2**31 - 1


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def layer_norm_jax(x, scale, bias):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.var(x, axis=-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + bias


def layer_norm_numpy(x, scale, bias):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5) * scale + bias


def gelu_numpy(x, bias):
    x = x + bias
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def chain_jax(x, y):
    x = jnp.transpose(jnp.reshape(x, (32, 8, 64)), (1, 0, 2))
    x = jnp.pad(x[:, 2:30:2, :], ((0, 0), (1, 1), (0, 3)))
    return jnp.concatenate([x, jnp.reshape(y, (8, 5, 67))], axis=1)


def chain_numpy(x, y):
    x = x.reshape(32, 8, 64).transpose(1, 0, 2)
    x = np.pad(x[:, 2:30:2, :], ((0, 0), (1, 1), (0, 3)))
    return np.concatenate([x, y.reshape(8, 5, 67)], axis=1)


def mlp_jax(x, w1, b1, w2, b2):
    return jax.nn.softmax(jax.nn.relu(x @ w1 + b1) @ w2 + b2, axis=-1)


def mlp_numpy(x, w1, b1, w2, b2):
    return softmax(np.maximum(x @ w1 + b1, 0) @ w2 + b2)


def attention_jax(x, wq, wk, wv):
    q, k, v = x @ wq, x @ wk, x @ wv
    return jax.nn.softmax(q @ k.T / jnp.sqrt(jnp.float32(q.shape[-1])), axis=-1) @ v


def attention_numpy(x, wq, wk, wv):
    q, k, v = x @ wq, x @ wk, x @ wv
    return softmax(q @ k.T / np.sqrt(q.shape[-1])) @ v


# name -> (function for JAX, the same in NumPy, shape and scale of each argument)
EXAMPLES = {
    "softmax": (lambda x: jax.nn.softmax(x, axis=-1), softmax, [((64, 128, 128), 4.0)]),
    "layer_norm": (layer_norm_jax, layer_norm_numpy, [((4096, 1024), 2.0), ((1024,), 1.0), ((1024,), 1.0)]),
    "bias_gelu": (lambda x, b: jax.nn.gelu(x + b, approximate=True), gelu_numpy, [((4096, 1024), 3.0), ((1024,), 1.0)]),
    "add_transpose": (lambda x: x + x.T, lambda x: x + x.T, [((4096, 4096), 1.0)]),
    "reshape_chain": (chain_jax, chain_numpy, [((256, 64), 1.0), ((2680,), 1.0)]),
    "mlp": (mlp_jax, mlp_numpy, [((128, 784), 1.0), ((784, 512), 0.1), ((512,), 0.1), ((512, 10), 0.1), ((10,), 0.1)]),
    "attention": (attention_jax, attention_numpy, [((128, 256), 1.0)] + 3 * [((256, 64), 0.2)]),
}


def main():
    for name, (of_jax, of_numpy, arguments) in EXAMPLES.items():
        folder = HERE / name
        folder.mkdir(exist_ok=True)
        shapes = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape, _ in arguments]
        (folder / "program.mlir").write_text(jax.jit(of_jax).lower(*shapes).as_text())

        # The program sees single precision; what it computes from that is exact enough in double.
        values = [
            (scale * unit(i, np.prod(shape))).astype(np.float32).astype(np.float64).reshape(shape)
            for i, (shape, scale) in enumerate(arguments)
        ]
        result = of_numpy(*values)
        step = max(1, result.size // SAMPLES) | 1
        expected = {
            "arguments": [{"shape": list(shape), "scale": scale} for shape, scale in arguments],
            "result": {
                "shape": list(result.shape),
                "largest": float(np.abs(result).max()),
                "step": step,
                "elements": [float(f"{value:.12g}") for value in result.ravel()[::step]],
            },
        }
        (folder / "expected.json").write_text(json.dumps(expected) + "\n")


if __name__ == "__main__":
    main()
