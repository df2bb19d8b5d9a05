"""The Legendre transform of a Lagrangian L(R, ω) or a Hamiltonian H(R, Π), either way, and Newton's method for it.

    Π = ∂L/∂ω,   ω = ∂H/∂Π,   H = Π·ω − L;   ∂ξ L = −∂ξ H at fixed R.

One of the two directions is the derivative of what was given, the other the solution of three equations. In all kernels R is
the attitude's nine numbers and, behind them, the values of named parameters.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...geometry.vectors import Matrix, Vector, add, dot, full, negate, scale, solve, subtract, values3, values9
from ...scalars import Dual, any_of, attach, kernel, where
from ...scalars.functions import overloads
from ..inputs.user_functions import remembered

MOST_ITERATIONS = 100
SMALL = 1e-20  # a squared correction, relative to the solution, after which Newton's method has arrived
ROUNDING = 1e-31  # of a squared residual, relative to the terms of the equation
LEAST_FRACTION = 1e-10  # of a correction
RESIDUAL_BOUND = 1e-24  # how large a squared residual may be at the end, relative to the terms of the equation
NAN = float("nan")


@kernel
def damped_newton(residual: Any, jacobian: Any, terms: Any, x: Vector, size: Any) -> tuple[Vector, Any, Any, int]:
    """Newton's method for `residual(terms, x) = 0` from x: the solution, its squared residual, the determinant of the last
    Jacobian and how many iterations it took. `size` is the squared size of the terms of the equation.

    A correction that does not make the residual smaller is halved. Each lane runs as if alone.
    """
    r = residual(terms, x)
    square = dot(r, r)
    fraction, determinant = 1.0 + 0.0 * size, 1.0 + 0.0 * size
    moving = square >= 0.0
    iterations = 0
    while any_of(moving) and iterations < MOST_ITERATIONS:
        step, here = solve(jacobian(terms, x), r)
        trial = subtract(x, scale(fraction, step))
        there = residual(terms, trial)
        after = dot(there, there)
        small = (dot(step, step) <= SMALL * dot(trial, trial)) & (after >= 0.0)
        better = after < square
        taken = moving & (small | better)
        determinant = where(moving, here, determinant)
        fraction = where(better, 1.0, 0.5 * fraction)
        arrived = small | (after <= ROUNDING * size) | (fraction < LEAST_FRACTION)
        x = (where(taken, trial[0], x[0]), where(taken, trial[1], x[1]), where(taken, trial[2], x[2]))
        r = (where(taken, there[0], r[0]), where(taken, there[1], r[1]), where(taken, there[2], r[2]))
        square = where(taken, after, square)
        moving = moving & (where(arrived, 0.0, 1.0) > 0.5)
        iterations += 1
    return x, square, determinant, iterations


def with_partials(x: Vector, given: Any, jacobian: Any, residual: Any, values: Any, terms: Any) -> Vector:
    """The solution x, found on `values`, with the partials that those of `terms` give it; x itself where `given`, one of
    these terms, has none."""
    return x


@overloads(with_partials)
def _with_partials(x: Any, given: Any, jacobian: Any, residual: Any, values: Any, terms: Any) -> Any:
    if not isinstance(given.dtype, Dual):
        return lambda x, given, jacobian, residual, values, terms: x

    def on_duals(x: Any, given: Any, jacobian: Any, residual: Any, values: Any, terms: Any) -> Any:
        here = residual(terms, add(x, scale(0.0, given)))
        correction, _ = solve(jacobian(values, x), here)
        return attach(x[0], correction[0]), attach(x[1], correction[1]), attach(x[2], correction[2])

    return on_duals


class Transform(NamedTuple):
    """Kernels. `rate(R, Pi)`: ω, ∂ξ L, and whether there is no such rate. `momentum(R, omega)`: Π and ∂ξ L, six numbers.
    `slopes(R, omega)`: ∂Π/∂ω as a symmetric matrix (6) and ∂ξ Π (9)."""

    rate: Any
    momentum: Any
    slopes: Any


def conjugate(first: Any, second: Any, plain: Any) -> Any:
    """The kernel `(R, z) -> v, failed` that solves `∂f/∂v (R, v) = z`, from the derivatives of f; `plain` takes partials off
    the parameters."""

    @kernel
    def residual(terms: Any, v: Vector) -> Vector:
        R, z = terms
        return subtract(first(R + v)[0:3], z)

    @kernel
    def jacobian(terms: Any, v: Vector) -> Matrix:
        R, _ = terms
        return full(second(R + v)[0:6])

    @kernel
    def solution(R: Matrix, z: Vector) -> tuple[Vector, Any]:
        R0, z0 = values9(R[0:9]) + plain(R[9:]), values3(z)
        rest = scale(0.0, z0)
        offset = first(R0 + rest)[0:3]
        size = dot(z0, z0) + dot(offset, offset)
        v, square, _, _ = damped_newton(residual, jacobian, (R0, z0), rest, size)
        found = square <= RESIDUAL_BOUND * size
        v = (where(found, v[0], NAN), where(found, v[1], NAN), where(found, v[2], NAN))
        return with_partials(v, z, jacobian, residual, (R0, z0), (R, z)), where(found, 0.0, 1.0) > 0.5

    return solution


@remembered
def of_lagrangian(first: Any, second: Any, plain: Any) -> Transform:
    """The transform of a Lagrangian, from its derivatives."""
    solution = conjugate(first, second, plain)

    @kernel
    def rate(R: Matrix, Pi: Vector) -> tuple[Vector, Vector, Any]:
        omega, failed = solution(R, Pi)
        return omega, first(R + omega)[3:6], failed

    @kernel
    def momentum(R: Matrix, omega: Vector) -> Any:
        return first(R + omega)

    @kernel
    def slopes(R: Matrix, omega: Vector) -> Any:
        return second(R + omega)

    return Transform(rate, momentum, slopes)


@kernel
def times_columns(A: Matrix, X: Matrix) -> Matrix:
    """`A⁻¹ X`."""
    a, _ = solve(A, (X[0], X[3], X[6]))
    b, _ = solve(A, (X[1], X[4], X[7]))
    c, _ = solve(A, (X[2], X[5], X[8]))
    return a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2]


@remembered
def of_hamiltonian(first: Any, second: Any, plain: Any) -> Transform:
    """The transform of a Hamiltonian, from its derivatives."""
    solution = conjugate(first, second, plain)

    @kernel
    def rate(R: Matrix, Pi: Vector) -> tuple[Vector, Vector, Any]:
        found = first(R + Pi)
        return found[0:3], negate(found[3:6]), found[0] != found[0]

    @kernel
    def momentum(R: Matrix, omega: Vector) -> Any:
        Pi, _ = solution(R, omega)
        return Pi + negate(first(R + Pi)[3:6])

    @kernel
    def slopes(R: Matrix, omega: Vector) -> Any:
        Pi, _ = solution(R, omega)
        found = second(R + Pi)
        A, X = full(found[0:6]), found[6:15]
        inverse = times_columns(A, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
        change = times_columns(A, X)
        symmetric = (inverse[0], inverse[4], inverse[8], inverse[5], inverse[2], inverse[1])
        return symmetric + negate(change[0:3]) + negate(change[3:6]) + negate(change[6:9])

    return Transform(rate, momentum, slopes)
