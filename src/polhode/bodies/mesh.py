"""Closed triangle meshes: what is wrong with one that bounds no body, and polynomial integrals over the body inside.

With the origin, every facet (a, b, c) spans a tetrahedron of signed volume `det(a, b, c)/6`; over the facets of a closed
outward mesh, star-shaped or not, the signed integrals add up to the integral over the body.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.checks import check_array
from ..errors import InvalidInputError
from ..geometry.array_api import as_array
from .integrals import exponents

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

SLIVER = 1e-12  # a facet whose area is below this part of its longest side squared has no usable normal
CHUNK = 4096  # facets at a time: what keeps the work arrays of high orders in tens of megabytes


def facet_integrals(corners: Array, order: int) -> Array:
    """`∫ xⁱ yʲ zᵏ dV` over the body bounded by facets with these corners, shape (facets, 3, 3), for i + j + k ≤ order.

    Over the simplex (0, a, b, c), `∫ (ξ·x)ⁿ dV = det(a, b, c) n!/(n+3)! hₙ(ξ·a, ξ·b, ξ·c)` with hₙ the complete
    homogeneous symmetric polynomial. The coefficients of `ξᵅ` in hₙ follow from `hₙ(s₁..sₘ) = hₙ(s₁..sₘ₋₁) +
    sₘ hₙ₋₁(s₁..sₘ)`, one corner after the other; then `∫ xᵅ dV = det α!/(n+3)! [ξᵅ] hₙ`.
    """
    T = np.zeros((order + 1,) * 3)
    alphas = list(exponents(order))
    for start in range(0, len(corners), CHUNK):
        part = corners[start : start + CHUNK]
        determinants = np.linalg.det(part)
        h = np.zeros((order + 1,) * 3 + (len(part),))
        h[0, 0, 0] = 1.0
        for corner in range(3):
            x, y, z = part[:, corner].T
            for i, j, k in alphas:
                if i:
                    h[i, j, k] += x * h[i - 1, j, k]
                if j:
                    h[i, j, k] += y * h[i, j - 1, k]
                if k:
                    h[i, j, k] += z * h[i, j, k - 1]
        for i, j, k in alphas:
            weight = math.factorial(i) * math.factorial(j) * math.factorial(k) / math.factorial(i + j + k + 3)
            T[i, j, k] += weight * np.sum(determinants * h[i, j, k])
    return T


def check_mesh(vertices: Any, faces: Any) -> tuple[Array, Indices]:
    """Vertices (n, 3) and facets (m, 3) of a closed outward mesh, or an error that says what is wrong and where.

    Facets are counted from 0. What is not looked for: facets that cut through one another.
    """
    points = np.array(check_array("vertices", vertices, (3,)))
    if points.ndim != 2:
        raise InvalidInputError("vertices", f"an array of shape {points.shape}", "shape (n, 3)")
    given = np.asarray(faces) if as_array("faces", faces, (3,)).ndim == 2 else np.zeros(3)
    if not np.issubdtype(given.dtype, np.integer):
        raise InvalidInputError("faces", faces, "whole numbers of shape (m, 3)")
    if not len(given):
        raise InvalidInputError("faces", "no facets", "a closed mesh: four facets or more")
    triangles = given.astype(np.int64)
    beyond = np.any((triangles < 0) | (triangles >= len(points)), axis=1)
    _refuse("vertices beyond the list", beyond, triangles, f"vertex numbers from 0 to {len(points) - 1}")
    a, b, c = triangles.T
    _refuse("a vertex twice", (a == b) | (b == c) | (c == a), triangles, "three different vertices in each facet")
    corners = points[triangles]
    sides = corners - np.roll(corners, 1, axis=1)
    area = np.linalg.norm(np.cross(sides[:, 1], sides[:, 2]), axis=1)
    longest = np.max(np.sum(sides**2, axis=2), axis=1)
    _refuse("no area", area <= SLIVER * longest, triangles, "facets with an area")
    _check_edges(triangles, points)
    _check_outward(corners, triangles, len(points))
    return points, triangles


def _refuse(what: str, bad: NDArray[np.bool_], triangles: Indices, allowed: str) -> None:
    """Raise if any facet is bad, naming the first few."""
    if bad.any():
        where = ", ".join(f"facet {f} {tuple(map(int, triangles[f]))}" for f in np.flatnonzero(bad)[:3])
        raise InvalidInputError("faces", f"{what} in {bad.sum()} of {len(bad)} facets ({where})", allowed)


def directed_edges(triangles: Indices, count: int) -> tuple[Indices, Indices]:
    """The 3m edges in the direction in which their facets run round, as one number each; and the reversed ones."""
    start, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    return start * count + end, end * count + start


def without_unused(points: Array, triangles: Indices) -> tuple[Array, Indices]:
    """The vertices that facets use, and the facets by their new numbers."""
    used, renumbered = np.unique(triangles, return_inverse=True)
    return points[used], renumbered.reshape(triangles.shape)


def _check_edges(triangles: Indices, points: Array) -> None:
    """Every edge must be run through once each way: closed, two facets per edge, all oriented alike."""
    count = len(points)
    forward, backward = directed_edges(triangles, count)
    order = np.argsort(forward, kind="stable")
    twin = np.concatenate([forward[order][1:] == forward[order][:-1], [False]])
    if twin.any():
        first, second = order[:-1][twin[:-1]][0], order[1:][twin[:-1]][0]
        edge = divmod(int(forward[first]), count)
        value = f"facets {first // 3} and {second // 3} both run from vertex {edge[0]} to {edge[1]} ({twin.sum()} such edges)"
        raise InvalidInputError(
            "faces", value, "each edge shared by two facets that run along it in opposite directions"
        )
    alone = ~np.isin(forward, backward)
    if alone.any():
        places = [(f // 3, divmod(int(forward[f]), count)) for f in np.flatnonzero(alone)[:3]]
        where = ", ".join(f"facet {f}, vertices {a}-{b}" for f, (a, b) in places)
        allowed = "a closed mesh: each edge shared by two facets"
        repeated = count - len(np.unique(points, axis=0))
        if repeated:
            allowed += (
                f"; {repeated} of the {count} vertices repeat others, which may be why: give each place one number"
            )
        raise InvalidInputError("faces", f"{alone.sum()} edges with a facet on one side only ({where})", allowed)


def _check_outward(corners: Array, triangles: Indices, count: int) -> None:
    """Each connected part of the surface must enclose a positive volume."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    start, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    graph = coo_array((np.ones(start.size), (start, end)), shape=(count, count))
    labels = connected_components(graph, directed=False)[1][triangles[:, 0]]
    shifted = corners - corners.mean(axis=(0, 1))  # a closed part has the same volume seen from any origin
    for label in np.unique(labels):
        part = labels == label
        volume = float(np.sum(np.linalg.det(shifted[part]))) / 6.0
        if not volume > 0.0:
            where = f"the part of {part.sum()} facets that holds facet {np.flatnonzero(part)[0]}"
            allowed = "facets that run counter-clockwise seen from outside (reverse them; cavities are not supported)"
            raise InvalidInputError("faces", f"{where} has the volume {volume:g}", allowed)
