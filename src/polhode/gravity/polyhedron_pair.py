"""The mutual gravity of two homogeneous polyhedra, up to contact: an integral over both surfaces.

As `∇₁·∇₂ |x − y| = −2/|x − y|`, the divergence theorem, once for each body, turns the integral over both volumes into

    U = ½ Gσ₁σ₂ Σ_f Σ_g (n_f·n_g) ∫_f ∫_g |x − y| dS dS

over the facets f of body 1 and g of body 2, with their outward normals n. Nothing in it is singular, whether the bodies
are apart, touch or overlap. Of a pair of facets

    far apart     both integrals are sums over the points of one rule for triangles;
    near          the inner one is known in closed form, the outer one is a sum over the points of a second rule, on f or
                  on the parts into which f is cut, in four again and again, where it is near g.

With r from x to a corner of g, h = n·r, the normals n_e of its edges, `E = ∫_e |x − y| dl`, `L = ∫_e dl/|x − y|` and the
solid angle ω (see `polyhedron`), the closed form is

    s = ∫_g dS/|x − y| = Σ_e (n_e·r) L − h ω,
    P = ∫_g |x − y| dS = (Σ_e (n_e·r) E + h² s)/3,      ∇P = −Σ_e n_e E − h s n,
    E = (l₂r₂ − l₁r₁ + d² L)/2,

where l₁, l₂ are the ends of the edge along its line and d is the distance of x from this. The force and the moment are
the exact derivatives of the sum that U is, so that the motion conserves its energy as for any other potential; only
where a pair passes from one of these rules to another does U jump, by less than the tolerance.

Parameters: the header; the points of the two rules (two barycentric coordinates and a weight); the facets of body 1; those
of body 2. Workspace: the far facets of body 2 from the front of a list and the near ones from its back, the points of a
facet of body 1, and the parts of it that are still to be done.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bodies.polyhedron import Polyhedron
from ..core.parameters import ParameterLayout
from ..geometry.vectors import Matrix, Vector, add, apply, cross, dot, scale, subtract
from ..scalars import atan2, compiled, get, get3, kernel, par, par3, put, put3, sqrt, worst
from ..scalars.protocol import par_int
from .polyhedron import edge_logarithm

Array = NDArray[np.float64]
HEADER = ParameterLayout(kind=1, facets1=1, facets2=1, strength=1, far=1, near=1, far_points=1, near_points=1, smallest=1)
FACETS1, FACETS2, STRENGTH, FAR, NEAR = HEADER.offsets("facets1", "facets2", "strength", "far", "near")
FAR_POINTS, NEAR_POINTS, SMALLEST = HEADER.offsets("far_points", "near_points", "smallest")
RULE_POINT = ParameterLayout(first=1, second=1, weight=1)
WEIGHT, RULE_SIZE = RULE_POINT.offsets("weight")[0], RULE_POINT.size
FACET = ParameterLayout(centre=3, radius=1, normal=3, area=1, corner1=3, corner2=3, corner3=3)
CENTRE, RADIUS, NORMAL, AREA = FACET.offsets("centre", "radius", "normal", "area")
CORNER1, CORNER2, CORNER3 = FACET.offsets("corner1", "corner2", "corner3")
EDGES = FACET.then(lengths=3, along1=3, along2=3, along3=3, across1=3, across2=3, across3=3)
LENGTHS, ALONG1, ALONG2, ALONG3 = EDGES.offsets("lengths", "along1", "along2", "along3")
ACROSS1, ACROSS2, ACROSS3 = EDGES.offsets("across1", "across2", "across3")
FIRST, FACET_SIZE, POINTS = HEADER.end, FACET.size, EDGES.end  # behind a facet of body 2 are its points of the far rule
PART_SIZE, AREA_OF_PART = 10, 9  # a part of a facet: three corners and the area
DEEPEST = 12  # how often a facet is cut at most


def workspace_size(second: Polyhedron, far_points: int) -> int:
    """How many entries the workspace has."""
    return len(second.faces) + 3 * far_points + PART_SIZE * (3 * DEEPEST + 4)


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
def on_facet(S: Any, p: Any, point: int, A: Vector, B: Vector, C: Vector) -> Vector:
    """The point of a rule on the triangle ABC."""
    u, v = par(p, point, S), par(p, point + 1, S)
    return add(add(scale(u, A), scale(v, B)), scale(1.0 - u - v, C))


@kernel
def smallest_of(x: Any) -> Any:
    """The least value in any lane, as a plain double."""
    return -worst(-x)


@kernel
def far_sum(
    S: Any, x: Vector, n: Vector, p: Any, facets: int, size: int, points: int, rule: int, work: Any, listed: int, count: int
) -> tuple[Vector, Vector]:
    """`Σ_g n_g P` and `Σ_g (n·n_g) ∇P` at x over the `count` listed facets, by the rule on each."""
    zero = 0.0 * x[0]
    turning, force = (zero, zero, zero), (zero, zero, zero)
    for i in range(count):
        g = facets + size * int(worst(get(work, listed + i, S)))
        P, slope = zero, (zero, zero, zero)
        for k in range(points):
            d = subtract(x, par3(p, g + POINTS + 3 * k, S))
            r = sqrt(dot(d, d))
            weight = par(p, rule + RULE_SIZE * k + WEIGHT, S)
            P = P + weight * r
            slope = add(slope, scale(weight / r, d))
        area, normal = par(p, g + AREA, S), par3(p, g + NORMAL, S)
        turning = add(turning, scale(area * P, normal))
        force = add(force, scale(area * dot(n, normal), slope))
    return turning, force


@compiled
def near_pair(
    S: Any, X: Vector, n: Vector, p: Any, at: int, g: int, rule: int, work: Any, parts: int
) -> tuple[Any, Vector, Vector]:
    """What a facet of body 1 with normal n, whose corners and area are the one part in the workspace, adds to U, F and M
    with the near facet g; without the strength."""
    points = par_int(p, at + NEAR_POINTS, S)
    near, smallest = smallest_of(par(p, at + NEAR, S)), smallest_of(par(p, at + SMALLEST, S))
    centre, radius = par3(p, g + CENTRE, S), par(p, g + RADIUS, S)
    normal = par3(p, g + NORMAL, S)
    cosine, turn = dot(n, normal), cross(n, normal)
    zero = 0.0 * X[0]
    U, F, M = zero, (zero, zero, zero), (zero, zero, zero)
    count = 1
    while count > 0:
        count -= 1
        here = parts + PART_SIZE * count
        A, B, C = get3(work, here, S), get3(work, here + 3, S), get3(work, here + 6, S)
        area = get(work, here + AREA_OF_PART, S)
        middle = scale(1.0 / 3.0, add(A, add(B, C)))
        a, b, c = subtract(A, middle), subtract(B, middle), subtract(C, middle)
        size2 = worst(dot(a, a) + dot(b, b) + dot(c, c))  # two thirds of the sum of squared sides, less than 3 radius²
        d = subtract(middle, centre)
        gap = smallest_of(sqrt(dot(d, d)) - radius)
        if size2 > smallest * smallest and (gap <= 0.0 or gap * gap < near * near * size2) and count < 3 * DEEPEST:
            AB, BC, CA = scale(0.5, add(A, B)), scale(0.5, add(B, C)), scale(0.5, add(C, A))
            quarter = 0.25 * area
            put3(work, here, S, A)
            put3(work, here + 3, S, AB)
            put3(work, here + 6, S, CA)
            put(work, here + AREA_OF_PART, S, quarter)
            here += PART_SIZE
            put3(work, here, S, AB)
            put3(work, here + 3, S, B)
            put3(work, here + 6, S, BC)
            put(work, here + AREA_OF_PART, S, quarter)
            here += PART_SIZE
            put3(work, here, S, CA)
            put3(work, here + 3, S, BC)
            put3(work, here + 6, S, C)
            put(work, here + AREA_OF_PART, S, quarter)
            here += PART_SIZE
            put3(work, here, S, AB)
            put3(work, here + 3, S, BC)
            put3(work, here + 6, S, CA)
            put(work, here + AREA_OF_PART, S, quarter)
            count += 4
        else:
            for q in range(points):
                point = rule + RULE_SIZE * q
                x = on_facet(S, p, point, A, B, C)
                P, slope = facet_integral(S, x, p, g)
                weight = area * par(p, point + WEIGHT, S)
                f = scale(weight * cosine, slope)
                U = U + weight * cosine * P
                F = add(F, f)
                M = add(M, add(cross(subtract(x, X), f), scale(weight * P, turn)))
    return U, F, M


@compiled
def polyhedron_pair(S: Any, X: Vector, R: Matrix, p: Any, at: int, work: Any, w: int) -> tuple[Any, Vector, Vector]:
    """U, ∂U/∂X and M of two polyhedra."""
    facets1, facets2 = par_int(p, at + FACETS1, S), par_int(p, at + FACETS2, S)
    far_points, near_points = par_int(p, at + FAR_POINTS, S), par_int(p, at + NEAR_POINTS, S)
    far = par(p, at + FAR, S)
    far_rule = at + FIRST
    near_rule = far_rule + RULE_SIZE * far_points
    first = near_rule + RULE_SIZE * near_points
    second = first + FACET_SIZE * facets1
    size = POINTS + 3 * far_points
    parts = w + facets2
    zero = 0.0 * X[0]
    U, F, M = zero, (zero, zero, zero), (zero, zero, zero)
    for f in range(facets1):
        here = first + FACET_SIZE * f
        n = apply(R, par3(p, here + NORMAL, S))
        A = add(X, apply(R, par3(p, here + CORNER1, S)))
        B = add(X, apply(R, par3(p, here + CORNER2, S)))
        C = add(X, apply(R, par3(p, here + CORNER3, S)))
        middle = add(X, apply(R, par3(p, here + CENTRE, S)))
        area, radius = par(p, here + AREA, S), par(p, here + RADIUS, S)
        count, last = 0, facets2
        for g in range(facets2):
            other = second + size * g
            d = subtract(middle, par3(p, other + CENTRE, S))
            reach = far * (radius + par(p, other + RADIUS, S))
            if smallest_of(dot(d, d) - reach * reach) > 0.0:
                put(work, w + count, S, float(g))
                count += 1
            else:
                last -= 1
                put(work, w + last, S, float(g))
        if count > 0:
            for q in range(far_points):
                point = far_rule + RULE_SIZE * q
                x = on_facet(S, p, point, A, B, C)
                turning, force = far_sum(S, x, n, p, second, size, far_points, far_rule, work, w, count)
                weight = area * par(p, point + WEIGHT, S)
                f_q = scale(weight, force)
                U = U + weight * dot(n, turning)
                F = add(F, f_q)
                M = add(M, add(cross(subtract(x, X), f_q), scale(weight, cross(n, turning))))
        for i in range(last, facets2):
            g = second + size * int(worst(get(work, w + i, S)))
            put3(work, parts, S, A)
            put3(work, parts + 3, S, B)
            put3(work, parts + 6, S, C)
            put(work, parts + AREA_OF_PART, S, area)
            V, f_g, m_g = near_pair(S, X, n, p, at, g, near_rule, work, parts)
            U, F, M = U + V, add(F, f_g), add(M, m_g)
    c = par(p, at + STRENGTH, S)
    return c * U, scale(c, F), scale(c, M)


def triangle_rule(n: int) -> Array:
    """The n² points and weights, of sum 1, of the product of two Gauss rules on a triangle with two of its sides drawn
    together: exact to degree 2n − 1. Rows of two barycentric coordinates and the weight."""
    from scipy.special import roots_jacobi

    u, wu = roots_jacobi(n, 1.0, 0.0)  # weight 1 − u on [−1, 1]
    v, wv = np.polynomial.legendre.leggauss(n)
    u, v = 0.5 * (1.0 + u), 0.5 * (1.0 + v)
    first = np.repeat(u, n)
    second = np.outer(1.0 - u, v).ravel()
    return np.column_stack([first, second, np.outer(wu, wv).ravel() / 4.0])


ROOT = float(np.sqrt(15.0))
SEVEN = np.array(
    [[1.0 / 3.0, 1.0 / 3.0, 9.0 / 40.0]]
    + [
        [*corner, weight]
        for b, weight in (((6.0 - ROOT) / 21.0, (155.0 - ROOT) / 1200.0), ((6.0 + ROOT) / 21.0, (155.0 + ROOT) / 1200.0))
        for corner in ((b, b), (b, 1.0 - 2.0 * b), (1.0 - 2.0 * b, b))
    ]
)  # Radon's rule of degree 5


def pair_numbers(
    first: Polyhedron, second: Polyhedron, kind: int, G: float, far: float, near: float, smallest: float, order: int
) -> Array:
    """The parameters: header, rules, facets of body 1, facets of body 2."""
    rule = triangle_rule(order)
    header = HEADER.pack(
        kind=kind,
        facets1=len(first.faces),
        facets2=len(second.faces),
        strength=0.5 * G * first.density * second.density,
        far=far,
        near=near,
        far_points=len(SEVEN),
        near_points=len(rule),
        smallest=smallest,
    )
    corners = second.corners
    sides = np.roll(corners, -1, axis=1) - corners
    lengths = np.linalg.norm(sides, axis=2)
    along = sides / lengths[:, :, None]
    facets = _facets(second)
    across = np.cross(along, facets[:, None, NORMAL : NORMAL + 3])
    barycentric = np.column_stack([SEVEN[:, :2], 1.0 - SEVEN[:, :2].sum(axis=1)])
    points = np.einsum("kc,fcx->fkx", barycentric, corners)
    n = len(facets)
    edges = np.hstack([facets, lengths, along.reshape(n, 9), across.reshape(n, 9), points.reshape(n, -1)])
    return np.concatenate([header, SEVEN.ravel(), rule.ravel(), _facets(first).ravel(), edges.ravel()])


def _facets(body: Polyhedron) -> Array:
    """Centre, radius about it, normal, area and corners of every facet."""
    corners = body.corners
    centres = corners.mean(axis=1)
    radii = np.linalg.norm(corners - centres[:, None], axis=2).max(axis=1)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    twice = np.linalg.norm(normals, axis=1)
    normals = normals / twice[:, None]
    return np.column_stack([centres, radii, normals, 0.5 * twice, corners.reshape(len(corners), 9)])
