"""What a state can be given by."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.errors import InvalidInputError
from polhode.geometry import so3
from polhode.io.scenario.build import build_plan
from polhode.io.scenario.document import load_scenario
from polhode.io.scenario.examples import find_example

SYSTEMS = [ph.FreeRigidBody, ph.Gyrostat, ph.DampedGyrostat, ph.DirectorBody]
ANGLES = [0.3, -0.4, 1.1]


def turn(axis: int, angle: float) -> Any:
    return so3.exp(angle * np.eye(3)[axis])


@pytest.mark.parametrize("system", SYSTEMS)
def test_euler_angles(system: Any) -> None:
    body = system.example().system
    yaw_pitch_roll = turn(2, 0.3) @ turn(1, -0.4) @ turn(0, 1.1)
    np.testing.assert_allclose(body.state(euler=ANGLES).R, yaw_pitch_roll, rtol=0, atol=1e-15)
    classical = turn(2, 0.3) @ turn(0, -0.4) @ turn(2, 1.1)
    np.testing.assert_allclose(body.state(euler=ANGLES, sequence="ZXZ").R, classical, rtol=0, atol=1e-15)
    fixed = turn(2, 1.1) @ turn(1, -0.4) @ turn(0, 0.3)
    np.testing.assert_allclose(body.state(euler=ANGLES, sequence="xyz").R, fixed, rtol=0, atol=1e-15)


@pytest.mark.parametrize("system", SYSTEMS)
def test_quaternions_of_both_kinds(system: Any) -> None:
    body = system.example().system
    turned = Rotation.from_rotvec([0.3, -0.2, 0.5])
    x, y, z, w = turned.as_quat()
    for state in (body.state(q=[x, y, z, w]), body.state(q_wxyz=[w, x, y, z])):
        np.testing.assert_allclose(state.R, turned.as_matrix(), rtol=0, atol=1e-15)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"euler": ANGLES, "R": np.eye(3)}, "either R or euler, not both"),
        ({"q": [0, 0, 0, 1], "q_wxyz": [1, 0, 0, 0]}, "either q or q_wxyz, not both"),
        ({"sequence": "ZXZ"}, "sequence = 'ZXZ': sequence names the axes of the angles euler: give both"),
        ({"euler": ANGLES, "sequence": "ZZX"}, "sequence = 'ZZX': expected three of X, Y, Z"),
        ({"euler": [0.1, 0.2]}, "euler = "),
        ({"omega": [0, 0, 1], "Pi": [0, 0, 1]}, "either omega or Pi, not both"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_contradictions_are_refused(system: Any, given: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        system.example().system.state(**given)


def test_a_scenario_takes_them_too() -> None:
    changes = ["state.euler=[0.3, -0.4, 1.1]", 'state.sequence="ZXZ"', "state.R="]
    plan = build_plan(load_scenario(find_example("gyrostat"), changes))
    np.testing.assert_allclose(plan.state.R, plan.system.state(euler=ANGLES, sequence="ZXZ").R)
