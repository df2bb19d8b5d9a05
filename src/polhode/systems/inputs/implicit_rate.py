"""The rate at a node where the torque depends on it: `ω = J⁻¹(s + (h/2) f(ω))`, s the momentum before the half kick.

On values it is solved by Newton's method with slopes by differences: any function will do, and none is too stiff. Wanted
is the solution that joins `J⁻¹ s` as h → 0; up to a fold `det(1 − (h/2) J⁻¹ f')` is positive on the way to it. On dual
numbers the exact slopes there give its partials, by the implicit function theorem.
"""

from __future__ import annotations

from typing import Any

from ...geometry.vectors import (
    Matrix,
    Symmetric,
    Vector,
    add,
    apply_symmetric,
    dot,
    scale,
    solve,
    subtract,
    values3,
    values6,
    values9,
)
from ...scalars import (
    any_of,
    attach,
    constant,
    duals,
    get3,
    kernel,
    on_duals,
    partial,
    plain_parameters,
    put3,
    seeded,
    sqrt,
    where,
)

MOST_ITERATIONS = 50
KEPT = 3  # for how many iterations the first slopes serve; from then on they are taken anew each time
SPACING = 2.0**-26  # of the differences, relative to the rate
SMALL_ERROR = 1e-32  # squared and relative to the rate: below rounding
ROUNDING = 1e-28  # how large a squared correction rounding alone may make
RESIDUAL_BOUND = 1e-24  # squared, relative to the terms of the equation
THREE, NAN = duals(3), float("nan")


@kernel
def constants3(S: Any, x: Vector) -> Vector:
    """x as duals of type S."""
    return constant(S, x[0]), constant(S, x[1]), constant(S, x[2])


@kernel
def constants9(S: Any, x: Matrix) -> Matrix:
    """x as duals of type S."""
    return constants3(S, x[0:3]) + constants3(S, x[3:6]) + constants3(S, x[6:9])


@kernel
def system_matrix(J_inverse: Symmetric, half: Any, x: Vector, y: Vector, z: Vector) -> Matrix:
    """`1 − (h/2) J⁻¹ f'` from the columns of f'."""
    a = apply_symmetric(J_inverse, scale(half, x))
    b = apply_symmetric(J_inverse, scale(half, y))
    c = apply_symmetric(J_inverse, scale(half, z))
    return 1.0 - a[0], -b[0], -c[0], -a[1], 1.0 - b[1], -c[1], -a[2], -b[2], 1.0 - c[2]


@kernel
def matrix_by_differences(
    S: Any,
    p: Any,
    t: Any,
    R: Matrix,
    J_inverse: Symmetric,
    half: Any,
    omega: Vector,
    f: Vector,
    kick: Vector,
    law: Any,
    given: Any,
) -> Matrix:
    """`1 − (h/2) J⁻¹ f'` at ω, where f is known."""
    size = where(dot(omega, omega) > 0.0, dot(omega, omega), dot(kick, kick))
    d = SPACING * sqrt(where(size > 0.0, size, 1.0))
    x = law(S, p, t, R, (omega[0] + d, omega[1], omega[2]), given)
    y = law(S, p, t, R, (omega[0], omega[1] + d, omega[2]), given)
    z = law(S, p, t, R, (omega[0], omega[1], omega[2] + d), given)
    return system_matrix(J_inverse, half / d, subtract(x, f), subtract(y, f), subtract(z, f))


@on_duals
@kernel
def put_partials(
    S: Any,
    y: Any,
    at: int,
    p: Any,
    t: Any,
    half: Any,
    R: Matrix,
    start: Vector,
    J_inverse: Symmetric,
    law: Any,
    given: Any,
) -> None:
    """Give the solution ω, which stands without partials in `y[at]`, those that R, s and the parameters imply."""
    w = values3(get3(y, at, S))
    omega = constants3(S, w)
    seeds = (seeded(THREE, w[0], 0), seeded(THREE, w[1], 1), seeded(THREE, w[2], 2))
    f = law(plain_parameters(S), p, t, constants9(THREE, values9(R)), seeds, given)
    A = system_matrix(
        values6(J_inverse),
        half,
        (partial(f[0], 0), partial(f[1], 0), partial(f[2], 0)),
        (partial(f[0], 1), partial(f[1], 1), partial(f[2], 1)),
        (partial(f[0], 2), partial(f[1], 2), partial(f[2], 2)),
    )
    kicked = add(start, scale(half, law(S, p, t, R, omega, given)))
    correction, _ = solve(A, subtract(omega, apply_symmetric(J_inverse, kicked)))
    put3(y, at, S, (attach(w[0], correction[0]), attach(w[1], correction[1]), attach(w[2], correction[2])))


@kernel
def put_node_rate(
    S: Any,
    y: Any,
    at: int,
    p: Any,
    t: Any,
    h: Any,
    R: Matrix,
    start: Vector,
    J_inverse: Symmetric,
    law: Any,
    given: Any,
) -> Any:
    """Put ω into `y[at]` for f the kernel `law(S, p, t, R, omega, given)` and s the `start`, and return whether any lane has no
    solution; it is NaN there. Where there is no step, h is zero. Each lane runs as if alone."""
    if h == 0.0:
        put3(y, at, S, apply_symmetric(J_inverse, start))
        return False
    half, plain = 0.5 * h, plain_parameters(S)
    R0, J = values9(R), values6(J_inverse)
    free = apply_symmetric(J, values3(start))
    omega, zero = free, scale(0.0, free)
    A = system_matrix(J, half, zero, zero, zero)
    determinant = 1.0 + zero[0]
    last = zero[0]  # the square of the last correction
    moving = dot(free, free) >= 0.0
    iterations = 0
    while any_of(moving) and iterations < MOST_ITERATIONS:
        f = law(plain, p, t, R0, omega, given)
        kick = apply_symmetric(J, scale(half, f))
        if iterations == 0 or iterations >= KEPT:
            A = matrix_by_differences(plain, p, t, R0, J, half, omega, f, kick, law, given)
        step, determinant_here = solve(A, subtract(omega, add(free, kick)))
        omega = (
            where(moving, omega[0] - step[0], omega[0]),
            where(moving, omega[1] - step[1], omega[1]),
            where(moving, omega[2] - step[2], omega[2]),
        )
        determinant = where(moving, determinant_here, determinant)
        square, size = dot(step, step), dot(free, free) + dot(omega, omega)
        # the error left is about this correction times its ratio to the last one
        small = (square * square <= SMALL_ERROR * size * last) | (square <= ROUNDING * size)
        moving = moving & (where(small & (determinant > 0.0), 0.0, 1.0) > 0.5) & (square >= 0.0)
        last = square
        iterations += 1
    kick = apply_symmetric(J, scale(half, law(plain, p, t, R0, omega, given)))
    off = subtract(omega, add(free, kick))
    size = dot(free, free) + dot(kick, kick) + dot(omega, omega)
    found = (dot(off, off) <= RESIDUAL_BOUND * size) & (determinant > 0.0)
    put3(y, at, S, (where(found, omega[0], NAN), where(found, omega[1], NAN), where(found, omega[2], NAN)))
    put_partials(S, y, at, p, t, half, R, start, J_inverse, law, given)
    return any_of(where(found, 0.0, 1.0) > 0.5)
