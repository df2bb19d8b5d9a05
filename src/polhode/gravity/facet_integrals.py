"""The integrals of a distance over one triangle: in closed form, or by the points of a rule.

With r from a point x to a corner of the facet, n its normal, h = n·r, n_e the normals of its edges in its plane, pointing
out of it, `E = ∫_e |x − y| dl`, `L = ∫_e dl/|x − y|` and the solid angle ω (see `polyhedron`),

    s = ∫ dS/|x − y| = Σ_e (n_e·r) L − h ω,
    P = ∫ |x − y| dS = (Σ_e (n_e·r) E + h² s)/3,      ∇P = −Σ_e n_e E − h s n,
    E = (l₂r₂ − l₁r₁ + d² L)/2,

where l₁, l₂ are the ends of the edge along its line, r₁, r₂ away from x, and d is the distance of x from the line.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bodies.polyhedron import Polyhedron
from ..core.parameters import ParameterLayout
from ..geometry.vectors import Vector, add, cross, dot, scale, subtract
from ..scalars import atan2, kernel, largest, par, par3, smallest, sqrt
from .polyhedron import edge_logarithm

Array = NDArray[np.float64]
FACET = ParameterLayout(centre=3, radius=1, normal=3, area=1, corner1=3, corner2=3, corner3=3)
CENTRE, RADIUS, NORMAL, AREA = FACET.offsets("centre", "radius", "normal", "area")
CORNER1, CORNER2, CORNER3 = FACET.offsets("corner1", "corner2", "corner3")
EDGES = FACET.then(lengths=3, along1=3, along2=3, along3=3, across1=3, across2=3, across3=3)
LENGTHS, ALONG1, ALONG2, ALONG3 = EDGES.offsets("lengths", "along1", "along2", "along3")
ACROSS1, ACROSS2, ACROSS3 = EDGES.offsets("across1", "across2", "across3")
POINT_SIZE, POINT_WEIGHT = 4, 3  # of a point of a rule: its place, and its weight times the area


@kernel
def edge_terms(r1: Vector, a: Any, r2: Vector, b: Any, length: Any, along: Vector) -> tuple[Any, Any]:
    """L and E of the edge between r1 and r2, a and b away."""
    L, _ = edge_logarithm(r1, a, r2, b, length)
    d = cross(r1, along)
    return L, 0.5 * (dot(r2, along) * b - dot(r1, along) * a + dot(d, d) * L)


@kernel
def facet_integral(S: Any, x: Vector, p: Any, g: int) -> tuple[Any, Vector]:
    """P and ∇P of the facet of body 2 whose numbers begin at g."""
    r1, r2 = subtract(par3(p, g + CORNER1, S), x), subtract(par3(p, g + CORNER2, S), x)
    r3 = subtract(par3(p, g + CORNER3, S), x)
    a, b, c = sqrt(dot(r1, r1)), sqrt(dot(r2, r2)), sqrt(dot(r3, r3))
    L1, E1 = edge_terms(r1, a, r2, b, par(p, g + LENGTHS, S), par3(p, g + ALONG1, S))
    L2, E2 = edge_terms(r2, b, r3, c, par(p, g + LENGTHS + 1, S), par3(p, g + ALONG2, S))
    L3, E3 = edge_terms(r3, c, r1, a, par(p, g + LENGTHS + 2, S), par3(p, g + ALONG3, S))
    below = a * b * c + a * dot(r2, r3) + b * dot(r3, r1) + c * dot(r1, r2)
    omega = 2.0 * atan2(dot(r1, cross(r2, r3)), below)
    n = par3(p, g + NORMAL, S)
    n1, n2, n3 = par3(p, g + ACROSS1, S), par3(p, g + ACROSS2, S), par3(p, g + ACROSS3, S)
    d1, d2, d3 = dot(n1, r1), dot(n2, r2), dot(n3, r3)
    h = dot(n, r1)
    hs = h * (d1 * L1 + d2 * L2 + d3 * L3 - h * omega)
    P = (d1 * E1 + d2 * E2 + d3 * E3 + h * hs) / 3.0
    slope = add(add(scale(-E1, n1), scale(-E2, n2)), add(scale(-E3, n3), scale(-hs, n)))
    return P, slope


@kernel
def facet_sum(S: Any, x: Vector, p: Any, points: int, count: int) -> tuple[Any, Vector]:
    """The same by a rule, whose points on the facet, with their weights times its area, begin at `points`."""
    P = 0.0 * x[0]
    slope = (P, P, P)
    for k in range(points, points + POINT_SIZE * count, POINT_SIZE):
        d = subtract(x, par3(p, k, S))
        r = sqrt(dot(d, d))
        weight = par(p, k + POINT_WEIGHT, S)
        P = P + weight * r
        slope = add(slope, scale(weight / r, d))
    return P, slope


@kernel
def segment_distance2(r: Vector, length: Any, along: Vector) -> Any:
    """The squared distance of a point from an edge whose first end is at r as seen from it."""
    way = smallest(largest(-dot(r, along), 0.0 * length), length)
    d = add(r, scale(way, along))
    return dot(d, d)


@kernel
def edge_distance2(S: Any, x: Vector, p: Any, g: int) -> Any:
    """The squared distance of x from the nearest edge of a facet: only there is P not smooth."""
    r1, r2 = subtract(par3(p, g + CORNER1, S), x), subtract(par3(p, g + CORNER2, S), x)
    r3 = subtract(par3(p, g + CORNER3, S), x)
    d1 = segment_distance2(r1, par(p, g + LENGTHS, S), par3(p, g + ALONG1, S))
    d2 = segment_distance2(r2, par(p, g + LENGTHS + 1, S), par3(p, g + ALONG2, S))
    d3 = segment_distance2(r3, par(p, g + LENGTHS + 2, S), par3(p, g + ALONG3, S))
    return smallest(d1, smallest(d2, d3))


def facet_numbers(body: Polyhedron) -> Array:
    """Centre, radius about it, normal, area and corners of every facet, one row each."""
    corners = body.corners
    centres = corners.mean(axis=1)
    radii = np.linalg.norm(corners - centres[:, None], axis=2).max(axis=1)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    twice = np.linalg.norm(normals, axis=1)
    normals = normals / twice[:, None]
    return np.column_stack([centres, radii, normals, 0.5 * twice, corners.reshape(len(corners), 9)])


def edge_numbers(facets: Array) -> Array:
    """Lengths, directions and normals of the edges of facets, one row each."""
    n = len(facets)
    corners = facets[:, CORNER1 : FACET.end].reshape(n, 3, 3)
    sides = np.roll(corners, -1, axis=1) - corners
    lengths = np.linalg.norm(sides, axis=2)
    along = sides / lengths[:, :, None]
    across = np.cross(along, facets[:, None, NORMAL : NORMAL + 3])
    return np.hstack([lengths, along.reshape(n, 9), across.reshape(n, 9)])


def rule_points(rule: Array, facets: Array) -> Array:
    """The points of a rule on facets, each with its weight times the area; one row per facet."""
    n, (u, v, weight) = len(facets), rule.T
    barycentric = np.column_stack([u, v, 1.0 - u - v])
    places = np.einsum("kc,fcx->fkx", barycentric, facets[:, CORNER1 : FACET.end].reshape(n, 3, 3))
    weights = np.outer(facets[:, AREA], weight)
    return np.concatenate([places, weights[:, :, None]], axis=2).reshape(n, -1)
