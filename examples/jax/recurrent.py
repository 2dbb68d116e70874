"""A recurrent network by `lax.scan`, its gradient, and the gradient for every example alone by `vmap(grad)`."""

import jax
import jax.numpy as jnp


def main():
    """Norms of the gradients: of both weights over the batch, then of the first one for each example."""
    keys = jax.random.split(jax.random.key(0), 3)
    state_weights = 0.1 * jax.random.normal(keys[0], (32, 32))
    input_weights = 0.3 * jax.random.normal(keys[1], (8, 32))
    sequences = jax.random.normal(keys[2], (4, 40, 8))

    def loss(state_weights, input_weights, sequence):
        def step(state, x):
            state = jnp.tanh(state @ state_weights + x @ input_weights)
            return state, jnp.sum(state)

        state, sums = jax.lax.scan(step, jnp.zeros(32), sequence)
        return jnp.sum(state**2) + jnp.mean(sums)

    def of_all(*weights):
        return jnp.mean(jax.vmap(loss, (None, None, 0))(*weights, sequences))

    both = jax.jit(jax.grad(of_all, (0, 1)))(state_weights, input_weights)
    each = jax.jit(jax.vmap(jax.grad(loss), (None, None, 0)))(state_weights, input_weights, sequences)
    return [float(jnp.linalg.norm(gradient)) for gradient in [*both, *each]]


if __name__ == "__main__":
    print(main())
