"""Bodies with a shape in the place of an inertia: in every system that takes one, in files, on a pivot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Box, Compound, Cone, Cylinder, Part

HANDLE = Compound(
    [Part(Cylinder(0.05, 1.0, mass=1.0), axis=[1, 0.2, 0]), Part(Cylinder(0.05, 0.5, mass=0.5), [0.0, 0.0, -0.25])]
)
BOX = Box([0.3, 0.2, 0.1], mass=2.0, colour="#D55E00")

SYSTEMS: dict[str, tuple[type[ph.System], dict[str, Any]]] = {
    "free": (ph.FreeRigidBody, {"inertia": HANDLE}),
    "orbiting": (ph.OrbitingBody, {"inertia": HANDLE, "n": 2.0}),
    "charged": (ph.ChargedBody, {"inertia": HANDLE, "dipole": [0, 0, 1], "charge": [1, 1, 1], "E": [0, 0, 1]}),
    "point force": (ph.PointForceBody, {"inertia": HANDLE, "point": [0, 0, 1], "force": [0, 0, 2]}),
    "space moment": (ph.ConstantSpaceMoment, {"inertia": HANDLE, "moment": [0, 0, 1]}),
    "body moment": (ph.ConstantBodyMoment, {"inertia": HANDLE, "moment": [0, 0, 1]}),
    "own potential": (ph.AttitudeBody, {"inertia": HANDLE, "damping": 0.1}),
    "gyrostat": (ph.Gyrostat, {"inertia": HANDLE, "rho": [0, 0, 0.1]}),
    "damped gyrostat": (ph.DampedGyrostat, {"inertia": HANDLE, "damper_inertia": 0.01, "damping": 0.1}),
    "directors": (ph.DirectorBody, {"inertia": HANDLE}),
    "without twist": (ph.NonTwistingBody, {"inertia": BOX}),
    "shells": (ph.ConcentricShells, {"inertia1": HANDLE, "inertia2": BOX, "K": 1.0}),
    "coupled": (ph.CoupledBodies, {"inertias": [HANDLE, [1, 2, 2.5], BOX], "couplings": [[0, 1, 0.7]]}),
    "pendulum": (ph.Pendulum3D, {"inertia_cm": HANDLE, "pivot": [0, 0, -0.5]}),
    "axis pendulum": (ph.AxisPendulum, {"inertia_cm": HANDLE, "pivot": [0, 3.0, -0.5], "axis": [0, 1, 0]}),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_system_comes_back_from_its_description_bit_for_bit(name: str) -> None:
    make, arguments = SYSTEMS[name]
    system = make(**arguments)
    again = make(**json.loads(json.dumps(system.describe())))
    assert again.describe() == system.describe()
    assert np.array_equal(again.parameters(), system.parameters())
    for key in arguments.keys() & {"inertia", "inertia_cm", "inertia1", "inertia2"}:
        assert system.describe()[key] == arguments[key].describe()


def test_the_inertia_is_that_of_the_shape_about_its_mass_centre() -> None:
    body = ph.FreeRigidBody(HANDLE)
    np.testing.assert_array_equal(body.inertia.matrix, HANDLE.inertia)
    assert body.shape is HANDLE
    assert ph.Gyrostat(HANDLE, rho=[0, 0, 1]).shape is HANDLE
    assert ph.FreeRigidBody([1, 2, 3]).shape is None
    by_numbers = ph.FreeRigidBody(HANDLE.inertia)
    assert np.array_equal(by_numbers.parameters(), body.parameters())


def test_a_body_on_a_pivot() -> None:
    """By its shape and a point of it, and by the numbers that follow from these."""
    pivot = np.array([0.1, 0.0, -0.5])
    shaped = ph.Pendulum3D(HANDLE, pivot=pivot)
    plain = ph.Pendulum3D(HANDLE.inertia, mass=1.5, rho0=pivot - HANDLE.centre)
    np.testing.assert_allclose(shaped.parameters(), plain.parameters(), rtol=1e-14)
    about = Compound(HANDLE.parts).inertia_integrals(2)
    # moments of the mass about the pivot, from integrals about the frame's origin
    first, mass = np.array([about[1, 0, 0], about[0, 1, 0], about[0, 0, 1]]), about[0, 0, 0]
    squares = sum(about[tuple(2 * (np.arange(3) == i))] for i in range(3))
    trace = 2.0 * (squares - 2.0 * first @ pivot + mass * pivot @ pivot)
    assert np.trace(shaped.inertia.matrix) == pytest.approx(trace, rel=1e-12)


def test_any_point_of_the_axis_is_a_pivot() -> None:
    near, far = (ph.AxisPendulum(HANDLE, pivot=[0.0, y, -0.5], axis=[0, 2, 0]).parameters() for y in (0.0, 7.0))
    np.testing.assert_allclose(near, far, rtol=1e-12, atol=1e-14)


def test_a_top_is_known_as_one() -> None:
    cone = Cone(0.1, 0.2, mass=1.0)
    top = ph.Pendulum3D(cone, pivot=cone.tip)
    assert top.is_lagrange_top


@pytest.mark.parametrize(
    "state",
    [
        ph.FreeRigidBody(HANDLE).state(omega=[0.1, 2.0, 0.3]),
        ph.Pendulum3D(BOX, pivot=[0.0, 0.0, 0.2]).state(omega=[1.0, 2.0, 0.3]),
    ],
    ids=["free", "pendulum"],
)
def test_a_run_is_saved_with_its_shape(state: ph.State, tmp_path: Path) -> None:
    run = ph.simulate(state, step=0.01, steps=20)
    run.save(tmp_path / "run.nc")
    again = ph.load(tmp_path / "run.nc")
    assert again.system.describe() == state.system.describe()
    assert again.system.shape is not None
    assert np.array_equal(ph.simulate(again.state(0), step=0.01, steps=20).R, run.R)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ph.Pendulum3D(BOX), "pivot is missing: the fixed point, in the frame of the body"),
        (lambda: ph.Pendulum3D(BOX, mass=1.0, pivot=[0, 0, 1]), "mass = 1.0: a body with a shape has its own mass"),
        (lambda: ph.Pendulum3D(BOX, rho0=[0, 0, 1]), "rho0 = .*give the pivot instead"),
        (lambda: ph.Pendulum3D([1, 1, 1], mass=1.0), "rho0 is missing"),
        (lambda: ph.Pendulum3D([1, 1, 1], 1.0, [0, 0, 1], pivot=[0, 0, 1]), "pivot = .*give rho0 instead"),
        (lambda: ph.AxisPendulum([1, 1, 1], 1.0, [0, 0, 1]), "axis is missing"),
        (lambda: ph.FreeRigidBody("box"), "inertia = 'box': expected .*a body such as a Box"),
        (lambda: ph.FreeRigidBody({"type": "bix"}), "inertia.type = 'bix': expected one of"),
        (lambda: ph.CoupledBodies([BOX, {"type": "box"}]), r"inertias\[1\] = .*missing: sides"),
    ],
)
def test_refusals(make, message: str) -> None:
    with pytest.raises(ph.InvalidInputError, match=message):
        make()
