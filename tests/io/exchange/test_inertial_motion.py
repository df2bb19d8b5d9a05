"""What other tools get of a trajectory: inertial attitudes whose rates are theirs, and positions whose velocities are."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.core.method import known_methods
from polhode.geometry import so3
from polhode.io.exchange.inertial_motion import motions
from polhode.systems.registry import known_systems

NOT_IN_SPACE = {"RigidBodySOn", "SymmetricRigidBodySOn", "CoupledDoubleBrackets"}


def simulated(cls, step, steps=4):
    """An example by the usual method, or else by the first that accepts it."""
    start = cls.example()
    variants = [ph.LGVI(), *(variant for kind in known_methods().values() for variant in kind.variants())]
    method = next(variant for variant in variants if variant.order and variant.why_not(start.system) is None)
    return ph.simulate(start, step=step, steps=steps, method=method)


@pytest.mark.parametrize("cls", known_systems().values(), ids=known_systems())
def test_rates_are_those_of_the_motion(cls):
    """`Ṙ = R S(ω)` and `ẋ = v` by differences, in whatever coordinates the system is."""
    if cls.__name__ in NOT_IN_SPACE:
        assert all(motion.R is None for motion in motions(simulated(cls, 1e-3)))
        return
    h = 1e-3
    for motion in motions(simulated(cls, h)):
        assert motion.R is not None
        assert motion.omega is not None
        size = 1.0 + np.abs(motion.omega).max() ** 3
        rate = (motion.R[3] - motion.R[1]) / (2 * h)
        assert np.abs(rate - motion.R[2] @ so3.hat(motion.omega[2])).max() < 3e-6 * size
        if motion.x is not None:
            assert motion.v is not None
            assert np.abs((motion.x[3] - motion.x[1]) / (2 * h) - motion.v[2]).max() < 1e-6


def test_quaternions_do_not_jump():
    body = ph.FreeRigidBody([1, 2, 3])
    (motion,) = motions(ph.simulate(body.state(omega=[3.0, 0.1, 0.2]), step=0.05, steps=500))
    q = motion.q
    assert np.sum(q[1:] * q[:-1], axis=1).min() > 0.99
    assert np.min(q[:, 3]) < -0.9  # it did go round
    assert np.abs(ph.quaternion.to_matrix(q) - motion.R).max() < 1e-14


def test_one_body_of_several():
    trajectory = simulated(ph.FullBodyProblem, 0.01)
    assert [m.name for m in motions(trajectory)] == ["body0", "body1", "body2"]
    for second in (1, "body1"):
        (motion,) = motions(trajectory, second)
        assert np.array_equal(motion.x, trajectory.x[:, 1])
    for wrong in (3, -1, 1.5, True, "body3", "1"):
        with pytest.raises(ph.InvalidInputError, match="from 0 to 2, or one of body0, body1, body2"):
            motions(trajectory, wrong)


def test_names_of_two_bodies_are_those_of_the_arguments():
    trajectory = simulated(ph.FullTwoBodyProblem, 0.01)
    assert [m.name for m in motions(trajectory)] == ["body1", "body2"]
    assert np.array_equal(motions(trajectory, "body2")[0].x, trajectory.x2)
    assert np.array_equal(motions(trajectory, 1)[0].x, trajectory.x2)
    assert np.allclose(trajectory.rotations("body2").as_matrix(), trajectory.R2)


def test_a_run_backwards_is_turned_round():
    trajectory = simulated(ph.FullTwoBodyProblem, -0.01)
    first = motions(trajectory, 0)[0]
    assert np.all(np.diff(first.t) > 0)
    assert np.array_equal(first.x, trajectory.x1[::-1])
    assert np.array_equal(first.R, trajectory.R1[::-1])
    assert np.allclose(trajectory.rotations(0)[0].as_matrix(), trajectory.R1[0])


def test_what_is_missing_is_said():
    (motion,) = motions(simulated(ph.FreeRigidBody, 0.1))
    with pytest.raises(ph.PolhodeError, match="no position"):
        motion.need_position()
    (motion,) = motions(simulated(ph.RigidBodySOn, 0.01))
    with pytest.raises(ph.PolhodeError, match="no attitude"):
        motion.need_attitude()


def test_an_attitude_that_is_not_a_rotation():
    body = ph.FreeRigidBody([1, 2, 3])
    coarse = ph.simulate(body.state(omega=[1.0, 2.0, 1.5]), step=0.5, steps=100, method=ph.RK4())
    with pytest.raises(ph.PolhodeError, match="is not a rotation"):
        motions(coarse)[0].need_attitude()
    fine = ph.simulate(body.state(omega=[1.0, 2.0, 1.5]), step=0.01, steps=100, method=ph.RK4())
    R = motions(fine)[0].need_attitude()
    assert np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max() < 1e-15


def test_scipy_rotations_out_and_in():
    trajectory = simulated(ph.FreeRigidBody, 0.1)
    turns = trajectory.rotations()
    assert isinstance(turns, Rotation)
    assert np.abs(turns.as_matrix() - trajectory.R).max() < 1e-15
    assert np.abs(turns.apply([0.0, 0.0, 1.0]) - trajectory.R[:, :, 2]).max() < 1e-15

    body = ph.FreeRigidBody([1, 2, 3])
    turn = Rotation.from_euler("zyx", [0.3, -0.2, 1.0])
    assert np.array_equal(body.state(R=turn).R, turn.as_matrix())
    three = ph.FullBodyProblem.example()
    turns = Rotation.from_rotvec(np.diag([0.1, 0.2, 0.3]))
    assert np.abs(three.system.state(x=three.x, R=turns).R - turns.as_matrix()).max() < 1e-15
    with pytest.raises(ph.InvalidInputError, match="shape"):
        body.state(R=turns)
