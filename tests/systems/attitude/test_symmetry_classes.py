"""Equilibria up to turns of space and of the body."""

import pickle

import numpy as np
import pytest

import polhode as ph
from polhode.systems.attitude.symmetry_classes import TurnSymmetry, _axes

TURN = ph.so3.exp([0.3, -0.7, 0.4])


def weight(turn: np.ndarray, potential: str = "n1*R13 + n2*R23 + n3*R33") -> ph.AttitudeBody:
    """A heavy body in a frame of space that is turned."""
    n = turn[:, 2]
    return ph.AttitudeBody([1, 2, 2.5], potential=potential, parameters={"n1": n[0], "n2": n[1], "n3": n[2]})


@pytest.mark.parametrize("turn", [np.eye(3), TURN])
def test_a_heavy_body_has_two_places_of_rest(turn: np.ndarray) -> None:
    found = weight(turn).equilibria()
    assert [e.label for e in found] == ["U = 1", "U = -1"] or [e.label for e in found] == ["U = -1", "U = 1"]
    assert len(found.all) > 4
    axis = "(" + ", ".join(f"{x:.4g}" for x in turn[:, 2] * np.sign(turn[np.argmax(np.abs(turn[:, 2])), 2])) + ")"
    assert f"turns of space about {axis}" in found.symmetry
    assert "half turns of the body about (0, 0, 1)" in found.symmetry


def test_what_breaks_a_symmetry_keeps_the_classes_apart() -> None:
    """A quadratic field has 24 places of rest in six classes. A rotor does not turn with the body, a weight tells up from
    down."""
    field = "R11**2 + 0.3*R12**2 + 2*R21**2 + 0.6*R22**2"
    plain = ph.AttitudeBody([1.0, 2.0, 2.5], potential=field).equilibria()
    assert [len(plain), len(plain.all)] == [6, 24]
    assert "half turns of the body about (1, 0, 0), (0, 1, 0), (0, 0, 1)" in plain.symmetry
    rotor = ph.AttitudeBody([1.0, 2.0, 2.5], potential=field, gyro=[0.1, 0.2, 0.3]).equilibria()
    assert "of the body" not in rotor.symmetry
    heavy = ph.AttitudeBody([1.0, 2.0, 2.5], potential=field + " + 0.1*R33").equilibria()
    energies = {round(float(e.system.potential_energy(e.R)), 8) for e in heavy.all}
    assert len(heavy) == len(energies) > 6


def test_all_members_of_a_class_have_the_same_spectrum() -> None:
    found = ph.OrbitingBody([1.0, 2.0, 2.5], n=1.1).equilibria()
    spectra = {e.label: np.sort_complex(ph.linearize(e).eigenvalues) for e in found}
    assert len(spectra) == 6
    for e in found.all:
        np.testing.assert_allclose(
            np.sort_complex(ph.linearize(e).eigenvalues ** 2), np.sort_complex(spectra[e.label] ** 2), atol=1e-9
        )


def test_they_survive_pickling() -> None:
    found = pickle.loads(pickle.dumps(ph.FreeRigidBody([1.0, 2.0, 2.5]).equilibria()))
    assert found.symmetry.startswith("any turn of space; half turns of the body")
    assert [len(found), len(found.all)] == [4, 4]


@pytest.mark.parametrize("axes", [np.eye(3), np.array([[0.6, 0.0, 0.8]]), np.eye(0, 3)], ids=["any", "one", "none"])
def test_vectors_are_turned_back_as_far_as_the_symmetry_goes(axes: np.ndarray) -> None:
    vectors = np.random.default_rng(3).normal(size=(4, 3))
    turn = TURN if len(axes) == 3 else ph.so3.exp(0.7 * axes.sum(axis=0))
    goal = vectors @ turn.T
    symmetry = TurnSymmetry(np.eye(0, 3), axes)
    np.testing.assert_allclose(symmetry._turned(vectors, goal), goal, atol=1e-13)


def test_no_axis_is_known_of_slopes_that_are_no_numbers() -> None:
    assert _axes([np.array([[1.0, 0.0, 0.0], [np.nan, 0.0, 0.0]])]).shape == (0, 3)
