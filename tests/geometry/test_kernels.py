"""The kernels in compiled code: on doubles, on lanes and on dual numbers.

Each family of kernels is one flow, from a few inputs at the head of its array to all that it computes from them.
"""

from __future__ import annotations

import numpy as np
import pytest

from polhode.geometry import quaternion, s2, se3, so2, so3
from polhode.geometry.vectors import add, scale
from polhode.scalars import compiled, double, duals, flow, get3, kernel, lanes, put
from tests.geometry.reference import EPS, exact, exponential, rounded, trivialised

# --- the families -------------------------------------------------------------------------------------------------------


@kernel
def so3_family(x, v):
    R, F = so3.exp_(x), so3.cayley_(v)
    logs = so3.log_(R) + so3.cayley_inverse_(F)
    derivatives = so3.dexp_left_(x, v) + so3.dexpinv_left_(x, v) + so3.dexp_right_(x, v)
    return R + logs + F + derivatives + so3.vee_(so3.hat_(x)) + so3.vee2_(F) + (so3.distance_(R, F),)


@kernel
def quaternion_family(x, v):
    q, p = quaternion.exp_(x), quaternion.cayley_(v)
    logs = quaternion.log_(q) + quaternion.cayley_inverse_(p)
    r = quaternion.multiply_(quaternion.conjugate_(p), q)
    again = quaternion.from_matrix_(quaternion.to_matrix_(r))
    path = quaternion.geodesic_(p, q, 0.3)
    scalars = (quaternion.distance_(p, q), quaternion.angle_(p))
    return q + logs + p + r + again + path + quaternion.rotate_(q, v) + quaternion.rate_(q, v) + scalars


@kernel
def se3_family(x, v):
    xi, eta = (x, v), (v, x)
    g, h = se3.exp_(xi), se3.cayley_(eta)
    k = se3.compose_(se3.inverse_(g), h)
    log, back = se3.log_(g), se3.cayley_inverse_(h)
    right, left, moved = se3.dexp_right_(xi, eta), se3.dexpinv_left_(xi, eta), se3.adjoint_(h, xi)
    vectors = log[0] + log[1] + back[0] + back[1] + right[0] + right[1] + left[0] + left[1] + moved[0] + moved[1]
    return g[0] + g[1] + k[0] + k[1] + vectors + se3.act_(g, v) + (se3.distance_(g, h, 2.0),)


@kernel
def s2_family(x, v):
    d = s2.project_(add((0.3, -0.5, 2.0), scale(0.1, v)))
    w = s2.tangent_(d, x)
    e = s2.exp_(d, w)
    return d + w + e + s2.log_(d, e) + s2.geodesic_(d, e, 0.25) + s2.transport_(d, e, w) + (s2.distance_(d, v),)


@kernel
def so2_family(x, v):
    R, F = so2.exp_(x[0]), so2.cayley_(v[0])
    A = so2.compose_(so2.inverse_(R), F)
    scalars = (so2.log_(R), so2.cayley_inverse_(F), so2.vee_(so2.hat_(x[1])), so2.distance_(R, F))
    return R + F + A + so2.project_((x[1] + 3.0, x[2], v[1], v[2] + 3.0)) + scalars


@kernel
def put_results(S, y, family):
    """What a family of maps makes of the two vectors at the head of y, behind them."""
    result = family(get3(y, 0, S), get3(y, 3, S))
    for k in range(len(result)):
        put(y, 6 + k, S, result[k])
    return 0


@flow
def so3_flow(S, y, p, t, h, out):
    return put_results(S, y, so3_family)


@flow
def quaternion_flow(S, y, p, t, h, out):
    return put_results(S, y, quaternion_family)


@flow
def se3_flow(S, y, p, t, h, out):
    return put_results(S, y, se3_family)


@flow
def s2_flow(S, y, p, t, h, out):
    return put_results(S, y, s2_family)


@flow
def so2_flow(S, y, p, t, h, out):
    return put_results(S, y, so2_family)


@compiled
def once(step, S, y, p):
    return step(S, y, p, 0.0, 0.0, p)


FAMILIES = {
    "so3": (so3_family, so3_flow),
    "quaternion": (quaternion_family, quaternion_flow),
    "se3": (se3_family, se3_flow),
    "s2": (s2_family, s2_flow),
    "so2": (so2_family, so2_flow),
}
each_family = pytest.mark.parametrize("name", FAMILIES)
WIDTH = 4
INPUTS = 6


def samples() -> np.ndarray:
    """Inputs (x, v) with x from zero to beyond π, around every switch: shape (count, 6), count a multiple of WIDTH."""
    rng = np.random.default_rng(3)
    angles = [
        0.0,
        1e-200,
        1e-12,
        1e-8,
        1e-4,
        0.1,
        0.39,
        0.4,
        0.999,
        1.001,
        1.999,
        2.001,
        3.0,
        np.pi - 1e-8,
        3.999,
        4.001,
    ]
    x = rng.standard_normal((len(angles), 3))
    x *= (np.array(angles) / np.linalg.norm(x, axis=-1))[:, None]
    return np.concatenate([x, rng.standard_normal((len(angles), 3))], axis=-1)


def on_arrays(name, inputs):
    """The kernel on the columns of an array, as the array functions use it."""
    with np.errstate(all="ignore"):
        result = FAMILIES[name][0](tuple(inputs.T[:3]), tuple(inputs.T[3:]))
    return np.stack(np.broadcast_arrays(*result), axis=-1)


