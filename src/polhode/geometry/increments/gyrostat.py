"""The discrete equations of a gyrostat, and of one with a spherical damper, solved for the rotation of a step.

With φ the vector part and `s = √(1 − φ·φ)` the scalar part of the unit quaternion of the rotation, `M = Jφ + (h/2) ρ`,

    h Π = 2 (s M + φ × M)                                               (49) of [MP16]: ρ is the rotors' momentum.

With the Cayley parameter `c = φ/s`, `w = √(1 + c·c) = 1/s` and `g = h (Π − ρ)`, the step times the kinetic momentum,

    r(c) = (1 + c·c) g − 2 J c − 2 c × J c + h w (ρ × c + (c·c)/(1 + w) ρ) = 0.

A sphere of inertia `I` and momentum `d` that a viscous layer couples to the body turns by γ, and its impulse on the body
is λ = k (γ − φ), where k = 2C if it acts whole at the start of the step and C if half of it does ((66), (67) of [MP16]
with their signs corrected):

    D(γ) = (2I/h) √(1 − γ·γ) γ = d − λ,    and the equation above with Π + λ.

λ is computed as d − D(γ): unlike k (γ − φ) this loses nothing when k is large, and its equation is then one for γ ≈ φ.
"""

from __future__ import annotations

from typing import Any

from ...scalars import any_of, attach, kernel, largest, sin, sqrt, value, where
from ..vectors import (
    Matrix,
    Symmetric,
    Vector,
    add,
    apply,
    apply_symmetric,
    cross,
    dot,
    multiply,
    scale,
    solve,
    subtract,
)
from .rigid import (
    MAX_ITERATIONS,
    RESIDUAL_BOUND,
    SMALL_CORRECTION,
    STATIONS,
    inertial_weight,
    values3,
    values6,
    wanted_root,
    with_partials,
)

# (J, h, ρ), and of the damper (d, 2I/h, k)
Rotors = tuple[Symmetric, Any, Vector]
Damper = tuple[Vector, Any, Any]


@kernel
def rotor_residual(terms: Rotors, g: Vector, c: Vector) -> Vector:
    """`r(c)` of the module's head."""
    J, h, rho = terms
    cc, Jc = dot(c, c), apply_symmetric(J, c)
    w = sqrt(1.0 + cc)
    kinetic = subtract(scale(1.0 + cc, g), scale(2.0, add(Jc, cross(c, Jc))))
    return add(kinetic, scale(h * w, add(cross(rho, c), scale(cc / (1.0 + w), rho))))


@kernel
def rotor_weight(terms: Rotors) -> Any:
    """The square of a bound of what c is multiplied by in `r(c)`."""
    J, h, rho = terms
    return inertial_weight(J) + h * h * dot(rho, rho)


@kernel
def rotor_jacobian(terms: Rotors, g: Vector, c: Vector) -> Matrix:
    """∂r/∂c `= 2 g cᵀ − 2J − 2S(c)J + S(2Jc + h w ρ) + h ((2 − 1/w) ρ + ρ × c/w) cᵀ`."""
    J, h, rho = terms
    w = sqrt(1.0 + dot(c, c))
    s = add(scale(2.0, apply_symmetric(J, c)), scale(h * w, rho))
    u = add(scale(2.0, g), scale(h, add(scale(2.0 - 1.0 / w, rho), scale(1.0 / w, cross(rho, c)))))
    # −2 J − 2 S(c) J, column by column: −2 (j + c × j)
    x, y, z = (J[0], J[5], J[4]), (J[5], J[1], J[3]), (J[4], J[3], J[2])
    p, q, r = add(x, cross(c, x)), add(y, cross(c, y)), add(z, cross(c, z))
    return (
        u[0] * c[0] - 2.0 * p[0],
        u[0] * c[1] - 2.0 * q[0] - s[2],
        u[0] * c[2] - 2.0 * r[0] + s[1],
        u[1] * c[0] - 2.0 * p[1] + s[2],
        u[1] * c[1] - 2.0 * q[1],
        u[1] * c[2] - 2.0 * r[1] - s[0],
        u[2] * c[0] - 2.0 * p[2] - s[1],
        u[2] * c[1] - 2.0 * q[2] + s[0],
        u[2] * c[2] - 2.0 * r[2],
    )


@kernel
def solve_rotor_increment_(J: Symmetric, momentum: Vector, h: Any, rho: Vector) -> tuple[Vector, int, Any, Any]:
    """The Cayley parameter c of the discrete rotation for the kinetic momentum `J ω = Π − ρ`, how many iterations it
    took, and of each lane the squared relative residual and whether it failed."""
    g = scale(h, momentum)
    at, g0 = (values6(J), h, values3(rho)), values3(g)
    # the first Newton step from zero: exact for h → 0
    guess, _ = solve(rotor_jacobian(at, g0, scale(0.0, g0)), scale(-1.0, g0))
    c, iterations, defect, lost = wanted_root(rotor_residual, rotor_jacobian, at, at[0], rotor_weight(at), g0, guess)
    c = with_partials(rotor_residual, rotor_jacobian, at, g0, (J, h, rho), g, c)
    return c, iterations, defect, lost


