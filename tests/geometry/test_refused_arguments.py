"""What the maps on arrays refuse, by the name of the argument, and what they still take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from polhode.errors import InvalidInputError
from polhode.geometry import bishop, quaternion, s2, se3, so2, so3, son, unchecked

NAN = np.nan
X, Y = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
ONE, ZERO = np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(4)
LONG = np.array([1.0, 0.0, 0.0, 1.0])
NO_ROTATIONS = [np.diag([1.0, 1.0, -1.0]), 2.0 * np.eye(3), np.zeros((3, 3)), np.full((3, 3), NAN)]
TINY = 1e-9  # what is left by rounding, and more
NOISE = TINY * np.arange(9.0).reshape(3, 3)
WIDE, TURN = np.diag([2.0, 2.0, 2.0, 1.0]), se3.exp([0.1, 0.2, 0.3, 1.0, 2.0, 3.0])

Case = tuple[Callable[..., Any], tuple[Any, ...], str]


def refused(function: Callable[..., Any], arguments: tuple[Any, ...], field: str) -> None:
    """The argument is refused by its name."""
    with pytest.raises(InvalidInputError) as caught:
        function(*arguments)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field} = ")


def taken(function: Callable[..., Any], *arguments: Any) -> None:
    """The arguments pass one by one, in batches of two axes and in empty ones; the results are those of one by one."""
    arrays = [np.asarray(a, dtype=float) for a in arguments]
    alone = function(*arrays)
    assert np.isfinite(alone).all()
    stacked = function(*(np.broadcast_to(a, (2, 3, *a.shape)) for a in arrays))
    np.testing.assert_allclose(stacked, np.broadcast_to(alone, stacked.shape), rtol=0.0, atol=1e-14)
    assert function(*(np.zeros((0, *a.shape)) for a in arrays)).shape == (0, *alone.shape)


# --- SO(3) ------------------------------------------------------------------------------------------------------------

WITH_ROTATIONS: list[Case] = [
    case
    for bad in NO_ROTATIONS
    for case in [
        (so3.log, (bad,), "R"),
        (so3.angle, (bad,), "R"),
        (so3.inverse, (bad,), "R"),
        (so3.cayley_inverse, (bad,), "F"),
        (so3.compose, (bad, np.eye(3)), "R"),
        (so3.compose, (np.eye(3), bad), "Q"),
        (so3.distance, (bad, np.eye(3)), "R"),
        (so3.distance, (np.eye(3), [np.eye(3), bad]), "Q"),
    ]
]


@pytest.mark.parametrize(
    ("function", "arguments", "field"),
    [
        *WITH_ROTATIONS,
        (so3.vee, (np.eye(3),), "A"),
        (so3.vee, ([so3.hat(X), 1e9 * (so3.hat(X) + np.eye(3))],), "A"),
        (so3.vee, (np.full((3, 3), NAN),), "A"),
        (so3.exp, ([NAN, 0.0, 0.0],), "x"),
        (so3.cayley, ([np.inf, 0.0, 0.0],), "c"),
        (so3.dexp_right, ([NAN, 0.0, 0.0], X), "x"),
        (so3.dexp_left, (X, [NAN, 0.0, 0.0]), "v"),
        (so3.dexpinv_right, (X, [NAN, 0.0, 0.0]), "v"),
        (so3.dexpinv_left, ([NAN, 0.0, 0.0], X), "x"),
    ],
)
def test_so3_refuses(function, arguments, field):
    refused(function, arguments, field)


def test_so3_takes():
    R, Q = so3.exp([0.1, 0.2, 0.3]) + 0.1 * NOISE, so3.exp([-0.4, 0.1, 0.2])
    for function in (so3.log, so3.angle, so3.inverse, so3.cayley_inverse):
        taken(function, R)
    for function in (so3.compose, so3.distance):
        taken(function, R, Q)
    taken(so3.vee, so3.hat([1.0, 2.0, 3.0]) + NOISE)
    taken(so3.vee, 1e12 * so3.hat([1.0, 2.0, 3.0]) + 1e12 * NOISE)
    taken(so3.vee, NOISE)
    taken(so3.vee2, np.eye(3))
    taken(so3.exp, X)
    taken(so3.distance, 1.001 * R, Q)  # as after many steps of a method that drifts off the group


# --- quaternions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "arguments", "field"),
    [
        *[(quaternion.from_matrix, (bad,), "R") for bad in NO_ROTATIONS],
        *[
            case
            for bad in (ZERO, LONG, 0.5 * ONE, np.full(4, NAN))
            for case in [
                (quaternion.to_matrix, (bad,), "q"),
                (quaternion.to_matrix, ([ONE, bad],), "q"),
                (quaternion.rotate, (bad, X), "q"),
                (quaternion.distance, (bad, ONE), "p"),
                (quaternion.distance, (ONE, bad), "q"),
                (quaternion.geodesic, (bad, ONE, 0.5), "p"),
                (quaternion.geodesic, (ONE, bad, 0.5), "q"),
            ]
        ],
        *[
            (function, (bad,), "q")
            for function in (quaternion.normalized, quaternion.cayley_inverse, quaternion.log, quaternion.angle)
            for bad in (ZERO, [ONE, ZERO], np.full(4, NAN))
        ],
        (quaternion.geodesic, (ONE, ONE, NAN), "s"),
        (quaternion.exp, ([NAN, 0.0, 0.0],), "x"),
        (quaternion.cayley, ([NAN, 0.0, 0.0],), "c"),
    ],
)
def test_quaternions_refuse(function, arguments, field):
    refused(function, arguments, field)


def test_quaternions_take():
    p, q = quaternion.exp([0.1, 0.2, 0.3]) + TINY, quaternion.exp([-0.4, 0.1, 0.2])
    taken(quaternion.from_matrix, so3.exp(X) + 0.1 * NOISE)
    taken(quaternion.to_matrix, p)
    taken(quaternion.rotate, p, X)
    taken(quaternion.distance, p, q)
    taken(quaternion.geodesic, p, q, 0.5)
    for function in (quaternion.normalized, quaternion.log, quaternion.angle, quaternion.cayley_inverse):
        taken(function, LONG)
    for function in (quaternion.multiply, quaternion.rate):
        taken(function, LONG, LONG[:3] if function is quaternion.rate else ZERO)


# --- the sphere -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "arguments", "field"),
    [
        *[
            case
            for bad in (np.zeros(3), 2.0 * X, np.full(3, NAN))
            for case in [
                (s2.exp, (bad, Y), "d"),
                (s2.log, (bad, X), "d"),
                (s2.log, (X, [Y, bad]), "e"),
                (s2.geodesic, (bad, X, 0.5), "d"),
                (s2.geodesic, (X, bad, 0.5), "e"),
                (s2.transport, (bad, X, Y), "d"),
                (s2.transport, (X, bad, Y), "e"),
                (s2.distance, (bad, X), "d"),
                (s2.distance, (X, bad), "e"),
                (s2.tangent, (bad, X), "d"),
            ]
        ],
        (s2.exp, (X, [1.0, 1.0, 0.0]), "v"),
        (s2.exp, (X, [Y, 1e5 * (Y + X)]), "v"),
        (s2.exp, (X, [0.0, NAN, 0.0]), "v"),
        (s2.exp, ([X, X], [Y, Y, Y]), "v"),
        (s2.transport, (X, Y, [1.0, 1.0, 0.0]), "v"),
        (s2.geodesic, (X, Y, NAN), "s"),
        (s2.project, ([X, np.zeros(3)],), "x"),
        (s2.project, ([NAN, 0.0, 1.0],), "x"),
    ],
)
def test_s2_refuses(function, arguments, field):
    refused(function, arguments, field)


def test_s2_takes():
    d, e = (1.0 + TINY) * X, Y + TINY
    for function in (s2.log, s2.distance):
        taken(function, d, e)
    taken(s2.geodesic, d, e, 0.5)
    taken(s2.exp, d, 2.0 * Y + TINY)
    taken(s2.exp, d, 1e9 * (Y + TINY))
    taken(s2.transport, d, e, Y + TINY)
    taken(s2.tangent, d, X + Y)
    assert s2.exp([X, X], Y).shape == s2.exp(X, [Y, Y]).shape == (2, 3)
    assert s2.project(np.zeros((0, 3))).shape == (0, 3)


# --- SO(2), SE(3), SO(n) ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "arguments", "field"),
    [
        *[
            case
            for bad in (np.diag([1.0, -1.0]), 2.0 * np.eye(2), np.full((2, 2), NAN))
            for case in [
                (so2.log, (bad,), "R"),
                (so2.inverse, (bad,), "R"),
                (so2.cayley_inverse, (bad,), "R"),
                (so2.compose, (bad, np.eye(2)), "R"),
                (so2.compose, (np.eye(2), bad), "Q"),
                (so2.distance, (bad, np.eye(2)), "R"),
                (so2.distance, (np.eye(2), bad), "Q"),
            ]
        ],
        (so2.vee, (np.eye(2),), "A"),
        (so2.exp, (NAN,), "theta"),
        (so2.cayley, (np.inf,), "c"),
    ],
)
def test_so2_refuses(function, arguments, field):
    refused(function, arguments, field)


def test_so2_takes():
    R = so2.exp(0.3) + TINY
    for function in (so2.log, so2.inverse, so2.cayley_inverse):
        taken(function, R)
    for function in (so2.compose, so2.distance):
        taken(function, R, so2.exp(-0.5))
    taken(so2.vee, so2.hat(2.0) + TINY)
    taken(so2.exp, 0.3)


@pytest.mark.parametrize(
    ("function", "arguments", "field"),
    [
        *[
            case
            for bad in (WIDE, np.diag([1.0, 1.0, -1.0, 1.0]), np.full((4, 4), NAN))
            for case in [
                (se3.parts, (bad,), "g"),
                (se3.log, (bad,), "g"),
                (se3.inverse, (bad,), "g"),
                (se3.cayley_inverse, (bad,), "g"),
                (se3.act, (bad, X), "g"),
                (se3.adjoint, (bad, np.ones(6)), "g"),
                (se3.compose, (bad, TURN), "g"),
                (se3.compose, (TURN, bad), "h"),
                (se3.distance, (bad, TURN), "g"),
                (se3.distance, (TURN, [TURN, bad]), "h"),
            ]
        ],
        (se3.homogeneous, (2.0 * np.eye(3), X), "R"),
        (se3.homogeneous, (np.eye(3), [NAN, 0.0, 0.0]), "x"),
        (se3.vee, (np.diag([1.0, 1.0, 1.0, 0.0]),), "A"),
        (se3.vee, (np.diag([0.0, 0.0, 0.0, 1.0]),), "A"),
        (se3.exp, ([NAN, 0.0, 0.0, 0.0, 0.0, 0.0],), "xi"),
        (se3.cayley, ([NAN, 0.0, 0.0, 0.0, 0.0, 0.0],), "xi"),
    ],
)
def test_se3_refuses(function, arguments, field):
    refused(function, arguments, field)


def test_se3_takes():
    g = TURN.copy()
    g[:3, :3] += 0.1 * NOISE
    for function in (se3.log, se3.inverse, se3.cayley_inverse):
        taken(function, g)
    twist = se3.hat(np.arange(6.0))
    twist[:3, :3] += NOISE
    taken(se3.vee, twist)
    assert se3.compose([g, g], TURN).shape == (2, 4, 4)
    assert se3.distance([g, g], TURN).shape == (2,)


@pytest.mark.parametrize(
    ("function", "arguments", "field"),
    [
        *[
            case
            for bad in (np.diag([1.0, 1.0, 1.0, -1.0]), 2.0 * np.eye(4), np.zeros((4, 4)), np.full((4, 4), NAN))
            for case in [
                (son.log, (bad,), "R"),
                (son.cayley_inverse, (bad,), "R"),
                (son.distance, (bad, np.eye(4)), "R"),
                (son.distance, (np.eye(4), [np.eye(4), bad]), "Q"),
            ]
        ],
        *[(f, (bad,), "A") for f in (son.vee, son.exp, son.cayley) for bad in (np.eye(3), np.full((3, 3), NAN))],
        *[(f, (np.eye(3), so3.hat(X)), "A") for f in (son.dexp_right, son.dexp_left)],
        *[(f, (so3.hat(X), np.eye(3)), "V") for f in (son.dexpinv_right, son.dexpinv_left)],
    ],
)
def test_son_refuses(function, arguments, field):
    refused(function, arguments, field)


def test_son_takes():
    A = son.hat([0.1, -0.2, 0.3, 0.4, -0.5, 0.6]) + TINY * np.arange(16.0).reshape(4, 4)
    R = son.exp(A) + 0.1 * TINY
    for function in (son.vee, son.exp, son.cayley):
        taken(function, A)
    for function in (son.log, son.cayley_inverse):
        taken(function, R)
    taken(son.distance, R, np.eye(4))
    taken(son.dexp_right, A, A)


# --- frames along curves ----------------------------------------------------------------------------------------------

PATH = so3.exp(np.multiply.outer(np.linspace(0.0, 1.0, 5), [0.3, 0.5, 0.7]))
CURVE = PATH[:, :, 2]


@pytest.mark.parametrize(
    ("function", "arguments", "field"),
    [
        *[(bishop.twist_angle, ([np.eye(3), bad],), "R") for bad in NO_ROTATIONS],
        (bishop.twist_rate, (2.0 * PATH, np.arange(5.0)), "R"),
        (bishop.non_twisting_frame, ([X, np.zeros(3)],), "d3"),
        (bishop.non_twisting_frame, ([X, [NAN, 0.0, 0.0]],), "d3"),
        (bishop.non_twisting_frame, (CURVE, [NAN, 0.0, 0.0]), "d1"),
        (bishop.parallel_transport, ([X, np.zeros(3)], Y), "d3"),
        (bishop.parallel_transport, ([X, Y], X), "v"),
        (bishop.parallel_transport, ([X, Y], [0.0, NAN, 0.0]), "v"),
    ],
)
def test_bishop_refuses(function, arguments, field):
    refused(function, arguments, field)


def test_bishop_takes():
    near = PATH + 0.1 * NOISE
    np.testing.assert_allclose(bishop.twist_angle(near), bishop.twist_angle(PATH), atol=1e-7)
    np.testing.assert_allclose(
        bishop.non_twisting_frame(3.0 * CURVE), bishop.non_twisting_frame(CURVE), rtol=0.0, atol=1e-14
    )


# --- without the checks -----------------------------------------------------------------------------------------------


def test_unchecked_maps_are_the_same_and_take_all():
    R, q, A = so3.exp([0.1, 0.2, 0.3]), quaternion.exp([0.1, 0.2, 0.3]), son.hat([0.1, -0.2, 0.3])
    for lenient, strict, arguments in [
        (unchecked.rotation_exp, so3.exp, (X,)),
        (unchecked.rotation_vee, so3.vee, (A,)),
        (unchecked.rotation_distance, so3.distance, (R, np.eye(3))),
        (unchecked.to_matrix, quaternion.to_matrix, (q,)),
        (unchecked.from_matrix, quaternion.from_matrix, (R,)),
        (unchecked.normalized, quaternion.normalized, (LONG,)),
        (unchecked.rotate, quaternion.rotate, (q, X)),
        (unchecked.quaternion_exp, quaternion.exp, (X,)),
        (unchecked.quaternion_distance, quaternion.distance, (q, ONE)),
        (unchecked.quaternion_geodesic, quaternion.geodesic, (q, ONE, 0.3)),
        (unchecked.sphere_project, s2.project, (X + Y,)),
        (unchecked.sphere_tangent, s2.tangent, (X, X + Y)),
        (unchecked.sphere_transport, s2.transport, (X, Y, Y)),
    ]:
        np.testing.assert_array_equal(lenient(*arguments), strict(*arguments))
        assert np.isnan(lenient(*(np.full(np.shape(a), NAN) for a in arguments))).any()
    for lenient, strict, arguments in [
        (unchecked.son_exp, son.exp, (A,)),
        (unchecked.son_vee, son.vee, (A,)),
        (unchecked.son_log, son.log, (R,)),
        (unchecked.son_distance, son.distance, (R, np.eye(3))),
    ]:
        np.testing.assert_array_equal(lenient(*arguments), strict(*arguments))
        assert np.isfinite(lenient(*(1.001 * a + 1e-3 for a in arguments))).all()


@pytest.mark.parametrize("length", [0.94, 1.06])
def test_what_is_meant_as_a_unit_vector(length: float) -> None:
    """Its square may be off by a tenth, as after a run that drifted, and not by more."""
    s2.distance([1.0, 0.0, 0.0], [0.0, (1.0 + length) / 2.0, 0.0])
    with pytest.raises(InvalidInputError):
        s2.distance([1.0, 0.0, 0.0], [0.0, length, 0.0])
