"""Flat states with named views, and coordinates on their tangent spaces."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.core.layout import Layout, Variable
from polhode.core.manifolds import Euclidean, Rotations, UnitQuaternions
from polhode.geometry import quaternion, so3

RNG = np.random.default_rng(3)
POINTS = {
    "rotations": (Rotations(), so3.random(RNG).reshape(-1), so3.random(RNG).reshape(-1)),
    "quaternions": (UnitQuaternions(), quaternion.random(RNG), quaternion.random(RNG)),
    "vectors": (Euclidean(5), RNG.normal(size=5), RNG.normal(size=5)),
}


@pytest.mark.parametrize("name", POINTS)
def test_coordinates_invert_the_basis(name: str) -> None:
    manifold, x, _ = POINTS[name]
    xi = RNG.normal(size=manifold.dimension)
    np.testing.assert_allclose(manifold.coordinates(x, manifold.basis(x) @ xi), xi, atol=1e-14)


@pytest.mark.parametrize("name", POINTS)
def test_the_basis_is_the_derivative_of_the_retraction(name: str) -> None:
    manifold, x, _ = POINTS[name]
    xi, e = RNG.normal(size=manifold.dimension), 1e-5
    numeric = (manifold.retract(x, e * xi) - manifold.retract(x, -e * xi)) / (2 * e)
    np.testing.assert_allclose(manifold.basis(x) @ xi, numeric, atol=1e-9)
    assert manifold.defect(manifold.retract(x, xi)) < 1e-14
    assert manifold.distance(x, manifold.retract(x, 1e-3 * xi)) == pytest.approx(1e-3 * np.linalg.norm(xi), rel=1e-6)


def test_defect_sees_what_is_off() -> None:
    assert Rotations().defect(1.01 * np.eye(3).reshape(-1)) > 0.01
    assert UnitQuaternions().defect(np.array([0, 0, 0, 1.01])) == pytest.approx(0.01)


def test_packing_and_blocks() -> None:
    layout = Layout(Variable("R", Rotations()), Variable("Pi", Euclidean(3), kicked=True), Variable("x", Euclidean(0)))
    values = {"R": so3.random(RNG), "Pi": np.array([1.0, 2.0, 3.0]), "x": np.array(7.0)}
    y = layout.pack(values)
    assert y.shape == (13,)
    for name, value in layout.unpack(y).items():
        np.testing.assert_array_equal(value, values[name])
    assert layout.kicked == slice(9, 12)
    basis = layout.basis(y)
    assert basis.shape == (13, 7)
    np.testing.assert_allclose(layout.coordinates(y, basis.T), np.eye(7), atol=1e-15)
    assert layout.unpack(np.stack([y, y]))["R"].shape == (2, 3, 3)


def test_kicked_variables_lie_together() -> None:
    p, x = Variable("p", Euclidean(1), kicked=True), Variable("x", Euclidean(1))
    with pytest.raises(ValueError, match="side by side"):
        Layout(p, x, Variable("r", Euclidean(1), kicked=True))
