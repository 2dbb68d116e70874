"""A multilayer perceptron of Equinox, trained for 50 steps by Optax.

    JAX_PLATFORMS=mapwright python train.py
"""

import equinox
import jax
import jax.numpy as jnp
import optax


def main():
    """The loss before each step."""
    model = equinox.nn.MLP(in_size=8, out_size=1, width_size=32, depth=2, key=jax.random.key(0))
    x = jax.random.normal(jax.random.key(1), (256, 8))
    y = jnp.sum(x**2, axis=1, keepdims=True)
    schedule = optax.warmup_cosine_decay_schedule(init_value=0.0, peak_value=1e-2, warmup_steps=10, decay_steps=50)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule))
    state = optimizer.init(equinox.filter(model, equinox.is_array))

    @equinox.filter_jit
    def step(model, state):
        loss, gradient = equinox.filter_value_and_grad(lambda model: jnp.mean((jax.vmap(model)(x) - y) ** 2))(model)
        updates, state = optimizer.update(gradient, state, equinox.filter(model, equinox.is_array))
        return equinox.apply_updates(model, updates), state, loss

    losses = []
    for _ in range(50):
        model, state, loss = step(model, state)
        losses.append(float(loss))
    return losses


if __name__ == "__main__":
    for i, loss in enumerate(main()):
        print(f"step {i:2}  loss {loss:.5f}")
