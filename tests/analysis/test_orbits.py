"""The mutual orbit of a trajectory: elements that a Kepler orbit conserves, and angles of libration that are known."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.analysis import libration, mutual_distance, mutual_elements
from polhode.bodies import Ellipsoid, Sphere
from polhode.gravity.kepler import elements

POINTS = ph.FullTwoBodyProblem(Sphere(1.0, 0.01), Sphere(3.0, 0.02), gravity=2, G=0.5)
KEPLER = {"a": 1.5, "e": 0.3, "inclination": 0.7, "node": 1.2, "periapsis": 2.1, "mean_anomaly": -0.4}


def kepler_run(**changes) -> ph.Trajectory:
    start = POINTS.state(elements=KEPLER | changes, q2=[0.1, 0.2, 0.3, 0.9])
    return ph.simulate(start, step=0.05, steps=200, method=ph.LGVI(8))


def test_a_kepler_orbit_keeps_its_elements() -> None:
    trajectory = kepler_run()
    orbit = mutual_elements(trajectory)
    for name in ("a", "e", "inclination", "node", "periapsis"):
        np.testing.assert_allclose(getattr(orbit, name), KEPLER[name], atol=1e-7)
    assert orbit.period[0] == pytest.approx(2 * np.pi * np.sqrt(1.5**3 / 2.0))
    mean = np.unwrap(orbit.mean_anomaly)
    np.testing.assert_allclose(mean, -0.4 + np.sqrt(2.0 / 1.5**3) * trajectory.t, atol=1e-6)
    r = 1.5 * (1 - 0.3**2) / (1 + 0.3 * np.cos(orbit.true_anomaly))
    np.testing.assert_allclose(mutual_distance(trajectory), r, rtol=1e-7)


def test_a_hyperbola_too() -> None:
    orbit = mutual_elements(kepler_run(a=-1.5, e=1.4))
    np.testing.assert_allclose(orbit.a, -1.5, atol=1e-6)
    np.testing.assert_allclose(orbit.e, 1.4, atol=1e-6)


def test_inertial_and_relative_coordinates_agree() -> None:
    state = ph.FullTwoBodyProblem.example()
    pair = ph.simulate(state, step=0.02, steps=50)
    both = ph.simulate(state.system.to_inertial(state), step=0.02, steps=50)
    np.testing.assert_allclose(mutual_elements(both).e, mutual_elements(pair).e, atol=1e-12)
    np.testing.assert_allclose(libration(both), libration(pair), atol=1e-11)
    # the other way round, the periapsis is opposite and the distance the same
    np.testing.assert_allclose(mutual_elements(both, (1, 0)).a, mutual_elements(both).a, rtol=1e-12)


@pytest.mark.parametrize("angle", [-1.2, -0.3, 0.0, 0.5, 1.5])
def test_the_libration_angle_is_the_turn_from_the_line(angle: float) -> None:
    """A moon turned by `angle` about the orbit's normal from where it faces the other; its long axis is its y axis."""
    from polhode.geometry import so3

    pair = ph.FullTwoBodyProblem(Ellipsoid(0.01, [0.1, 0.2, 0.05]), Sphere(1.0, 0.3), gravity=2)
    facing = pair.state(elements={"a": 2.0, "e": 0.1, "inclination": 0.6, "node": 0.3}, synchronous=["body1"])
    normal = np.cross(facing.x1 - facing.x2, facing.v1 - facing.v2)
    turn = so3.exp(angle * normal / np.linalg.norm(normal))
    turned = pair.state(elements={"a": 2.0, "e": 0.1, "inclination": 0.6, "node": 0.3}, R=turn @ facing.R)
    for state, expected in ((facing, 0.0), (turned, angle)):
        found = libration(ph.simulate(state, step=0.1, steps=0))
        assert found[0, 0] == pytest.approx(expected, abs=1e-14)
        assert np.isnan(found[0, 1])  # a ball has no long axis