@kernel
def damper_momentum(damper: Damper, gamma: Vector) -> Vector:
    """`D(γ)`; beyond |γ| = 1 some number, so that the iteration may come back."""
    return scale(damper[1] * sqrt(largest(1.0 - dot(gamma, gamma), 1e-4)), gamma)


@kernel
def damped_residuals(terms: Rotors, damper: Damper, g: Vector, c: Vector, gamma: Vector) -> tuple[Vector, Vector]:
    """What is left of the body's equation and of `λ = k (γ − φ)`."""
    impulse = subtract(damper[0], damper_momentum(damper, gamma))
    slip = subtract(gamma, scale(1.0 / sqrt(1.0 + dot(c, c)), c))
    return rotor_residual(terms, add(g, scale(terms[1], impulse)), c), subtract(impulse, scale(damper[2], slip))


@kernel
def damped_correction(
    terms: Rotors, damper: Damper, g: Vector, c: Vector, gamma: Vector, r: Vector, q: Vector
) -> tuple[Vector, Vector, Any]:
    """Newton's correction (to be subtracted) of c and γ for the residuals r and q, and the determinant of what is
    solved for c once γ is eliminated. D'(γ) and k are combined as resistances in parallel: no k is large to this."""
    a, k, h = damper[1], damper[2], terms[1]
    s = sqrt(largest(1.0 - dot(gamma, gamma), 1e-4))
    across, along = a * s, a * (s - dot(gamma, gamma) / s)  # the eigenvalues of D'
    bend = a / (s * (across + k) * (along + k))
    # (D' + k)⁻¹ = 1/(across + k) + bend γγᵀ and D'(D' + k)⁻¹ = across/(across + k) − k bend γγᵀ
    cc = dot(c, c)
    w = sqrt(1.0 + cc)
    weight = (1.0 + cc) * h
    share = scale(weight * across / (across + k), q)
    r = subtract(r, subtract(share, scale(weight * k * bend * dot(gamma, q), gamma)))
    body = rotor_jacobian(terms, add(g, scale(h, subtract(damper[0], damper_momentum(damper, gamma)))), c)
    # φ'(c) = (1 − ccᵀ/w²)/w
    turn = (
        (1.0 - c[0] * c[0] / (w * w)) / w,
        -c[0] * c[1] / (w * w * w),
        -c[0] * c[2] / (w * w * w),
        -c[1] * c[0] / (w * w * w),
        (1.0 - c[1] * c[1] / (w * w)) / w,
        -c[1] * c[2] / (w * w * w),
        -c[2] * c[0] / (w * w * w),
        -c[2] * c[1] / (w * w * w),
        (1.0 - c[2] * c[2] / (w * w)) / w,
    )
    straight, bent = weight * k * across / (across + k), weight * k * k * bend
    drag = (
        straight - bent * gamma[0] * gamma[0],
        -bent * gamma[0] * gamma[1],
        -bent * gamma[0] * gamma[2],
        -bent * gamma[1] * gamma[0],
        straight - bent * gamma[1] * gamma[1],
        -bent * gamma[1] * gamma[2],
        -bent * gamma[2] * gamma[0],
        -bent * gamma[2] * gamma[1],
        straight - bent * gamma[2] * gamma[2],
    )
    D = multiply(drag, turn)
    matrix = (
        body[0] - D[0],
        body[1] - D[1],
        body[2] - D[2],
        body[3] - D[3],
        body[4] - D[4],
        body[5] - D[5],
        body[6] - D[6],
        body[7] - D[7],
        body[8] - D[8],
    )
    dc, determinant = solve(matrix, r)
    pull = subtract(scale(k, apply(turn, dc)), q)
    return dc, add(scale(1.0 / (across + k), pull), scale(bend * dot(gamma, pull), gamma)), determinant


