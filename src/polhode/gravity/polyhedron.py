"""The exact field of a homogeneous polyhedron at a point (Werner and Scheeres [WS97], sums over edges and facets).

`r` from the field point to a corner, `n` the outward normal of a facet, `n_e` the normals of its edges in its plane,
pointing out of it. With `L = ln((a + b + e)/(a + b − e))` for an edge of length e whose ends are a and b away, the solid
angle `ω = 2 atan2(r₁·(r₂×r₃), r₁r₂r₃ + r₁(r₂·r₃) + r₂(r₃·r₁) + r₃(r₁·r₂))` of a facet, and `h = n·r`, each facet gives

    s = Σ_e (n_e·r) L − h ω,          t = Σ_e n_e L − n ω,

and, for potential energy of a unit mass, `U = −½ Gσ Σ h s`, `∂U/∂X = Gσ Σ n s`, `∂²U/∂X² = −Gσ Σ n tᵀ`. These are
the sums over edges and facets of [WS97], with their dyads `E = n nₑᵀ + n' nₑ'ᵀ` and `F = n nᵀ` written out by facets.
`Σ ω` is 4π inside and 0 outside, and `∇²U = Gσ Σ ω`.

Near an edge `a + b − e` cancels; `L = ln(1 + e (a + b + e)/k)` does not, with `k = ab + a·b = |a × b|²/(ab − a·b)`. On it
L is infinite, and what it is multiplied with in U and ∂U/∂X is zero: there the products' limit is zero, and L is left
out. The second derivatives are infinite there. Between facets of one plane the terms of an edge cancel everywhere: such
an edge, as the diagonal of a square, is given the length zero, and so no L.

Parameters: kind, how many vertices, edges, facets and points, Gσ; the vertices; each edge's two vertices and length; each
facet's three vertices, three edges, normal, and three edge normals; mass and position of each point that is attracted.
Workspace: r and |r| of each vertex, L of each edge.

[WS97] R. A. Werner, D. J. Scheeres, Exterior gravitation of a polyhedron derived and compared with harmonic and mascon
gravitation representations of asteroid 4769 Castalia, Celest. Mech. Dyn. Astron. 65 (1997).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bodies.mesh import directed_edges
from ..bodies.polyhedron import Polyhedron
from ..core.parameters import ParameterLayout
from ..geometry.vectors import (
    Matrix,
    Symmetric,
    Vector,
    add,
    apply,
    apply_transposed,
    cross,
    dot,
    scale,
    subtract,
)
from ..scalars import atan2, compiled, get, get3, kernel, log1p, par, par3, put, put3, sqrt, where
from ..scalars.protocol import par_int
from .points import MASS, PLACE, POINT_SIZE

Array = NDArray[np.float64]
HEADER = ParameterLayout(kind=1, vertices=1, edges=1, facets=1, points=1, strength=1)
VERTICES, EDGES, FACETS, POINTS, STRENGTH = HEADER.offsets("vertices", "edges", "facets", "points", "strength")
EDGE = ParameterLayout(i=1, j=1, length=1)  # two vertices
EDGE_I, EDGE_J, LENGTH = EDGE.offsets("i", "j", "length")
FACET = ParameterLayout(i=1, j=1, k=1, edge1=1, edge2=1, edge3=1, normal=3, across1=3, across2=3, across3=3)
FACET_I, FACET_J, FACET_K = FACET.offsets("i", "j", "k")
EDGE1, EDGE2, EDGE3 = FACET.offsets("edge1", "edge2", "edge3")
NORMAL, ACROSS1, ACROSS2, ACROSS3 = FACET.offsets("normal", "across1", "across2", "across3")
FIRST, VERTEX_SIZE, EDGE_SIZE, FACET_SIZE = HEADER.end, 3, EDGE.size, FACET.size
SEEN_SIZE, DISTANCE = 4, 3  # in the workspace: a vertex as seen from X, and how far it is
NAN = np.nan
ON_EDGE = 1e-280  # of its length squared: where k is below this, L is left out
FLAT = 1e-14  # sine of the angle between the normals of facets that lie in one plane


@kernel
def edge_logarithm(r1: Vector, a: Any, r2: Vector, b: Any, length: Any) -> tuple[Any, Any]:
    """L of an edge between r1 and r2, a and b away, and NaN if that is infinite, else zero.

    On the edge the value is zero. Its derivatives are not numbers there, as `√k` has none at k = 0.
    """
    along = dot(r1, r2)
    n = cross(r1, r2)
    k = where(along < 0.0, dot(n, n) / (a * b - along), a * b + along)
    beside = k > ON_EDGE * length * length
    inner = where(length > 0.0, sqrt(k), 0.0 * length)
    L = where(beside, log1p(length * (a + b + length) / k), inner)
    return L, where(beside, 0.0 * length, where(length > 0.0, NAN + length, 0.0 * length))


@kernel
def seen_at(S: Any, p: Any, i: Any, w: Any) -> Any:
    """Where the vertex that parameter i names lies in the workspace from w on."""
    return w + SEEN_SIZE * par_int(p, i, S)


@compiled
def polyhedron_field(S: Any, X: Vector, p: Any, at: int, work: Any, w: int) -> tuple[Any, Vector, Symmetric, Any]:
    """U, ∂U/∂X, the six entries (xx, yy, zz, yz, xz, xy) of ∂²U/∂X², and Σω."""
    vertices, edges, facets = par_int(p, at + VERTICES, S), par_int(p, at + EDGES, S), par_int(p, at + FACETS, S)
    strength = par(p, at + STRENGTH, S)
    first = at + FIRST
    for v in range(vertices):
        r = subtract(par3(p, first + VERTEX_SIZE * v, S), X)
        put3(work, w + SEEN_SIZE * v, S, r)
        put(work, w + SEEN_SIZE * v + DISTANCE, S, sqrt(dot(r, r)))
    first += VERTEX_SIZE * vertices
    logs = w + SEEN_SIZE * vertices
    zero = 0.0 * X[0]
    infinite = zero
    for e in range(edges):
        at_edge = first + EDGE_SIZE * e
        i, j = seen_at(S, p, at_edge + EDGE_I, w), seen_at(S, p, at_edge + EDGE_J, w)
        r1, r2, length = get3(work, i, S), get3(work, j, S), par(p, at_edge + LENGTH, S)
        L, on_edge = edge_logarithm(r1, get(work, i + DISTANCE, S), r2, get(work, j + DISTANCE, S), length)
        put(work, logs + e, S, L)
        infinite = infinite + on_edge
    first += EDGE_SIZE * edges
    U, angle = zero, zero
    F = (zero, zero, zero)
    H = (zero, zero, zero, zero, zero, zero)
    for f in range(facets):
        here = first + FACET_SIZE * f
        i, j = seen_at(S, p, here + FACET_I, w), seen_at(S, p, here + FACET_J, w)
        k = seen_at(S, p, here + FACET_K, w)
        r1, r2, r3 = get3(work, i, S), get3(work, j, S), get3(work, k, S)
        s1, s2, s3 = get(work, i + DISTANCE, S), get(work, j + DISTANCE, S), get(work, k + DISTANCE, S)
        below = s1 * s2 * s3 + s1 * dot(r2, r3) + s2 * dot(r3, r1) + s3 * dot(r1, r2)
        omega = 2.0 * atan2(dot(r1, cross(r2, r3)), below)
        angle = angle + omega
        n = par3(p, here + NORMAL, S)
        h = dot(n, r1)
        t = scale(-omega, n)
        s = -h * omega
        l1 = get(work, logs + par_int(p, here + EDGE1, S), S)
        l2 = get(work, logs + par_int(p, here + EDGE2, S), S)
        l3 = get(work, logs + par_int(p, here + EDGE3, S), S)
        t1, t2 = scale(l1, par3(p, here + ACROSS1, S)), scale(l2, par3(p, here + ACROSS2, S))
        t3 = scale(l3, par3(p, here + ACROSS3, S))
        s = s + dot(t1, r1) + dot(t2, r2) + dot(t3, r3)
        t = add(add(t, t1), add(t2, t3))
        U = U - 0.5 * h * s
        F = add(F, scale(s, n))
        H = (
            H[0] - n[0] * t[0],
            H[1] - n[1] * t[1],
            H[2] - n[2] * t[2],
            H[3] - 0.5 * (n[1] * t[2] + n[2] * t[1]),
            H[4] - 0.5 * (n[0] * t[2] + n[2] * t[0]),
            H[5] - 0.5 * (n[0] * t[1] + n[1] * t[0]),
        )
    c = strength + infinite
    H = (c * H[0], c * H[1], c * H[2], c * H[3], c * H[4], c * H[5])
    return strength * U, scale(strength, F), H, angle


@kernel
def points_in_field(S: Any, p: Any, at: int) -> tuple[int, int]:
    """Where the points that the polyhedron attracts begin in the parameters, and where they end."""
    vertices, edges, facets = par_int(p, at + VERTICES, S), par_int(p, at + EDGES, S), par_int(p, at + FACETS, S)
    begin = at + FIRST + VERTEX_SIZE * vertices + EDGE_SIZE * edges + FACET_SIZE * facets
    return begin, begin + POINT_SIZE * par_int(p, at + POINTS, S)


@kernel
def polyhedron_points(S: Any, X: Vector, R: Matrix, p: Any, at: int, work: Any, w: int) -> tuple[Any, Vector, Vector]:
    """U, ∂U/∂X and M of points (body 1) in the field of a polyhedron (body 2): `U = Σ m Φ(X + Rρ)`."""
    begin, end = points_in_field(S, p, at)
    zero = 0.0 * X[0]
    U, F, M = zero, (zero, zero, zero), (zero, zero, zero)
    for k in range(begin, end, POINT_SIZE):
        arm = apply(R, par3(p, k + PLACE, S))
        V, f, _, _ = polyhedron_field(S, add(X, arm), p, at, work, w)
        m = par(p, k + MASS, S)
        f = scale(m, f)
        U, F, M = U + m * V, add(F, f), add(M, cross(arm, f))
    return U, F, M


@kernel
def points_polyhedron(S: Any, X: Vector, R: Matrix, p: Any, at: int, work: Any, w: int) -> tuple[Any, Vector, Vector]:
    """The same pair the other way round, the polyhedron being body 1: `U = Σ m Φ(Rᵀ(ρ − X))`, `M = −Σ (ρ − X) × R m∇Φ`."""
    begin, end = points_in_field(S, p, at)
    zero = 0.0 * X[0]
    U, F, M = zero, (zero, zero, zero), (zero, zero, zero)
    for k in range(begin, end, POINT_SIZE):
        d = subtract(par3(p, k + PLACE, S), X)
        V, f, _, _ = polyhedron_field(S, apply_transposed(R, d), p, at, work, w)
        m = par(p, k + MASS, S)
        f = apply(R, scale(m, f))
        U, F, M = U + m * V, subtract(F, f), add(M, cross(f, d))
    return U, F, M


def polyhedron_numbers(body: Polyhedron, kind: int, strength: float, points: Array) -> Array:
    """The parameters: kind, counts, strength, vertices, edges, facets, and the points, rows of mass and position."""
    forward, backward = directed_edges(body.faces, len(body.vertices))
    keys, edge_of = np.unique(np.minimum(forward, backward), return_inverse=True)
    ends = np.stack(np.divmod(keys, len(body.vertices)), axis=1)
    lengths = np.linalg.norm(body.vertices[ends[:, 1]] - body.vertices[ends[:, 0]], axis=1)
    corners = body.corners
    sides = np.roll(corners, -1, axis=1) - corners
    normals = np.cross(sides[:, 0], sides[:, 1])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    outward = np.cross(sides, normals[:, None, :])
    outward /= np.linalg.norm(outward, axis=2, keepdims=True)
    lengths[_flat(normals, edge_of, len(ends))] = 0.0
    topology = np.hstack([body.faces, edge_of.reshape(-1, 3)]).astype(np.float64)
    facets = np.hstack([topology, normals, outward.reshape(-1, 9)])
    counts = {"vertices": len(body.vertices), "edges": len(ends), "facets": len(body.faces), "points": len(points)}
    header = HEADER.pack(kind=kind, **counts, strength=strength)
    edges = np.column_stack([ends.astype(np.float64), lengths])
    return np.concatenate([header, body.vertices.ravel(), edges.ravel(), facets.ravel(), points.ravel()])


def _flat(normals: Array, edge_of: NDArray[np.int64], edges: int) -> NDArray[np.bool_]:
    """Which edges lie between facets of one plane; `edge_of` has the three edges of each facet in turn."""
    first, second = (np.argsort(edge_of, kind="stable").reshape(edges, 2) // 3).T
    apart = np.linalg.norm(np.cross(normals[first], normals[second]), axis=1)
    return (apart <= FLAT) & (np.sum(normals[first] * normals[second], axis=1) > 0.0)


def workspace_size(body: Polyhedron) -> int:
    """How many entries the workspace has."""
    return SEEN_SIZE * len(body.vertices) + 3 * len(body.faces) // 2