def test_a_synchronous_moon_librates_and_a_fast_one_circulates() -> None:
    pair = ph.FullTwoBodyProblem(Ellipsoid(0.01, [0.12, 0.1, 0.08]), Sphere(1.0, 0.3), gravity=2)
    orbit = {"a": 2.0, "e": 0.02}
    still = ph.simulate(pair.state(elements=orbit, synchronous=["body1"]), step=0.1, steps=2000)
    # forced by the eccentricity, about 2e/(1 − (n/ω)²) with ω² = 3n²(B−A)/C, and the free part that begins with it
    assert 0.5 * 0.04 < np.max(np.abs(libration(still)[:, 0])) < 0.2
    fast = ph.simulate(pair.state(elements=orbit, synchronous=["body1"], Omega1=[0, 0, 2.0]), step=0.05, steps=500)
    assert np.max(libration(fast)[:, 0]) > 1.5
    assert np.min(libration(fast)[:, 0]) < -1.5


def test_the_dataset_holds_it_all_with_units() -> None:
    data = kepler_run().orbit()
    assert data.a.dims == ("time",)
    assert data.libration.dims == ("time", "body")
    assert data.e.sel(time=5.0, method="nearest") == pytest.approx(0.3, abs=1e-6)
    assert data.inclination.attrs["units"] == "rad"
    assert data.attrs["polhode_system"] == "FullTwoBodyProblem"


@pytest.mark.parametrize("pair", [(1, 1), (0, 2), (-1, 0)])
def test_a_pair_is_two_bodies(pair: tuple[int, int]) -> None:
    with pytest.raises(ph.InvalidInputError, match="pair"):
        mutual_elements(kepler_run(), pair)
    one = ph.FreeRigidBody.example()
    with pytest.raises(ph.InvalidInputError, match="two bodies"):
        mutual_distance(ph.simulate(one, step=0.1, steps=1))


def test_elements_make_the_state_in_space_whatever_the_frame() -> None:
    state = kepler_run().state(0)
    found = elements(state.x1 - state.x2, state.v1 - state.v2, 2.0)
    for name, value in KEPLER.items():
        assert getattr(found, name) == pytest.approx(value, abs=1e-13)
    np.testing.assert_allclose(1.0 * state.x1 + 3.0 * state.x2, 0.0, atol=1e-15)


def test_alternatives_of_attitude_and_spin_are_the_same_state() -> None:
    plain = ph.FullTwoBodyProblem.example()
    pair = plain.system
    same = pair.state(
        X=plain.X,
        V=plain.V,
        q=ph.quaternion.from_matrix(plain.R),
        Pi=plain.Pi,
        q2=3.0 * ph.quaternion.from_matrix(plain.R2),
        Pi2=plain.Pi2,
    )
    for name, value in plain.values.items():
        np.testing.assert_allclose(same.values[name], value, atol=1e-15)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "X"),
        ({"X": [1, 0, 0], "elements": {"a": 1.0}}, "elements"),
        ({"elements": {"semimajor": 1.0}}, "elements"),
        ({"elements": {"a": -1.0}}, "elements.a"),
        ({"elements": 3.0}, "elements"),
        ({"X": [1, 0, 0], "R": np.eye(3), "q": [0, 0, 0, 1]}, "q"),
        ({"X": [1, 0, 0], "q": [0, 0, 0, 0]}, "q"),
        ({"X": [1, 0, 0], "Omega2": [0, 0, 1], "Pi2": [0, 0, 1]}, "Omega2"),
        ({"X": [1, 0, 0], "synchronous": ["body3"]}, "synchronous"),
        ({"X": [1, 0, 0], "synchronous": ["body2"]}, "synchronous"),
        ({"X": [1, 0, 0], "synchronous": ["body1"]}, "synchronous"),
        ({"elements": {"a": 1.0}, "synchronous": ["body1"], "R": np.eye(3)}, "R"),
    ],
)
def test_contradictions_are_named(given: dict, field: str) -> None:
    with pytest.raises(ph.InvalidInputError) as caught:
        POINTS.state(**given)
    assert caught.value.field == field
