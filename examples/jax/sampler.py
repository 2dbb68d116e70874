"""200 steps of BlackJAX's sampler without U-turns."""

import blackjax
import jax
import jax.numpy as jnp


def main():
    """The first eight positions, then means and variances."""

    def log_density(x):
        return -0.5 * jnp.sum(x**2 / jnp.array([1.0, 4.0]))

    kernel = blackjax.nuts(log_density, step_size=0.3, inverse_mass_matrix=jnp.ones(2))

    @jax.jit
    def sample(state):
        def step(state, key):
            state, _ = kernel.step(key, state)
            return state, state.position

        return jax.lax.scan(step, state, jax.random.split(jax.random.key(0), 200))[1]

    positions = sample(kernel.init(jnp.array([1.0, 1.0])))
    parts = [positions[:8].ravel(), positions.mean(axis=0), positions.var(axis=0)]
    return [float(x) for x in jnp.concatenate(parts)]


if __name__ == "__main__":
    print(main())