@kernel
def damped_newton(
    terms: Rotors, damper: Damper, g: Vector, c: Vector, gamma: Vector, moving: Any
) -> tuple[Vector, Vector, Any, int]:
    """Newton's method from (c, γ), its last determinant and how many iterations it took; each lane as if alone."""
    determinant = 0.0 * c[0] - 1.0
    iterations = 0
    while any_of(moving) and iterations < MAX_ITERATIONS:
        r, q = damped_residuals(terms, damper, g, c, gamma)
        dc, dgamma, here = damped_correction(terms, damper, g, c, gamma, r, q)
        c = (
            where(moving, c[0] - dc[0], c[0]),
            where(moving, c[1] - dc[1], c[1]),
            where(moving, c[2] - dc[2], c[2]),
        )
        gamma = (
            where(moving, gamma[0] - dgamma[0], gamma[0]),
            where(moving, gamma[1] - dgamma[1], gamma[1]),
            where(moving, gamma[2] - dgamma[2], gamma[2]),
        )
        determinant = where(moving, here, determinant)
        moving = moving & (dot(dc, dc) + dot(dgamma, dgamma) > SMALL_CORRECTION)
        iterations += 1
    return c, gamma, determinant, iterations


@kernel
def damped_defect(terms: Rotors, damper: Damper, g: Vector, c: Vector, gamma: Vector) -> Any:
    """The squared residuals relative to the squares of the momenta and of the terms that rounding is relative to."""
    h, a, k = terms[1], damper[1], damper[2]
    r, q = damped_residuals(terms, damper, g, c, gamma)
    d, slips = dot(damper[0], damper[0]), dot(gamma, gamma) + dot(c, c)
    size, sizes = dot(g, g) + h * h * d + rotor_weight(terms) * dot(c, c), d + (a * a + k * k) * slips
    return dot(r, r) / where(size > 0.0, size, 1.0) + dot(q, q) / where(sizes > 0.0, sizes, 1.0)


@kernel
def damped_is_wanted(terms: Rotors, damper: Damper, c: Vector, gamma: Vector, defect: Any, determinant: Any) -> Any:
    """Whether (c, γ) is a solution, and the one that joins zero: neither the body nor the sphere past its fold."""
    J, gg = terms[0], dot(gamma, gamma)
    spread = (J[0] + J[1] + J[2]) * (1.0 + dot(c, c))
    solved = (defect <= RESIDUAL_BOUND * RESIDUAL_BOUND) & (gg < 1.0 - 1e-4)
    before = 1.0 - 2.0 * gg + damper[2] / damper[1] * sqrt(largest(1.0 - gg, 1e-4)) > 0.0
    return solved & before & (determinant < 0.0) & (4.0 * dot(c, apply_symmetric(J, c)) < spread)


@kernel
def solve_damped_increment_(
    J: Symmetric, momentum: Vector, h: Any, rho: Vector, d: Vector, inertia: Any, k: Any
) -> tuple[Vector, Vector, int, Any, Any]:
    """The Cayley parameter c of the body's rotation and the impulse λ on it, for the kinetic momentum `J ω = Π − ρ` and
    the damper's d; then iterations, and of each lane the squared residual and whether it failed."""
    g = scale(h, momentum)
    a = 2.0 * inertia / h
    at, g0, d0 = (values6(J), h, values3(rho)), values3(g), values3(d)
    a0, k0 = value(a), value(k)
    zero = scale(0.0, g0)
    c, gamma, determinant, iterations = damped_newton(at, (d0, a0, k0), g0, zero, zero, dot(g0, g0) >= 0.0)
    defect = damped_defect(at, (d0, a0, k0), g0, c, gamma)
    lost = where(damped_is_wanted(at, (d0, a0, k0), c, gamma, defect, determinant), 0.0, 1.0) > 0.5
    if any_of(lost):
        # follow the solution from zero momenta, as for the body alone
        c = (where(lost, 0.0, c[0]), where(lost, 0.0, c[1]), where(lost, 0.0, c[2]))
        gamma = (where(lost, 0.0, gamma[0]), where(lost, 0.0, gamma[1]), where(lost, 0.0, gamma[2]))
        for station in range(1, STATIONS + 1):
            part = sin(1.5707963267948966 * station / STATIONS)
            c, gamma, determinant, more = damped_newton(at, (scale(part, d0), a0, k0), scale(part, g0), c, gamma, lost)
            iterations += more
        defect = damped_defect(at, (d0, a0, k0), g0, c, gamma)
        found = damped_is_wanted(at, (d0, a0, k0), c, gamma, defect, determinant)
        lost = lost & (where(found, 0.0, 1.0) > 0.5)
    r, q = damped_residuals((J, h, rho), (d, a, k), g, c, gamma)
    dc, dgamma, _ = damped_correction(at, (d0, a0, k0), g0, c, gamma, r, q)
    c = (attach(c[0], dc[0]), attach(c[1], dc[1]), attach(c[2], dc[2]))
    gamma = (attach(gamma[0], dgamma[0]), attach(gamma[1], dgamma[1]), attach(gamma[2], dgamma[2]))
    impulse = subtract(d, damper_momentum((d, a, k), gamma))
    return c, impulse, iterations, defect, lost
