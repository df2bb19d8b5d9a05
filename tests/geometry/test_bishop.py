"""Frames without twist along curves on the sphere: exact along great circles, and the angle that area gives."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.geometry import bishop, s2, so3


def circle(colatitude: float, n: int) -> np.ndarray:
    """A circle of latitude, once around."""
    angle = np.linspace(0.0, 2 * np.pi, n + 1)
    s = np.sin(colatitude)
    return np.stack([s * np.cos(angle), s * np.sin(angle), np.full(n + 1, np.cos(colatitude))], axis=-1)


def random_path(n: int, seed: int = 4) -> np.ndarray:
    """Frames (n, 3, 3) along a smooth random motion."""
    coefficients = np.random.default_rng(seed).normal(size=(3, 3))
    t = np.linspace(0.0, 2.0, n)
    return so3.exp(np.stack([c[0] + c[1] * np.sin(t) + c[2] * t for c in coefficients], axis=-1))


@pytest.mark.parametrize("colatitude", [0.3, 1.0, np.pi / 2, 2.5])
def test_around_a_circle_the_frame_turns_by_the_area(colatitude: float) -> None:
    """Gauss–Bonnet: parallel transport around a closed curve turns by the enclosed area, 2π (1 − cos θ)."""
    area = 2 * np.pi * (1 - np.cos(colatitude))
    errors = []
    for n in (50, 100, 200):
        frame = bishop.non_twisting_frame(circle(colatitude, n))
        turn = np.arctan2(frame[-1, :, 0] @ frame[0, :, 1], frame[-1, :, 0] @ frame[0, :, 0])
        errors.append(abs(np.angle(np.exp(1j * (turn - area)))))
    if colatitude == np.pi / 2:
        assert max(errors) < 1e-13, "a great circle, exactly"
    else:
        assert np.allclose(np.diff(np.log2(errors)), -2.0, atol=0.02)
        assert errors[-1] < 2e-3


def test_along_a_great_circle_few_samples_are_enough() -> None:
    """The rotation about an axis across d₃ is the non-twisting frame, with samples a quarter of a turn apart."""
    axis, start = np.array([0.6, -0.8, 0.0]), so3.exp([0.3, 1.2, -0.5])
    frames = start @ so3.exp(np.multiply.outer(np.linspace(0.0, 4.0, 4), axis))
    assert np.allclose(bishop.non_twisting_frame(frames[:, :, 2], d1=frames[0, :, 0]), frames, atol=1e-14)
    assert np.abs(bishop.twist_angle(frames)).max() < 1e-14


def test_frames_are_frames_without_twist() -> None:
    curve = random_path(500)[:, :, 2]
    frame = bishop.non_twisting_frame(curve)
    assert np.abs(np.swapaxes(frame, 1, 2) @ frame - np.eye(3)).max() < 1e-14
    assert np.allclose(np.linalg.det(frame), 1.0, atol=1e-14)
    assert np.allclose(frame[:, :, 2], curve, atol=1e-15)
    # (18): d₁' · d₂ = 0, where the midpoint stands for the derivative
    middle = 0.5 * (frame[1:] + frame[:-1])
    twist = np.sum(np.diff(frame[:, :, 0], axis=0) * middle[:, :, 1], axis=-1)
    assert np.abs(twist).max() < 1e-14


def test_any_frame_is_the_bishop_frame_turned_by_its_twist() -> None:
    """(24)."""
    R = random_path(300)
    psi = bishop.twist_angle(R)
    frame = bishop.non_twisting_frame(R[:, :, 2], d1=R[0, :, 0])
    turned = frame @ so3.exp(np.multiply.outer(psi, [0.0, 0.0, 1.0]))
    assert np.abs(turned - R).max() < 1e-12


def test_the_twist_rate_is_the_angular_velocity_about_d3() -> None:
    """(26), on the motion of a free body, at second order."""
    state = ph.FreeRigidBody.example()
    errors = []
    for n in (100, 200, 400):
        traj = ph.simulate(state, step=5.0 / n, steps=n, method=ph.Exact())
        errors.append(np.abs(bishop.twist_rate(traj.R, traj.t) - traj.omega[:, 2]).max())
    assert np.allclose(np.diff(np.log2(errors)), -2.0, atol=0.2)
    assert errors[-1] < 1e-3


def test_whole_turns_are_counted() -> None:
    t = np.linspace(0.0, 10.0, 101)
    R = so3.exp([1.0, 2.0, 0.5]) @ so3.exp(np.multiply.outer(-7.0 * t, [0.0, 0.0, 1.0]))
    assert np.allclose(bishop.twist_angle(R), -7.0 * t, atol=1e-12)


def test_vectors_are_carried_as_between_neighbours() -> None:
    """Along many samples the same as from one to the next by the geodesic (10)."""
    curve = random_path(40)[:, :, 2]
    v = s2.tangent(curve[0], [0.3, -1.0, 0.8])
    carried = bishop.parallel_transport(curve, v)
    for k in range(len(curve) - 1):
        v = s2.transport(curve[k], curve[k + 1], v)
        assert np.allclose(carried[k + 1], v, atol=1e-14)


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda: bishop.twist_angle(np.eye(3)), "R"),
        (lambda: bishop.twist_angle(np.eye(3)[None]), "R"),
        (lambda: bishop.twist_angle(np.stack([np.eye(3), np.diag([-1.0, 1.0, -1.0])])), "d3"),
        (lambda: bishop.non_twisting_frame([[0, 0, 1], [1, 0, 0]], d1=[0, 0, 2]), "d1"),
        (lambda: bishop.parallel_transport([[0, 0, 1], [1, 0, 0]], [1, 0, 1]), "v"),
        (lambda: bishop.twist_rate(random_path(5), [0.0, 1.0]), "t"),
    ],
)
def test_what_cannot_be_used_is_named(call, field) -> None:
    with pytest.raises(ph.InvalidInputError) as error:
        call()
    assert error.value.field == field
