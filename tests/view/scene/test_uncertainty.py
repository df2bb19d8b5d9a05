"""Ellipsoids of uncertainty in the scene, against clouds of displaced states."""

from __future__ import annotations

import numpy as np

import polhode as ph
from polhode.core.representation import Form
from polhode.estimation import CovarianceRun
from polhode.view.scene.appearance import appearance
from polhode.view.scene.objects import UncertaintyMark
from polhode.view.scene.uncertainty import uncertain_scene

SIGMA = 1e-3


def matrix(mark: UncertaintyMark, frame: int) -> np.ndarray:
    """The covariance that a mark of one standard deviation shows."""
    axes = ph.quaternion.to_matrix(mark.q[frame])
    return axes @ np.diag(mark.semiaxes[frame] ** 2) @ axes.T


def test_marks_of_two_bodies_agree_with_a_cloud() -> None:
    body = {"type": "ellipsoid", "mass": 0.3, "semiaxes": [0.2, 0.15, 0.12]}
    pair = ph.FullTwoBodyProblem(body, body, gravity=2)
    start = pair.state(X=[1.0, 0.2, 0], V=[0, 0.7, 0.1], Omega1=[0.1, 0.2, 0.8], Omega2=[0.3, 0, 0.7])
    run = ph.simulate(start, step=0.05, steps=20, save_every=10)
    root = SIGMA * np.random.default_rng(3).normal(size=(24, 24))
    P = np.broadcast_to(root @ root.T, (len(run), 24, 24))
    shown = uncertain_scene(CovarianceRun(run, ("",) * 24, P), 1.0)
    assert len(shown.appearance.marks) == 8  # a place and three axes of each body
    layout = pair.representations[Form.DEFAULT].layout
    y = pair.enter(Form.DEFAULT, run[2])
    cloud = [layout.retract(y, way * 1e-2 * column) for column in root.T for way in (1.0, -1.0)]
    moved = ph.Trajectory.of(
        pair, run.method, np.array(cloud), np.arange(48.0), step=1.0, save_every=1, stats=run.stats
    )
    for k, item in enumerate(appearance(pair, moved).objects[:2]):
        turned = ph.quaternion.to_matrix(item.q)
        points = [item.position, *(item.axis_lengths[i] * turned[:, :, i] for i in range(3))]
        for mark, x in zip(shown.appearance.marks[4 * k : 4 * k + 4], points, strict=True):
            halves = (x[0::2] - x[1::2]) / 2e-2  # one for each column of the root
            expected = halves.T @ halves
            flat = 0.03**2 * np.trace(expected)  # a mark has some thickness
            np.testing.assert_allclose(matrix(mark, 2), expected, atol=2.0 * flat)


def test_axes_turn_smoothly_from_frame_to_frame() -> None:
    """The semiaxes cross, and eigenvalues by size would swap."""
    run = ph.simulate(ph.FreeRigidBody([1, 2, 2.5]).state(), step=0.1, steps=20)  # at rest
    P = np.zeros((21, 6, 6))
    P[:, 0, 0], P[:, 1, 1] = np.linspace(1.0, 2.0, 21) * 1e-4, np.linspace(2.0, 1.0, 21) * 1e-4
    marks = uncertain_scene(CovarianceRun(run, ("",) * 6, P)).appearance.marks
    assert len(marks) == 3  # the body has no place
    for mark in marks:
        assert np.abs(np.sum(mark.q[1:] * mark.q[:-1], axis=1)).min() > 0.999
