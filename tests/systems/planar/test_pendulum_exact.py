"""The pendulum's closed form against multiprecision elliptic functions, over librations, rotations and the separatrix."""

import mpmath
import numpy as np
import pytest

import polhode as ph

BODY = ph.PlanarPendulum(1.0, mass=1.0, length=1.0, g=1.0)


def reference(theta, omega, t):
    """(cos θ, sin θ, ω) by mpmath's functions of the phase u₀ + t, for g = 1."""
    with mpmath.workdps(40):
        half, v = mpmath.mpf(theta) / 2, mpmath.mpf(omega) / 2
        k = mpmath.sqrt(mpmath.sin(half) ** 2 + v**2)
        if k < 1:
            u, m = t + mpmath.ellipf(mpmath.atan2(mpmath.sin(half), v), k**2), k**2
            sn, cn, dn = (mpmath.ellipfun(name, u, m=m) for name in ("sn", "cn", "dn"))
            s, c, v = k * sn, dn, k * cn
        else:
            sign, m = mpmath.sign(v), k**-2
            sn, cn, dn = (
                mpmath.ellipfun(name, k * t + mpmath.ellipf(sign * half, m), m=m) for name in ("sn", "cn", "dn")
            )
            s, c, v = sign * sn, cn, sign * k * dn
        return np.array([float(c * c - s * s), float(2 * s * c), float(2 * v)])


@pytest.mark.parametrize(
    ("theta", "omega"),
    [(0.5, 1.0), (3.1, 0.1), (-2.0, -2.5), (1e-9, 1e-9), (0.3, 0.0), (0.0, 1.9999999), (0.0, 2.0000001), (0.2, -30.0)],
)
@pytest.mark.parametrize("t", [1.0, -7.3, 1e4])
def test_against_multiprecision(theta, omega, t):
    found = BODY.exact(BODY.state(theta=theta, omega=omega), [t])
    size = max(abs(omega), np.sin(abs(theta) / 2))
    error = np.abs(np.r_[found["z"][0], found["p"]] - reference(theta, omega, t)).max()
    # an angle that turns at the rate ω is wrong by a rounding of ω t
    assert error < 2e-15 * min(size, 1.0) * (10.0 + abs(t) * max(1.0, abs(omega)))


def test_separatrix():
    """`θ = 4 arctan e^t − π`, up to times where it has come to rest on top."""
    t = np.array([-3.0, 0.5, 10.0, 2000.0])
    found = BODY.exact(BODY.state(theta=0.0, omega=2.0), t)
    s = np.tanh(t)
    np.testing.assert_allclose(
        found["z"], np.stack([1 - 2 * s**2, 2 * s / np.cosh(np.minimum(t, 700))], -1), atol=1e-15
    )
    np.testing.assert_allclose(found["p"], 2 / np.cosh(np.minimum(t, 700)), atol=1e-15)


@pytest.mark.parametrize("point", [[1.0, 0.0], [-1.0, 0.0]])
def test_equilibria_stay(point):
    state = ph.State(BODY, {"z": point, "p": 0.0})
    found = BODY.exact(state, [1.0, 1e6])
    assert np.array_equal(found["z"], [point, point])
    assert not found["p"].any()
