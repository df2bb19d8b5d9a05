"""The mutual gravity of two bodies by their true shapes, up to contact."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..bodies import Body, Polyhedron
from ..core.checks import check_positive
from ..errors import InvalidInputError
from . import points, polyhedron, polyhedron_pair
from .dispatch import POINTS, POLYHEDRON, POLYHEDRON_FIRST, POLYHEDRON_PAIR
from .focal_points import points_of
from .interactions import Interaction

Array = NDArray[np.float64]
TOLERANCE = 1e-10
TIGHTEST = 1e-14


class Shapes(Interaction):
    """Any two bodies with shapes, from contact to any distance; the force has a relative error of about `tolerance`.

    Points, dumbbells and balls attract as points. An ellipsoid attracts, outside it, as points on its focal ellipse do
    (`polhode.gravity.focal_points`), and a polyhedron by the closed form of its field (`polhode.gravity.polyhedron`).
    Of two polyhedra the integral over both surfaces is taken (`polhode.gravity.polyhedron_pair`), whose cost grows with
    the product of the numbers of their facets.

    Force and moments are the exact derivatives of one potential, so that a variational step conserves the momenta to
    rounding and lets the energy not drift.

    >>> from polhode.bodies import Ellipsoid
    >>> disc = Ellipsoid(1.0, [2.0, 2.0, 1.0])
    >>> U, F, M = Shapes(disc, disc, G=1.0).evaluate([0.0, 0.0, 2.0], np.eye(3))  # one on the other
    >>> round(float(F[2]), 9)
    0.144297291
    """

    until_contact = True

    def __init__(self, body1: Body, body2: Body, G: float, *, tolerance: float = TOLERANCE) -> None:
        super().__init__(body1, body2, G)
        self.tolerance = check_positive("tolerance", tolerance)
        if not TIGHTEST <= self.tolerance <= 1e-2:
            raise InvalidInputError("tolerance", tolerance, f"a number from {TIGHTEST:g} to 0.01")
        meshes = [body for body in (body1, body2) if isinstance(body, Polyhedron)]
        if len(meshes) == 2:
            self.workspace = polyhedron_pair.workspace_size(meshes[1])
            self.same_bits_in_lanes = False  # the rules are those for the nearest lane
        elif meshes:
            self.workspace = polyhedron.workspace_size(meshes[0])
        pairs = (("body1", body1, body2), ("body2", body2, body1))
        self._points = {f: points_of(f, b, c, self.tolerance) for f, b, c in pairs if not isinstance(b, Polyhedron)}

    def _build(self) -> Array:
        first, second, G = self.body1, self.body2, self.G
        if isinstance(first, Polyhedron) and isinstance(second, Polyhedron):
            return polyhedron_pair.pair_numbers(first, second, POLYHEDRON_PAIR, G, self.tolerance)
        if isinstance(second, Polyhedron):
            return polyhedron.polyhedron_numbers(second, POLYHEDRON, G * second.density, self._points["body1"])
        if isinstance(first, Polyhedron):
            return polyhedron.polyhedron_numbers(first, POLYHEDRON_FIRST, G * first.density, self._points["body2"])
        return points.points_numbers(POINTS, G, self._points["body1"], self._points["body2"])

    def __repr__(self) -> str:
        return f"Shapes({self.body1!r}, {self.body2!r}, G={self.G:g}, tolerance={self.tolerance:g})"
