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

Parameters: kind, how many vertices, edges and facets, Gσ times the point's mass; the vertices; each edge's two vertices
and length; each facet's three vertices, three edges, normal, and three edge normals. Workspace: r and |r| of each vertex,
L of each edge.

[WS97] R. A. Werner, D. J. Scheeres, Exterior gravitation of a polyhedron derived and compared with harmonic and mascon
gravitation representations of asteroid 4769 Castalia, Celest. Mech. Dyn. Astron. 65 (1997).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bodies.mesh import directed_edges
from ..bodies.polyhedron import Polyhedron
from ..geometry.vectors import (
    Matrix,
    Symmetric,
    Vector,
    add,
    apply,
    apply_transposed,
    cross,
    dot,
    negate,
    scale,
    subtract,
)
from ..scalars import atan2, compiled, get, get3, kernel, log1p, par, par3, put, put3, sqrt, where
from ..scalars.protocol import par_int

Array = NDArray[np.float64]
HEADER = 5
EDGE, FACET = 3, 18
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


@compiled
def polyhedron_field(S: Any, X: Vector, p: Any, at: int, work: Any, w: int) -> tuple[Any, Vector, Symmetric, Any]:
    """U, ∂U/∂X, the six entries (xx, yy, zz, yz, xz, xy) of ∂²U/∂X², and Σω."""
    vertices, edges, facets = par_int(p, at + 1, S), par_int(p, at + 2, S), par_int(p, at + 3, S)
    strength = par(p, at + 4, S)
    first = at + HEADER
    for v in range(vertices):
        r = subtract(par3(p, first + 3 * v, S), X)
        put3(work, w + 4 * v, S, r)
        put(work, w + 4 * v + 3, S, sqrt(dot(r, r)))
    first += 3 * vertices
    logs = w + 4 * vertices
    zero = 0.0 * X[0]
    infinite = zero
    for e in range(edges):
        at_edge = first + EDGE * e
        i, j = w + 4 * par_int(p, at_edge, S), w + 4 * par_int(p, at_edge + 1, S)
        L, on_edge = edge_logarithm(
            get3(work, i, S), get(work, i + 3, S), get3(work, j, S), get(work, j + 3, S), par(p, at_edge + 2, S)
        )
        put(work, logs + e, S, L)
        infinite = infinite + on_edge
    first += EDGE * edges
    U, angle = zero, zero
    F = (zero, zero, zero)
    H = (zero, zero, zero, zero, zero, zero)
    for f in range(facets):
        here = first + FACET * f
        i, j, k = w + 4 * par_int(p, here, S), w + 4 * par_int(p, here + 1, S), w + 4 * par_int(p, here + 2, S)
        r1, r2, r3 = get3(work, i, S), get3(work, j, S), get3(work, k, S)
        s1, s2, s3 = get(work, i + 3, S), get(work, j + 3, S), get(work, k + 3, S)
        below = s1 * s2 * s3 + s1 * dot(r2, r3) + s2 * dot(r3, r1) + s3 * dot(r1, r2)
        omega = 2.0 * atan2(dot(r1, cross(r2, r3)), below)
        angle = angle + omega
        n = par3(p, here + 6, S)
        h = dot(n, r1)
        t = scale(-omega, n)
        s = -h * omega
        l1, l2 = get(work, logs + par_int(p, here + 3, S), S), get(work, logs + par_int(p, here + 4, S), S)
        l3 = get(work, logs + par_int(p, here + 5, S), S)
        t1, t2, t3 = scale(l1, par3(p, here + 9, S)), scale(l2, par3(p, here + 12, S)), scale(l3, par3(p, here + 15, S))
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
def polyhedron_point(S: Any, X: Vector, R: Matrix, p: Any, at: int, work: Any, w: int) -> tuple[Any, Vector, Vector]:
    """U, ∂U/∂X and M = 0 of a point mass (body 1) at X in the field of a polyhedron (body 2)."""
    U, F, _, _ = polyhedron_field(S, X, p, at, work, w)
    zero = 0.0 * X[0]
    return U, F, (zero, zero, zero)


@kernel
def point_polyhedron(S: Any, X: Vector, R: Matrix, p: Any, at: int, work: Any, w: int) -> tuple[Any, Vector, Vector]:
    """The same pair the other way round, the polyhedron being body 1: `U = U_p(−RᵀX)`, `M = −X × ∂U/∂X`."""
    U, F1, _, _ = polyhedron_field(S, negate(apply_transposed(R, X)), p, at, work, w)
    F = negate(apply(R, F1))
    return U, F, cross(F, X)


def polyhedron_numbers(body: Polyhedron, strength: float) -> Array:
    """The parameters without the kind: counts, strength, vertices, edges, facets."""
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
    counts = [float(len(body.vertices)), float(len(ends)), float(len(body.faces)), strength]
    edges = np.column_stack([ends.astype(np.float64), lengths])
    return np.concatenate([np.array(counts), body.vertices.ravel(), edges.ravel(), facets.ravel()])


def _flat(normals: Array, edge_of: NDArray[np.int64], edges: int) -> NDArray[np.bool_]:
    """Which edges lie between facets of one plane; `edge_of` has the three edges of each facet in turn."""
    first, second = (np.argsort(edge_of, kind="stable").reshape(edges, 2) // 3).T
    apart = np.linalg.norm(np.cross(normals[first], normals[second]), axis=1)
    return (apart <= FLAT) & (np.sum(normals[first] * normals[second], axis=1) > 0.0)


def workspace_size(body: Polyhedron) -> int:
    """How many entries the workspace has."""
    return 4 * len(body.vertices) + 3 * len(body.faces) // 2
