"""The implicit equation of the discrete rigid body, `F Jd − Jd Fᵀ = S(g)`, solved for the rotation F.

`J` inertia, `Jd = ½ tr(J) 1 − J`, `g` the momentum times the step. With the Cayley parameter `c` (the axis times
tan θ/2, `F = (1 + S(c))(1 − S(c))⁻¹`) it is a system of three quadratic polynomials,

    r(c) = g + g×c + (g·c) c − 2 J c = 0,

solved by Newton's method from `c = ½ J⁻¹ g`. There are up to four roots. The wanted one joins c = 0 as g shrinks; it
ends at a fold, where the Jacobian becomes singular: about a principal axis at |g| = J, a turn of 90° (section 4 of
[LLM07], equations 126–128; the domain is that of [BCMR02], theorem 7.5, in its sharp form).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import PolhodeError
from ...scalars import any_of, attach, kernel, multiply_add, where, worst
from ..array_api import MATRIX, VECTOR, as_array, components
from ..vectors import (
    Matrix,
    Symmetric,
    Vector,
    add,
    add_scaled,
    apply_symmetric,
    cross,
    dot,
    scale,
    solve,
    values3,
    values6,
)

MAX_ITERATIONS = 25
# Newton's error after a correction d is about |c| |d|². It has a sign, so that over 10⁶ steps it would add up; at this
# |d|² the sum stays below rounding too.
SMALL_CORRECTION = 1e-19
# A solution satisfies r = 0 to a few roundings of its terms. Off the principal axes of a slender body 2 J c is a sum of
# terms that are much larger than g.
RESIDUAL_BOUND = 1e-13
# How many stations a solution is followed along from g = 0, where the short way did not lead to the wanted root.
STATIONS = 16


@kernel
def turned(g: Vector, c: Vector) -> Vector:
    """`g + g×c + (g·c) c`."""
    return add_scaled(add(g, cross(g, c)), dot(g, c), c)


@kernel
def residual(J: Symmetric, g: Vector, c: Vector) -> Vector:
    """`g + g×c + (g·c) c − 2 J c`."""
    return add_scaled(turned(g, c), -2.0, apply_symmetric(J, c))


@kernel
def jacobian(J: Symmetric, g: Vector, c: Vector) -> Matrix:
    """∂r/∂c `= S(g) + (g·c) 1 + c gᵀ − 2 J`."""
    s = dot(g, c)
    return (
        multiply_add(c[0], g[0], multiply_add(-2.0, J[0], s)),
        multiply_add(c[0], g[1], multiply_add(-2.0, J[5], -g[2])),
        multiply_add(c[0], g[2], multiply_add(-2.0, J[4], g[1])),
        multiply_add(c[1], g[0], multiply_add(-2.0, J[5], g[2])),
        multiply_add(c[1], g[1], multiply_add(-2.0, J[1], s)),
        multiply_add(c[1], g[2], multiply_add(-2.0, J[3], -g[0])),
        multiply_add(c[2], g[0], multiply_add(-2.0, J[4], -g[1])),
        multiply_add(c[2], g[1], multiply_add(-2.0, J[3], g[0])),
        multiply_add(c[2], g[2], multiply_add(-2.0, J[2], s)),
    )


@kernel
def newton(residual: Any, jacobian: Any, terms: Any, g: Vector, c: Vector, moving: Any) -> tuple[Vector, Any, int]:
    """Newton's method for `residual(terms, g, c) = 0` from c, its last determinant and how many iterations it took.

    Every lane runs as if alone: one that has converged, or is not `moving`, is left as it is while the others go on.
    """
    determinant = 0.0 * c[0] - 1.0
    iterations = 0
    while any_of(moving) and iterations < MAX_ITERATIONS:
        step, determinant_here = solve(jacobian(terms, g, c), residual(terms, g, c))
        c = (
            where(moving, c[0] - step[0], c[0]),
            where(moving, c[1] - step[1], c[1]),
            where(moving, c[2] - step[2], c[2]),
        )
        determinant = where(moving, determinant_here, determinant)
        moving = moving & (dot(step, step) > SMALL_CORRECTION)
        iterations += 1
    return c, determinant, iterations


@kernel
def inertial_weight(J: Symmetric) -> Any:
    """The square of a bound of what `2 J c` is made of, for a unit vector c."""
    trace = J[0] + J[1] + J[2]
    return 4.0 * trace * trace


@kernel
def relative_defect(residual: Any, terms: Any, weight: Any, g: Vector, c: Vector) -> Any:
    """`|r|²/(|g|² + weight |c|²)`, the weight that of c in r, squared."""
    r = residual(terms, g, c)
    size = dot(g, g) + weight * dot(c, c)
    return dot(r, r) / where(size > 0.0, size, 1.0)


@kernel
def is_wanted(J: Symmetric, c: Vector, defect: Any, determinant: Any) -> Any:
    """Whether c is a solution, and the one that joins zero.

    That is the one for which the eigenvalues of F Jd have positive real parts: equivalently, for Jd ≥ 0, the Jacobian's
    determinant is negative, as at c = 0, and `tr F Jd > 0`. NaN fails each of the comparisons.
    """
    spread = (J[0] + J[1] + J[2]) * (1.0 + dot(c, c))
    solved = defect <= RESIDUAL_BOUND * RESIDUAL_BOUND
    return solved & (determinant < 0.0) & (4.0 * dot(c, apply_symmetric(J, c)) < spread)


@kernel
def wanted_root(
    residual: Any, jacobian: Any, terms: Any, J: Symmetric, weight: Any, g: Vector, guess: Vector
) -> tuple[Vector, int, Any, Any]:
    """The root of `residual(terms, g, c)` that joins c = 0 as g shrinks, how many iterations it took, the squared
    relative residual, and whether it failed."""
    c, determinant, iterations = newton(residual, jacobian, terms, g, guess, dot(g, g) >= 0.0)
    defect = relative_defect(residual, terms, weight, g, c)
    lost = where(is_wanted(J, c, defect, determinant), 0.0, 1.0) > 0.5
    if any_of(lost):
        # Near the fold the guess may lie beyond it. Follow the solution from zero: with s = 1 − (1 − x)² for evenly
        # spaced x it moves evenly even where the fold makes it turn as √(1 − s).
        c = (where(lost, 0.0, c[0]), where(lost, 0.0, c[1]), where(lost, 0.0, c[2]))
        for station in range(1, STATIONS + 1):
            s = station * (2.0 * STATIONS - station) / (STATIONS * STATIONS)
            c, determinant, more = newton(residual, jacobian, terms, scale(s, g), c, lost)
            iterations += more
        defect = relative_defect(residual, terms, weight, g, c)
        lost = lost & (where(is_wanted(J, c, defect, determinant), 0.0, 1.0) > 0.5)
    return c, iterations, defect, lost


@kernel
def with_partials(residual: Any, jacobian: Any, terms0: Any, g0: Vector, terms: Any, g: Vector, c: Vector) -> Vector:
    """The root c, found on the values `terms0` and `g0`, with the partials that those of `terms` and `g` give it."""
    correction, _ = solve(jacobian(terms0, g0, c), residual(terms, g, c))
    return attach(c[0], correction[0]), attach(c[1], correction[1]), attach(c[2], correction[2])


@kernel
def solve_increment_(J: Symmetric, J_inverse: Symmetric, g: Vector) -> tuple[Vector, int, Any, Any]:
    """The Cayley parameter c of the discrete rotation, how many iterations it took, the worst squared relative residual,
    and whether it failed in any lane."""
    g0, J0, inverse = values3(g), values6(J), values6(J_inverse)
    # fixed-point corrections of the first guess are cheaper than the Newton steps that they save
    c = scale(0.5, apply_symmetric(inverse, g0))
    c = scale(0.5, apply_symmetric(inverse, turned(g0, c)))
    c = scale(0.5, apply_symmetric(inverse, turned(g0, c)))
    c, iterations, defect, lost = wanted_root(residual, jacobian, J0, J0, inertial_weight(J0), g0, c)
    return with_partials(residual, jacobian, J0, g0, J, g, c), iterations, worst(defect), any_of(lost)


def symmetric_entries(J: NDArray[np.float64]) -> NDArray[np.float64]:
    """The six numbers (xx, yy, zz, yz, xz, xy) of symmetric matrices."""
    return J[..., (0, 1, 2, 1, 0, 0), (0, 1, 2, 2, 2, 1)]


def solve_increment(inertia: ArrayLike, g: ArrayLike) -> NDArray[np.float64]:
    """The rotation F near the identity with `F Jd − Jd Fᵀ = S(g)`, for any leading axes.

    >>> F = solve_increment(np.diag([1.0, 2.0, 3.0]), [0.0, 0.0, 0.3])   # a spin about the third axis: sin θ = 0.3/3
    >>> round(float(np.arcsin(F[1, 0])), 12) == round(float(np.arcsin(0.1)), 12)
    True
    """
    from ..so3 import cayley

    J = as_array("inertia", inertia, MATRIX)
    momentum = as_array("g", g, VECTOR)
    entries = components(symmetric_entries(J), (6,))
    inverse = components(symmetric_entries(np.asarray(np.linalg.inv(J), dtype=np.float64)), (6,))
    with np.errstate(all="ignore"):
        c, _, defect, failed = solve_increment_(entries, inverse, components(momentum, VECTOR))
    if failed:
        factor = np.min(largest_step(J, momentum))
        raise PolhodeError(
            f"F Jd − Jd Fᵀ = S(g) has no solution near the identity (relative residual {np.sqrt(defect):.1e}): "
            f"g must be at most {factor:.6g} times what it is; about a principal axis that is |g| ≤ J"
        )
    return cayley(np.stack(np.broadcast_arrays(*c), axis=-1))


def largest_step(inertia: ArrayLike, momentum: ArrayLike) -> NDArray[np.float64]:
    """The step h beyond which `F Jd − Jd Fᵀ = h S(Π)` has no solution near the identity.

    With Λᵢ the principal values of Jd and Πₖ the momentum along its axes, the fold is at
    `1/h = max over ν of √( Σₖ Πₖ² ν² / ((ν² + Λᵢ²)(ν² + Λⱼ²)) )`, and it is the same all along a free motion.

    >>> float(largest_step(np.diag([1.0, 2.0, 3.0]), [0.0, 0.0, 3.0]))   # |ω| = 1 about a principal axis
    1.0
    """
    J = as_array("inertia", inertia, MATRIX)
    Pi = as_array("momentum", momentum, VECTOR)
    principal, axes = np.linalg.eigh(J)
    squares = (0.5 * principal.sum(-1, keepdims=True) - principal) ** 2
    along = np.square(np.einsum("...ji,...j->...i", axes, Pi))
    top = np.max(squares, axis=-1, keepdims=True)

    def rate(x: NDArray[np.float64]) -> NDArray[np.float64]:
        """The square of the expression above at ν² = x."""
        a, b, c = (x + squares[..., i] for i in range(3))
        return x * (along[..., 0] / (b * c) + along[..., 1] / (c * a) + along[..., 2] / (a * b))

    # a coarse scan over ν² and a golden-section refinement about its best point, for all leading axes at once
    grid = np.linspace(-30.0, 5.0, 421)
    scan = np.stack([rate(top[..., 0] * np.exp(s)) for s in grid], axis=-1)
    middle = grid[np.argmax(scan, axis=-1)]
    low, high = middle - 0.2, middle + 0.2
    golden = 0.5 * (np.sqrt(5.0) - 1.0)
    for _ in range(60):
        left, right = high - golden * (high - low), low + golden * (high - low)
        keep = rate(top[..., 0] * np.exp(left)) > rate(top[..., 0] * np.exp(right))
        low, high = np.where(keep, low, left), np.where(keep, right, high)
    best = rate(top[..., 0] * np.exp(0.5 * (low + high)))
    with np.errstate(divide="ignore"):
        return 1.0 / np.sqrt(best)
