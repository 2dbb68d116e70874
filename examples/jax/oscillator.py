"""Van der Pol's equation, solved by Diffrax with steps of its own choice."""

import diffrax
import jax
import jax.numpy as jnp


def main():
    """The solution at eleven times."""

    def field(time, y, damping):
        return jnp.array([y[1], damping * (1 - y[0] ** 2) * y[1] - y[0]])

    @jax.jit
    def solve(damping):
        return diffrax.diffeqsolve(
            diffrax.ODETerm(field),
            diffrax.Tsit5(),
            t0=0.0,
            t1=5.0,
            dt0=0.1,
            y0=jnp.array([2.0, 0.0]),
            args=damping,
            saveat=diffrax.SaveAt(ts=jnp.linspace(0.0, 5.0, 11)),
            stepsize_controller=diffrax.PIDController(rtol=1e-5, atol=1e-5),
        ).ys[:, 0]

    return [float(y) for y in solve(1.5)]


if __name__ == "__main__":
    print(main())