def on_doubles(name, inputs, outputs):
    rows = []
    for row in inputs:
        y = np.concatenate([row, np.zeros(outputs)])
        assert once(FAMILIES[name][1].on(double), double, y, np.zeros(1)) == 0
        rows.append(y[INPUTS:])
    return np.array(rows)


def on_lanes(name, inputs, outputs):
    S = lanes(WIDTH)
    rows = []
    for block in inputs.reshape(-1, WIDTH, INPUTS):
        y = np.concatenate([block.T, np.zeros((outputs, WIDTH))]).ravel()
        assert once(FAMILIES[name][1].on(S), S, y, np.zeros(WIDTH)) == 0
        rows.append(y.reshape(-1, WIDTH)[INPUTS:].T)
    return np.concatenate(rows)


def on_duals(name, inputs, outputs):
    """Values (count, outputs) and partials (count, outputs, 6)."""
    S = duals(INPUTS)
    rows = []
    for row in inputs:
        y = np.zeros((INPUTS + outputs, 1 + INPUTS))
        y[:INPUTS, 0], y[:INPUTS, 1:] = row, np.eye(INPUTS)
        flat = y.ravel()
        assert once(FAMILIES[name][1].on(S), S, flat, np.zeros(1)) == 0
        rows.append(flat.reshape(y.shape)[INPUTS:])
    whole = np.array(rows)
    return whole[..., 0], whole[..., 1:]


def differences(name, row):
    """Partials of the family by central differences of order six, in extended precision: good to about 1e-12."""
    h = np.longdouble(1e-3)
    columns = []
    for i in range(INPUTS):
        points = np.repeat(row[None].astype(np.longdouble), 6, axis=0)
        points[:, i] += h * np.array([-3, -2, -1, 1, 2, 3])
        columns.append(np.array([-1, 9, -45, 45, -9, 1]) @ on_arrays(name, points) / (60 * h))
    return np.array(columns, dtype=float).T


# --- doubles and lanes --------------------------------------------------------------------------------------------------


@each_family
def test_doubles_give_what_arrays_give(name):
    inputs = samples()
    expected = on_arrays(name, inputs)
    found = on_doubles(name, inputs, expected.shape[-1])
    assert np.isfinite(found).all()
    assert np.allclose(found, expected, rtol=16.0 * EPS, atol=16.0 * EPS)


@each_family
def test_python_floats_give_what_arrays_give(name):
    """A kernel called on numbers: neither a warning nor a ZeroDivisionError from the side that is not chosen."""
    inputs = samples()
    for row, expected in zip(inputs, on_arrays(name, inputs), strict=True):
        found = FAMILIES[name][0](tuple(row.tolist()[:3]), tuple(row.tolist()[3:]))
        assert np.allclose(np.array(found, dtype=float), expected, rtol=16.0 * EPS, atol=16.0 * EPS)


@each_family
def test_lanes_are_doubles_bit_for_bit(name):
    inputs = samples()
    outputs = on_arrays(name, inputs).shape[-1]
    found, expected = on_lanes(name, inputs, outputs), on_doubles(name, inputs, outputs)
    assert np.array_equal(found.view(np.int64), expected.view(np.int64))


# --- dual numbers -------------------------------------------------------------------------------------------------------


@each_family
def test_dual_values_are_doubles_bit_for_bit(name):
    inputs = samples()
    outputs = on_arrays(name, inputs).shape[-1]
    values = on_duals(name, inputs, outputs)[0]
    assert np.array_equal(values.view(np.int64), on_doubles(name, inputs, outputs).view(np.int64))


@each_family
def test_dual_partials_are_derivatives(name):
    """Everywhere, zero and the neighbourhoods of the switches included."""
    inputs = samples()
    inputs = inputs[np.abs(np.linalg.norm(inputs[:, :3], axis=-1) - np.pi) > 0.05]  # the logarithm jumps at π
    outputs = on_arrays(name, inputs).shape[-1]
    partials = on_duals(name, inputs, outputs)[1]
    assert np.isfinite(partials).all()
    for row, found in zip(inputs, partials, strict=True):
        assert np.allclose(found, differences(name, row), rtol=1e-11, atol=1e-11), np.linalg.norm(row[:3])


def test_partials_of_exp_to_the_last_digit():
    """∂ᵢ exp(S(x)) = exp(S(x)) S(dexp_right(x) eᵢ), from fifty digits."""
    inputs = samples()
    partials = on_duals("so3", inputs, 60)[1]
    for row, found in zip(inputs, partials, strict=True):
        S = exact(so3.hat(row[:3]))
        for i in range(3):
            W = trivialised(S, exact(so3.hat(np.eye(3)[i])))["right"]
            assert np.abs(found[:9, i] - rounded(exponential(S) * W).ravel()).max() < 8.0 * EPS


@pytest.mark.parametrize(("name", "start"), [("so3", 9), ("quaternion", 4)])
def test_partials_of_log_undo_those_of_exp(name, start):
    """log(exp(x)) = x: its partials are the unit matrix, at zero and close to π as well."""
    inputs = samples()
    inputs = inputs[np.linalg.norm(inputs[:, :3], axis=-1) < np.pi]
    partials = on_duals(name, inputs, 60)[1]
    assert np.abs(partials[:, start : start + 3, :3] - np.eye(3)).max() < 32.0 * EPS
    assert np.abs(partials[:, start + 3 : start + 6, 3:] - np.eye(3)).max() < 32.0 * EPS  # the Cayley map's
