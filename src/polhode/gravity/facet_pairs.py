"""What the points of a facet of body 1 add to the mutual gravity of two polyhedra, with facets of body 2 far and near.

The points are taken four at a time, in lanes, where the run is on doubles, and one by one where it is on lanes or duals.
"""

from __future__ import annotations

from typing import Any

from numba import types

from ..geometry.vectors import Vector, add, cross, dot, scale, subtract
from ..scalars import get, kernel, lanes, load, par, par3, worst
from ..scalars.functions import overloads
from ..scalars.stages import lane_sum
from .facet_integrals import NORMAL, facet_integral, facet_sum

BLOCK = 4  # points at a time
FOUR = lanes(BLOCK)


@kernel
def seen_from(
    S: Any,
    x: Vector,
    n: Vector,
    p: Any,
    second: int,
    size: int,
    offset: int,
    count: int,
    work: Any,
    listed: int,
    end: int,
) -> tuple[Vector, Vector]:
    """`Σ_g n_g P` and `Σ_g (n·n_g) ∇P` at x over the listed facets, by a rule for far ones."""
    zero = 0.0 * x[0]
    turning, force = (zero, zero, zero), (zero, zero, zero)
    for i in range(listed, end):
        g = second + size * int(worst(get(work, i, S)))
        P, slope = facet_sum(S, x, p, g + offset, count)
        normal = par3(p, g + NORMAL, S)
        turning = add(turning, scale(P, normal))
        force = add(force, scale(dot(n, normal), slope))
    return turning, force


@kernel
def place_on(u: Any, v: Any, A: Vector, B: Vector, C: Vector) -> Vector:
    """The point of the triangle ABC with the first two barycentric coordinates u and v."""
    return add(add(scale(u, A), scale(v, B)), scale(1.0 - u - v, C))


@kernel
def far_terms(
    S: Any, u: Any, v: Any, weight: Any, corners: Any, X: Vector, n: Vector, p: Any, among: Any
) -> tuple[Any, Vector, Vector]:
    """What one point, or the points in lanes, adds to U, F and M with all facets of a list: `among` says where facets and
    their rule are in p, and where the list is, in the workspace."""
    (second, size, offset, count), work, (listed, end) = among
    x = place_on(u, v, corners[0], corners[1], corners[2])
    turning, force = seen_from(S, x, n, p, second, size, offset, count, work, listed, end)
    f = scale(weight, force)
    return weight * dot(n, turning), f, add(cross(subtract(x, X), f), scale(weight, cross(n, turning)))


@kernel
def near_terms(
    S: Any, u: Any, v: Any, weight: Any, corners: Any, X: Vector, n: Vector, p: Any, g: int
) -> tuple[Any, Vector, Vector]:
    """What one point, or the points in lanes, adds to U, F and M with the facet g."""
    x = place_on(u, v, corners[0], corners[1], corners[2])
    P, slope = facet_integral(S, x, p, g)
    normal = par3(p, g + NORMAL, S)
    cosine = dot(n, normal)
    f = scale(weight * cosine, slope)
    return weight * cosine * P, f, add(cross(subtract(x, X), f), scale(weight * P, cross(n, normal)))


@kernel
def add_terms(total: Any, more: Any) -> Any:
    """Two times U, F and M, added."""
    return total[0] + more[0], add(total[1], more[1]), add(total[2], more[2])


@kernel
def summed(total: Any) -> Any:
    """U, F and M of all lanes."""
    U, F, M = total
    return (
        lane_sum(U),
        (lane_sum(F[0]), lane_sum(F[1]), lane_sum(F[2])),
        (lane_sum(M[0]), lane_sum(M[1]), lane_sum(M[2])),
    )


@kernel
def by_points(
    S: Any, terms: Any, corners: Any, area: Any, X: Vector, n: Vector, p: Any, rule: int, count: int, among: Any
) -> tuple[Any, Vector, Vector]:
    """The `terms` of all points of a facet of body 1, or of a part of one."""
    zero = 0.0 * X[0]
    total = (zero, (zero, zero, zero), (zero, zero, zero))
    for q in range(rule, rule + count):
        u, v, weight = par(p, q, S), par(p, q + count, S), par(p, q + 2 * count, S)
        total = add_terms(total, terms(S, u, v, area * weight, corners, X, n, p, among))
    return total


@kernel
def by_fours(
    S: Any, terms: Any, corners: Any, area: Any, X: Vector, n: Vector, p: Any, rule: int, count: int, among: Any
) -> tuple[Any, Vector, Vector]:
    """The same, four points at a time."""
    zero = 0.0 * load(p, rule, FOUR, BLOCK)
    total = (zero, (zero, zero, zero), (zero, zero, zero))
    for q in range(rule, rule + count, BLOCK):
        u, v = load(p, q, FOUR, BLOCK), load(p, q + count, FOUR, BLOCK)
        weight = area * load(p, q + 2 * count, FOUR, BLOCK)
        total = add_terms(total, terms(S, u, v, weight, corners, X, n, p, among))
    return summed(total)


def sum_terms(S: Any, *rest: Any) -> Any:
    """`by_fours` on doubles, `by_points` on lanes and duals; `terms` are `far_terms` or `near_terms`."""
    raise TypeError("sum_terms works in compiled code only")


@overloads(sum_terms)
def _sum_terms(
    S: Any, terms: Any, corners: Any, area: Any, X: Any, n: Any, p: Any, rule: Any, count: Any, among: Any
) -> Any:
    if isinstance(S, types.NumberClass):
        return lambda S, terms, corners, area, X, n, p, rule, count, among: by_fours(
            S, terms, corners, area, X, n, p, rule, count, among
        )
    return lambda S, terms, corners, area, X, n, p, rule, count, among: by_points(
        S, terms, corners, area, X, n, p, rule, count, among
    )
