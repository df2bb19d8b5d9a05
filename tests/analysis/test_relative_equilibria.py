"""Relative equilibria against closed forms and an independent solution of the amended potential."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.analysis import relative_equilibrium
from polhode.bodies import Ellipsoid, Sphere

ELLIPSOID, SPHERE = Ellipsoid(0.3, [0.3, 0.25, 0.2]), Sphere(1.0, 0.3)


def test_a_sleeping_top_is_stable_where_it_spins_fast() -> None:
    """Lagrange's top, upright: spectrally stable from `ω₃² = 4 m g l J₁/J₃²` on."""
    across, along, weight = 1.0, 0.5, 0.8
    body = ph.Pendulum3D([across, across, along], mass=1.0, rho0=[0, 0, -0.4], g=2.0)
    lever = across + 0.4**2
    critical = 2.0 * np.sqrt(weight * lever) / along
    for rate, verdict in ((1.02 * critical, "spectrally stable"), (0.98 * critical, "unstable")):
        found = relative_equilibrium(body.state(q=[0.01, 0.02, 0, 1], omega=[0, 0, rate]))
        assert found.verdict == verdict
        assert found.state.R[2, 2] == pytest.approx(1.0, abs=1e-10)


def amended(r: float) -> tuple[float, float]:
    """For the sphere on the long axis of the ellipsoid, at a distance r: the rate of the synchronous orbit, from MacCullagh's
    potential, and its angular momentum. Independent of the library but for the moments of inertia."""
    I = np.diag(ELLIPSOID.inertia)
    m = ELLIPSOID.mass * SPHERE.mass / (ELLIPSOID.mass + SPHERE.mass)
    slope = ELLIPSOID.mass * SPHERE.mass / r**2 + 3.0 * SPHERE.mass * (I[1] + I[2] - 2.0 * I[0]) / (2.0 * r**4)
    rate = np.sqrt(slope / (m * r))
    return rate, (I[2] + SPHERE.inertia[2, 2] + m * r * r) * rate


def pair(r: float, rate: float) -> ph.State:
    problem = ph.FullTwoBodyProblem(ELLIPSOID, SPHERE, gravity=2)
    spin = [0, 0, rate]
    return problem.state(X=[r, 0, 0], V=[0, r * rate, 0], R=np.eye(3), Omega1=spin, Omega2=spin)


@pytest.mark.verify
def test_the_synchronous_orbit_of_an_ellipsoid_and_a_sphere() -> None:
    """Found from a guess that is off by two percent, at the angular momentum of that guess."""
    from scipy.optimize import brentq

    found = relative_equilibrium(pair(1.326, amended(1.3)[0]), hold=["angular_momentum"])
    momentum = float(np.linalg.norm(found.state.invariants()["angular_momentum"]))
    r = brentq(lambda x: amended(x)[1] - momentum, 1.0, 3.0, xtol=1e-14)
    assert np.linalg.norm(found.state.X) == pytest.approx(r, rel=1e-10)
    assert np.linalg.norm(found.rates[3:]) == pytest.approx(amended(r)[0], rel=1e-10)
    assert found.verdict == "spectrally stable"


@pytest.mark.verify
def test_its_stability_ends_where_the_amended_potential_has_no_minimum() -> None:
    """The least angular momentum of the family, for which a pair of eigenvalues passes through zero. The sphere's own spin
    is conserved by itself and does not count."""
    from scipy.optimize import minimize_scalar

    def momentum(r: float) -> float:
        rate, total = amended(r)
        return total - SPHERE.inertia[2, 2] * rate

    least = minimize_scalar(momentum, bounds=(0.2, 1.2), method="bounded", options={"xatol": 1e-10}).x
    verdicts = {}
    for r in (0.97 * least, 1.03 * least):
        found = relative_equilibrium(pair(r, amended(r)[0]))
        assert np.linalg.norm(found.state.X) == pytest.approx(r, rel=1e-8)
        verdicts[r < least] = found.growth
    assert verdicts[True] > 1e-2
    assert verdicts[False] < 1e-3


def test_what_is_not_there_is_not_found() -> None:
    with pytest.raises(ph.InvalidInputError, match="hold"):
        relative_equilibrium(ph.Pendulum3D.example(), hold=["mass"])
