"""SO(n): what the generic suite does not see."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.errors import InvalidInputError
from polhode.geometry import so2, so3, son
from tests.geometry.reference import EPS, error, exact, exponential, rounded, trivialised


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(11)


def skew(rng, n, angles):
    """A skew matrix with these plane angles in random planes."""
    A = np.zeros((n, n))
    for k, angle in enumerate(angles):
        A[2 * k + 1, 2 * k], A[2 * k, 2 * k + 1] = angle, -angle
    Q = son.random(rng, n)
    A = Q @ A @ Q.T
    return 0.5 * (A - A.T)


def test_agrees_with_the_special_groups(rng):
    x, v = rng.standard_normal((2, 6, 3))
    A, V = son.hat(x), son.hat(v)
    assert np.array_equal(A, so3.hat(x))
    assert np.array_equal(son.vee(A), x)
    assert np.array_equal(son.hat(x[:, :1]), so2.hat(x[:, 0]))
    R = son.exp(A)
    assert np.allclose(R, so3.exp(x), rtol=0.0, atol=8.0 * EPS)
    assert np.allclose(son.cayley(A), so3.cayley(x), rtol=0.0, atol=16.0 * EPS)
    assert np.allclose(son.distance(R, np.eye(3)), so3.distance(R, np.eye(3)), rtol=0.0, atol=16.0 * EPS)
    for name in ("dexp_right", "dexp_left", "dexpinv_right", "dexpinv_left"):
        theirs, ours = getattr(so3, name)(x, v), getattr(son, name)(A, V)
        assert np.allclose(ours, so3.hat(theirs), rtol=0.0, atol=32.0 * EPS * max(1.0, np.abs(theirs).max()))


@pytest.mark.parametrize("n", [2, 3, 4, 5, 7])
def test_hat_and_vee(n, rng):
    x = rng.standard_normal((3, n * (n - 1) // 2))
    A = son.hat(x)
    assert A.shape == (3, n, n)
    assert np.array_equal(A, -np.swapaxes(A, -1, -2))
    assert np.array_equal(son.vee(A), x)
    assert np.allclose(np.linalg.norm(A, axis=(-2, -1)), np.sqrt(2.0) * np.linalg.norm(x, axis=-1))


# --- the logarithm ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "angles"),
    [
        (4, (np.pi, np.pi)),
        (4, (np.pi, 0.3)),
        (4, (np.pi, 1e-9)),
        (4, (1.0, 1.0)),
        (4, (1.0, 1.0 + 1e-9)),
        (5, (np.pi - 1e-9, 2.0)),
        (6, (np.pi, np.pi, np.pi)),
        (6, (np.pi, np.pi - 1e-7, 0.5)),
        (7, (3.0, 2.0, 0.0)),
    ],
)
def test_log_with_special_angles(n, angles, rng):
    A = skew(rng, n, angles)
    R = rounded(exponential(exact(A)))
    L = son.log(R)
    assert np.array_equal(L, -L.T)
    assert np.abs(son.exp(L) - R).max() < 16.0 * EPS
    found = np.sort(np.abs(np.linalg.eigvals(L).imag))[::-2][: len(angles)]
    assert np.allclose(found, np.sort(angles)[::-1], rtol=0.0, atol=40.0 * EPS)


@pytest.mark.parametrize("size", [1e-12, 1e-6, 0.2, 1.04, 1.06, 2.0, 3.0])
def test_log_to_the_last_digits(size, rng):
    """On both sides of the switch between its two methods, at angle π/3."""
    A = skew(rng, 5, (size, 0.4 * size))
    assert np.abs(son.log(rounded(exponential(exact(A)))) - A).max() < 4.0 * EPS * size


def test_log_refuses_reflections():
    with pytest.raises(InvalidInputError, match=r"R = .*a rotation matrix"):
        son.log(np.diag([1.0, 1.0, 1.0, -1.0]))
    with pytest.raises(InvalidInputError, match=r"Q = .*a rotation matrix"):
        son.distance(np.eye(3), np.diag([1.0, -1.0, 1.0]))


# --- the exponential --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", [1e-300, 0.4999, 0.5, 0.5001, 1.0, 20.0])
def test_exp_across_the_scalings(norm, rng):
    A = skew(rng, 4, (1.0, 0.3))
    A *= norm / np.abs(A).sum(axis=-1).max()
    A = 0.5 * (A - A.T)
    R = son.exp(A)
    assert error(R, exponential(exact(A))) < 2.0 * max(1.0, norm)
    assert np.abs(R.T @ R - np.eye(4)).max() < 4.0 * EPS


def test_exp_does_not_depend_on_the_batch(rng):
    """Every member is scaled for itself."""
    A = np.stack([skew(rng, 4, (s, 0.5 * s)) for s in (1e-9, 0.3, 3.0, 50.0)])
    V = np.stack([skew(rng, 4, (1.0, 2.0)) for _ in range(4)])
    for i in range(4):
        assert np.allclose(son.exp(A)[i], son.exp(A[i]), rtol=EPS, atol=EPS * 1e-9)
        assert np.allclose(son.dexp_left(A, V)[i], son.dexp_left(A[i], V[i]), rtol=0.0, atol=4.0 * EPS)


@pytest.mark.parametrize("side", ["right", "left"])
def test_dexpinv_to_the_last_digits(side, rng):
    A = np.stack([skew(rng, 5, (s, 0.5 * s)) for s in (1e-6, 0.5, 1.0, 2.0, 2.5)])
    V = np.stack([skew(rng, 5, (1.0, 2.0)) for _ in range(5)])
    for a, v in zip(A, V, strict=True):
        W = rounded(trivialised(exact(a), exact(v))[side])
        assert np.abs(getattr(son, f"dexpinv_{side}")(a, W) - v).max() < 2.5 * EPS * np.abs(v).max()


def test_cayley_inverse_refuses_half_turns():
    with pytest.raises(InvalidInputError, match=r"eigenvalue −1"):
        son.cayley_inverse(-np.eye(4))


# --- random, projection -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 4])
def test_random_is_uniform(n, rng):
    """Haar measure: R and K R have the same distribution; here the moments of the entries and of the trace."""
    R = son.random(rng, n, 20000)
    assert np.abs(np.linalg.det(R) - 1.0).max() < 1e-14
    assert np.abs(R.mean(axis=0)).max() < 0.03
    assert np.abs((R * R).mean(axis=0) - 1.0 / n).max() < 0.015
    trace = np.trace(R, axis1=-2, axis2=-1)
    assert abs((trace * trace).mean() - (2.0 if n == 2 else 1.0)) < 0.06  # ∫ (tr R)² = 1 for SO(n), n ≥ 3


def test_project(rng):
    R = son.random(rng, 5, 10)
    noisy = R + 0.1 * rng.standard_normal(R.shape)
    P = son.project(noisy)
    assert np.abs(np.swapaxes(P, -1, -2) @ P - np.eye(5)).max() < 4.0 * EPS
    S = np.swapaxes(P, -1, -2) @ noisy
    assert np.allclose(S, np.swapaxes(S, -1, -2), rtol=0.0, atol=60.0 * EPS)
    with pytest.raises(InvalidInputError, match="positive determinant"):
        son.project(-np.eye(5))


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "arguments", "field"),
    [
        (son.hat, ([1.0, 2.0],), "x"),
        (son.hat, (1.0,), "x"),
        (son.hat, ("abc",), "x"),
        (son.vee, (np.zeros((2, 3)),), "A"),
        (son.exp, ([[0.0]],), "A"),
        (son.exp, ("abc",), "A"),
        (son.log, (np.full((3, 3), np.inf),), "R"),
        (son.dexp_right, (np.zeros((3, 3)), np.zeros((4, 4))), "V"),
        (son.distance, (np.eye(3), np.eye(2)), "Q"),
        (son.random, (np.random.default_rng(0), 1), "n"),
    ],
)
def test_bad_input_is_named(function, arguments, field):
    with pytest.raises(InvalidInputError) as caught:
        function(*arguments)
    assert caught.value.field == field
