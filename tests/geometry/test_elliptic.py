"""Jacobi's functions and the integral of the third kind by Landen's transformation, against those of mpmath."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from polhode.geometry.elliptic import descend, functions

EPSILON = float(np.finfo(float).eps)
AMPLITUDES = [0.0, 1e-5, 0.4, -1.1, 1.5, 1.6, -3.1, 5.0]
# m and n, in the circular case: n < 0, or m < n < 1
PAIRS = [
    (0.3, -1.5),
    (0.7, -0.02),
    (0.9, -40.0),
    (0.2, 0.35),
    (0.6, 0.999),
    (1 - 1e-6, -0.5),
    (1 - 1e-10, -3.0),
    (1e-9, -2.0),
    (1.0, -0.8),
    (1.0, -30.0),
    (1e-4, 0.5),
]


CASES = [(m, n, amplitude) for m, n in PAIRS for amplitude in AMPLITUDES if m < 1 or abs(amplitude) < 1.5]


@pytest.mark.parametrize(("m", "n", "amplitude"), CASES)
def test_functions_and_the_third_kind(m: float, n: float, amplitude: float) -> None:
    """At the amplitude that belongs to v. The direction is that of what `κ Π(n; am v)` has beside a multiple of v."""
    with mpmath.workdps(40):
        mc, characteristic = 1 - mpmath.mpf(m), mpmath.mpf(n)
        eta = -m / characteristic
        v = float(mpmath.ellipf(amplitude, m))
        phi = mpmath.findroot(lambda x: mpmath.ellipf(x, m) - v, amplitude)
        sn, cn = mpmath.sin(phi), mpmath.cos(phi)
        dn = mpmath.sqrt(1 - m * sn**2)
        kappa = mpmath.sqrt((1 - characteristic) * (1 + eta))
        landen = descend(mc, characteristic, eta, mpmath.sqrt)
        angle = kappa * mpmath.ellippi(characteristic, phi, m) - mpmath.mpf(landen.whole) * v
        expected = [float(x) for x in (sn, cn, dn, mpmath.cos(angle), mpmath.sin(angle))]
        turning = float(abs(kappa / (1 - characteristic * sn**2)) + abs(landen.whole))  # how fast the angle changes
    found = functions(v, landen)
    error = 8 * 2 ** len(landen.levels) * EPSILON * (1.0 + abs(v))  # each level doubles that of the one below
    np.testing.assert_allclose(found[:3], expected[:3], rtol=0, atol=error)
    np.testing.assert_allclose(found[3:], expected[3:], rtol=0, atol=error * (1.0 + turning))


@pytest.mark.parametrize(("m", "n"), PAIRS)
def test_the_rates(m: float, n: float) -> None:
    """π/2K, and what P and κΠ have per unit of v: over a period their direction comes back, having turned once or not."""
    with mpmath.workdps(40):
        characteristic, eta = mpmath.mpf(n), -m / mpmath.mpf(n)
        landen = descend(1 - mpmath.mpf(m), characteristic, eta, mpmath.sqrt)
        kappa = mpmath.sqrt((1 - characteristic) * (1 + eta))
        assert landen.whole - landen.linear == pytest.approx(float(kappa), rel=1e-14)
        assert landen.separatrix == (m == 1)
        if m < 1:
            K = mpmath.ellipk(m)
            assert landen.rate == pytest.approx(float(mpmath.pi / (2 * K)), rel=1e-14)
            turns = 2 * (kappa * mpmath.ellippi(characteristic, m) - mpmath.mpf(landen.whole) * K) / mpmath.pi
            assert float(turns) == pytest.approx(round(float(turns)), abs=1e-13 * float(1 + kappa * K))


@pytest.mark.parametrize("m", [0.3, 1 - 1e-6, 1 - 1e-10])
@pytest.mark.parametrize("n", [-1e12, -1e-12, 1 - 1e-12])
def test_no_number_runs_out(m: float, n: float) -> None:
    """At whole numbers of quarters of a period, where the direction changes fast or hardly: its length stays one."""
    with mpmath.workdps(40):
        landen = descend(1 - mpmath.mpf(m), mpmath.mpf(n), -m / mpmath.mpf(n), mpmath.sqrt)
    for quarters in range(-4, 5):
        *_, c, s = functions(quarters * 0.5 * np.pi / landen.rate, landen)
        assert np.hypot(c, s) == pytest.approx(1.0, abs=4 * EPSILON)


def test_the_other_circular_case_of_the_separatrix() -> None:
    """m = n = 1: κ = 0, so that P is zero whatever v; the functions are hyperbolic."""
    landen = descend(0.0, 1.0, -1.0)
    assert landen.linear == landen.whole == 0.0
    for v in (-3.0, 0.0, 0.7, 40.0):
        found = functions(v, landen)
        np.testing.assert_allclose(found, [np.tanh(v), *[1.0 / np.cosh(v)] * 2, 1.0, 0.0], rtol=1e-14, atol=0)
