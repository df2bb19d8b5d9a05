"""The mutual gravity of two homogeneous polyhedra, up to contact: an integral over both surfaces.

As `∇₁·∇₂ |x − y| = −2/|x − y|`, the divergence theorem, once for each body, turns the integral over both volumes into

    U = ½ Gσ₁σ₂ Σ_f Σ_g (n_f·n_g) ∫_f ∫_g |x − y| dS dS

over the facets f of body 1 and g of body 2, with their outward normals n. Nothing in it is singular, whether the bodies
are apart, touch or overlap. Of a pair of facets

    far apart     both integrals are sums over the points of a rule for triangles, of degree 3, 5 or 7 by their distance;
    near          the inner one is known in closed form, the outer one is a sum over the points of a rule of degree 9, on f
                  or on the parts into which f is cut, in four again and again, where it is near the edges of g
                  (see `facet_integrals`).

The force and the moment are the exact derivatives of the sum that U is, so that the motion conserves its energy as in any
other potential; only where a pair of facets passes from one rule to another does U jump, by less than the tolerance.

Parameters: the header, of each rule how many points it has and how far away it is good for; the points of the rules; the
facets of body 1; those of body 2, each with its points of the far rules. Workspace: for each rule a list of the facets of
body 2 that it is for, and the parts of a facet of body 1 that are still to be done.

The points on a facet of body 1 are taken four at a time, in lanes, where the run is on doubles.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bodies.polyhedron import Polyhedron
from ..core.parameters import ParameterLayout
from ..geometry.vectors import Matrix, Vector, add, apply, dot, scale, subtract
from ..scalars import compiled, get, get3, kernel, par, par3, put, put3, worst
from ..scalars.protocol import par_int
from .facet_integrals import (
    AREA,
    CENTRE,
    CORNER1,
    CORNER2,
    CORNER3,
    EDGES,
    FACET,
    NORMAL,
    POINT_SIZE,
    RADIUS,
    edge_distance2,
    edge_numbers,
    facet_numbers,
    rule_points,
)
from .facet_pairs import BLOCK, add_terms, far_terms, near_terms, sum_terms
from .triangle_rules import in_blocks, product_rule, radon_rule

Array = NDArray[np.float64]
RULES, NEAREST = 4, 3  # three for facets that are far apart, and that for near ones
HEADER = ParameterLayout(
    kind=1, facets1=1, facets2=1, strength=1, near=1, smallest=1, points=RULES, inner=NEAREST, beyond=NEAREST
)
FACETS1, FACETS2, STRENGTH, NEAR = HEADER.offsets("facets1", "facets2", "strength", "near")
SMALLEST, COUNTS, INNER, BEYOND = HEADER.offsets("smallest", "points", "inner", "beyond")
FIRST, FACET_SIZE, POINTS = (
    HEADER.end,
    FACET.size,
    EDGES.end,
)  # behind a facet of body 2 are its points of the far rules
PART_SIZE, PART_AREA = 10, 9  # a part of a facet: three corners and the area
DEEPEST = 10  # how often a facet is cut at most
FAR_DEGREES = (3, 5, 7)  # of the rules for far facets
LEFT_OUT = (2e-2, 3e-3, 3e-3)  # the factors of their errors
NOT_NEAR = 0.15  # a part is not cut whose size is below its distance times the tenth root of the tolerance over this
SINGULAR = 15.0  # smallest part, in units of the fourth root of the tolerance times the size of the smaller body


def workspace_size(second: Polyhedron) -> int:
    """How many entries the workspace has."""
    return RULES * len(second.faces) + PART_SIZE * (3 * DEEPEST + 4)


@kernel
def smallest_of(x: Any) -> Any:
    """The least value in any lane, as a plain double."""
    return -worst(-x)


@kernel
def put_part(S: Any, work: Any, i: int, A: Vector, B: Vector, C: Vector, area: Any) -> None:
    """Write down a part that is to be done."""
    put3(work, i, S, A)
    put3(work, i + 3, S, B)
    put3(work, i + 6, S, C)
    put(work, i + PART_AREA, S, area)


@compiled
def near_pair(
    S: Any, X: Vector, n: Vector, p: Any, at: int, g: int, rule: int, work: Any, parts: int
) -> tuple[Any, Vector, Vector]:
    """What a facet of body 1 with normal n, the one part in the workspace, adds to U, F and M with the near facet g."""
    count = par_int(p, at + COUNTS + NEAREST, S)
    near, smallest = smallest_of(par(p, at + NEAR, S)), smallest_of(par(p, at + SMALLEST, S))
    zero = 0.0 * X[0]
    total = (zero, (zero, zero, zero), (zero, zero, zero))
    left = 1
    while left > 0:
        left -= 1
        here = parts + PART_SIZE * left
        A, B, C = get3(work, here, S), get3(work, here + 3, S), get3(work, here + 6, S)
        area = get(work, here + PART_AREA, S)
        middle = scale(1.0 / 3.0, add(A, add(B, C)))
        a, b, c = subtract(A, middle), subtract(B, middle), subtract(C, middle)
        size2 = worst(dot(a, a) + dot(b, b) + dot(c, c))
        close = smallest_of(edge_distance2(S, middle, p, g)) < near * near * size2
        if close and size2 > smallest * smallest and left < 3 * DEEPEST:
            AB, BC, CA = scale(0.5, add(A, B)), scale(0.5, add(B, C)), scale(0.5, add(C, A))
            quarter = 0.25 * area
            put_part(S, work, here, A, AB, CA, quarter)
            put_part(S, work, here + PART_SIZE, AB, B, BC, quarter)
            put_part(S, work, here + 2 * PART_SIZE, CA, BC, C, quarter)
            put_part(S, work, here + 3 * PART_SIZE, BC, CA, AB, quarter)
            left += 4
        else:
            total = add_terms(total, sum_terms(S, near_terms, (A, B, C), area, X, n, p, rule, count, g))
    return total


@compiled
def polyhedron_pair(S: Any, X: Vector, R: Matrix, p: Any, at: int, work: Any, w: int) -> tuple[Any, Vector, Vector]:
    """U, ∂U/∂X and M of two polyhedra."""
    facets1, facets2 = par_int(p, at + FACETS1, S), par_int(p, at + FACETS2, S)
    counts = (
        par_int(p, at + COUNTS, S),
        par_int(p, at + COUNTS + 1, S),
        par_int(p, at + COUNTS + 2, S),
        par_int(p, at + COUNTS + 3, S),
    )
    inner = par_int(p, at + INNER, S), par_int(p, at + INNER + 1, S), par_int(p, at + INNER + 2, S)
    beyond = (
        smallest_of(par(p, at + BEYOND, S)),
        smallest_of(par(p, at + BEYOND + 1, S)),
        smallest_of(par(p, at + BEYOND + 2, S)),
    )
    rules = (
        at + FIRST,
        at + FIRST + 3 * counts[0],
        at + FIRST + 3 * (counts[0] + counts[1]),
        at + FIRST + 3 * (counts[0] + counts[1] + counts[2]),
    )
    first = rules[NEAREST] + 3 * counts[NEAREST]
    second = first + FACET_SIZE * facets1
    offsets = (POINTS, POINTS + POINT_SIZE * inner[0], POINTS + POINT_SIZE * (inner[0] + inner[1]))
    size = offsets[2] + POINT_SIZE * inner[2]
    parts = w + RULES * facets2
    zero = 0.0 * X[0]
    total = (zero, (zero, zero, zero), (zero, zero, zero))
    for f in range(facets1):
        here = first + FACET_SIZE * f
        n = apply(R, par3(p, here + NORMAL, S))
        A = add(X, apply(R, par3(p, here + CORNER1, S)))
        B = add(X, apply(R, par3(p, here + CORNER2, S)))
        C = add(X, apply(R, par3(p, here + CORNER3, S)))
        middle = add(X, apply(R, par3(p, here + CENTRE, S)))
        area, radius = par(p, here + AREA, S), par(p, here + RADIUS, S)
        ends = (w, w + facets2, w + 2 * facets2, w + 3 * facets2)
        for g in range(facets2):
            other = second + size * g
            d = subtract(middle, par3(p, other + CENTRE, S))
            reach = radius + par(p, other + RADIUS, S)
            apart = smallest_of(dot(d, d) / (reach * reach))
            level = int(apart <= beyond[0]) + int(apart <= beyond[1]) + int(apart <= beyond[2])
            put(work, ends[level], S, float(g))
            ends = (
                ends[0] + int(level == 0),
                ends[1] + int(level == 1),
                ends[2] + int(level == 2),
                ends[3] + int(level == 3),
            )
        for level in range(NEAREST):
            listed = (w + level * facets2, ends[level])
            if listed[1] > listed[0]:
                facets = (second, size, offsets[level], inner[level])
                rule, count, among = rules[level], counts[level], (facets, work, listed)
                more = sum_terms(S, far_terms, (A, B, C), area, X, n, p, rule, count, among)
                total = add_terms(total, more)
        for i in range(w + NEAREST * facets2, ends[NEAREST]):
            g = second + size * int(worst(get(work, i, S)))
            put_part(S, work, parts, A, B, C, area)
            total = add_terms(total, near_pair(S, X, n, p, at, g, rules[NEAREST], work, parts))
    c = par(p, at + STRENGTH, S)
    return c * total[0], scale(c, total[1]), scale(c, total[2])


def pair_numbers(first: Polyhedron, second: Polyhedron, kind: int, G: float, tolerance: float) -> Array:
    """The parameters: header, rules, facets of body 1, facets of body 2.

    A rule of degree d on facets of radii a₁ and a₂ whose centres are D apart leaves out a part `c ((a₁ + a₂)/2D)ᵈ⁺¹` of
    their integral; c was found by trials. So does that of degree 9 on a part, with its distance from the edges of the
    other facet. Next to these the integral over a small part has a relative error of the fourth power of its size.
    """
    rules = [product_rule(2), radon_rule(), product_rule(4), product_rule(5)]
    smaller = min(first.volume, second.volume) ** (1.0 / 3.0)
    header = HEADER.pack(
        kind=kind,
        facets1=len(first.faces),
        facets2=len(second.faces),
        strength=0.5 * G * first.density * second.density,
        near=NOT_NEAR * tolerance**-0.1,
        smallest=SINGULAR * tolerance**0.25 * smaller,
        points=[len(rule) + -len(rule) % BLOCK for rule in rules],
        inner=[len(rule) for rule in rules[:NEAREST]],
        beyond=[0.25 * (c / tolerance) ** (2.0 / (d + 1)) for d, c in zip(FAR_DEGREES, LEFT_OUT, strict=True)],
    )
    facets = facet_numbers(second)
    points = [rule_points(rule, facets) for rule in rules[:NEAREST]]
    own, other = facet_numbers(first), np.hstack([facets, edge_numbers(facets), *points])
    return np.concatenate([header, *(in_blocks(rule, BLOCK).ravel() for rule in rules), own.ravel(), other.ravel()])
