"""Librations of two bodies against the linear motion: their periods, their multipliers and the verdict on them."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.analysis import PeriodicMotion, RelativeEquilibrium, frequencies, libration_near, relative_equilibrium
from polhode.bodies import Body, Ellipsoid, Sphere

SMALL, LARGE = Ellipsoid(0.3, [0.2, 0.15, 0.12]), Ellipsoid(1.0, [0.4, 0.35, 0.3])
PAIRS: dict[str, tuple[Body, Body, float, int]] = {
    "near": (SMALL, LARGE, 1.5, 7),
    "far": (SMALL, LARGE, 2.5, 7),
    "equal masses": (Ellipsoid(1.0, [0.3, 0.22, 0.2]), Ellipsoid(1.0, [0.35, 0.3, 0.25]), 1.6, 7),
    "unstable": (Ellipsoid(0.05, [0.12, 0.1, 0.07]), Ellipsoid(1.0, [0.5, 0.45, 0.35]), 1.3, 6),
    "sphere": (Sphere(1.0, 0.05), Ellipsoid(0.3, [0.3, 0.25, 0.2]), 1.0, 5),
}


def synchronous(name: str) -> RelativeEquilibrium:
    """Long axes in line, both turning with the orbit."""
    one, two, r, _ = PAIRS[name]
    rate = np.sqrt((one.mass + two.mass) / r**3)
    spin = [0.0, 0.0, rate]
    pair = ph.FullTwoBodyProblem(one, two, gravity=2)
    return relative_equilibrium(pair.state(X=[r, 0, 0], V=[0, r * rate, 0], Omega1=spin, Omega2=spin))


def paired(found: PeriodicMotion) -> float:
    """The largest distance of a multiplier from the inverse of another."""
    values = found.normal_multipliers
    return float(max(np.abs(values - 1.0 / x).min() / max(1.0, abs(x)) for x in values))


@pytest.mark.verify
@pytest.mark.parametrize("name", PAIRS)
def test_each_mode_of_two_bodies_begins_a_family(name: str) -> None:
    equilibrium = synchronous(name)
    known = frequencies(equilibrium)
    assert len(known) == PAIRS[name][3]
    for mode, nu in enumerate(known):
        small, large = (libration_near(equilibrium, mode, amplitude=a, steps=40) for a in (0.002, 0.008))
        off = [found.period * nu / (2.0 * np.pi) - 1.0 for found in (small, large)]
        assert abs(off[1]) < 5e-4
        assert off[1] == pytest.approx(16.0 * off[0], rel=0.05, abs=1e-9)
        for found in (small, large):
            assert found.gap < 1e-10
            assert len(found.normal_multipliers) == len(equilibrium.normal_eigenvalues) - 2
            assert paired(found) < 1e-6
        assert small.verdict == equilibrium.verdict
        own = (
            np.argmin(np.abs(equilibrium.normal_eigenvalues - 1j * nu)),
            np.argmin(np.abs(equilibrium.normal_eigenvalues + 1j * nu)),
        )
        linear = np.exp(np.delete(equilibrium.normal_eigenvalues, own) * small.period)
        for x in linear:
            assert np.abs(small.normal_multipliers - x).min() < 1e-3 * abs(x)


@pytest.mark.verify
def test_a_libration_of_two_bodies_with_a_low_order() -> None:
    """The discrete motion of order 2 has its own period and multipliers, on the unit circle too."""
    equilibrium = synchronous("near")
    for mode in range(3):
        found = libration_near(equilibrium, mode, steps=1000, method=ph.LGVI())
        assert found.verdict == "spectrally stable"
        assert found.period == pytest.approx(libration_near(equilibrium, mode, steps=40).period, rel=1e-4)
        assert paired(found) < 1e-4
