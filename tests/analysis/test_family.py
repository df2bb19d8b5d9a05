"""Families against closed forms and an independent solution of the amended potential."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipk

import polhode as ph
from polhode.analysis import (
    FamilyEndedError,
    PeriodicMotion,
    RelativeEquilibrium,
    family,
    frequencies,
    libration_near,
    relative_equilibrium,
)
from polhode.bodies import Ellipsoid, Sphere
from polhode.io.family_file import load_family_states

TOP = ph.Pendulum3D([1.0, 1.0, 0.5], mass=1.0, rho0=[0, 0, -0.4], g=2.0)
CRITICAL = np.sqrt(4.0 * 0.8 * (1.0 + 0.4**2))  # of Lagrange's top: p² = 4 m g l J


def sleeping() -> RelativeEquilibrium:
    return relative_equilibrium(TOP.state(omega=[0, 0, 6.0]))


def test_a_sleeping_top_wakes_at_the_critical_momentum(tmp_path: Path) -> None:
    found = family(sleeping(), "vertical_momentum", to=1.0, step=0.2)
    (event,) = found.events
    assert event.kind == "stability"
    assert event.value == pytest.approx(CRITICAL, rel=1e-9)
    assert [found.values[0], found.values[-1]] == pytest.approx([3.0, 1.0])
    np.testing.assert_array_equal(found.stable[found.values > CRITICAL * 1.0001], True)
    np.testing.assert_array_equal(found.stable[found.values < CRITICAL * 0.9999], False)
    np.testing.assert_allclose([s.R[2, 2] for s in found.states], 1.0, atol=1e-9)
    assert found.table(["R[2, 2]"])[event.index]["event"] == "stability"
    figure = found.plot("energy")
    assert {text.get_text() for text in figure.axes[0].get_legend().get_texts()} == {
        "stable",
        "unstable",
        "change of stability",
    }
    again = load_family_states(found.save(tmp_path / "top.json"))
    np.testing.assert_array_equal([s.Pi for s in again], [s.Pi for s in found.states])


def test_a_steady_precession_over_a_mass_through_a_factory() -> None:
    """`J₁ Ω² cos θ − p_ψ Ω + m g l = 0` for the rate Ω about the vertical, at each member."""

    def heavy(mass: float) -> ph.Pendulum3D:
        return ph.Pendulum3D([1.0, 1.0, 0.5], mass=mass, rho0=[0, 0, -0.4], g=2.0)

    theta, rate = 0.7, 0.3
    lever = 1.0 + 0.4**2
    spin = (lever * rate * np.cos(theta) + 0.8 / rate) / 0.5
    R = ph.so3.exp([theta, 0, 0])
    Gamma = R.T @ [0, 0, 1.0]
    start = relative_equilibrium(heavy(1.0).state(R=R, omega=rate * Gamma + np.array([0, 0, spin - rate * Gamma[2]])))
    found = family(start, heavy, value=1.0, to=1.5, step=0.2, hold=["axial_momentum", "vertical_momentum"])
    for mass, member in zip(found.values, found.members, strict=True):
        state = member.state
        Omega = (state.omega[:2] @ state.R[2, :2]) / (state.R[2, :2] @ state.R[2, :2])
        J = 1.0 + mass * 0.4**2
        off = J * Omega**2 * state.R[2, 2] - state.Pi[2] * Omega + mass * 0.8
        assert abs(off) < 1e-9
    assert found.states[-1].Pi[2] == pytest.approx(start.state.Pi[2], rel=1e-10)


def pitching() -> tuple[PeriodicMotion, float]:
    body = ph.OrbitingBody([2.0, 2.5, 1.2], n=1.1)
    aligned, nu = relative_equilibrium(body.state(omega=[0.0, 1.1, 0.0])), 1.1 * np.sqrt(3.0 * 0.8 / 2.5)
    mode = int(np.argmin(np.abs(frequencies(aligned) - nu)))
    assert frequencies(aligned)[mode] == pytest.approx(nu, rel=1e-10)
    return libration_near(aligned, mode, amplitude=0.1, steps=40), nu


@pytest.mark.verify
def test_lyapunov_family_of_pitch_librations() -> None:
    """The restricted case: a body on a circular orbit. In the plane θ̈ = −½ν² sin 2θ, with the period 4K(sin² A)/ν; across it
    the multipliers come in pairs λ, 1/λ, and two branch points bound a first gap of stability."""
    start, nu = pitching()
    found = family(start, "period", to=1.3 * start.period, step=0.1)
    for member in found.members:
        theta, rate = np.arctan2(member.state.R[0, 2], member.state.R[2, 2]), member.state.omega[1] - 1.1
        modulus = np.sin(theta) ** 2 + (rate / nu) ** 2
        assert member.period == pytest.approx(4.0 * ellipk(modulus) / nu, rel=1e-8)
        for x in member.multipliers:
            assert np.abs(member.multipliers - 1.0 / x).min() < 1e-3 * max(1.0, abs(x))
        for x in member.normal_multipliers:
            assert np.abs(member.normal_multipliers - 1.0 / x).min() < 1e-6 * max(1.0, abs(x))
    assert [event.kind for event in found.events].count("branch point") >= 2
    assert found[-1].verdict == "unstable"
    assert found[1].verdict == "spectrally stable"


@pytest.mark.verify
def test_periodic_motions_over_a_parameter_of_the_system() -> None:
    """The period of a pendulum at a given amplitude over g: T ∝ 1/√g, by the exact tangent map of the parameter."""
    from polhode.analysis import periodic

    swing = ph.PlanarPendulum(inertia=1.0, mass=1.0, length=1.0, g=1.0).state(theta=1.0)
    start = periodic(swing, 6.5, steps=40, hold=["energy"])
    found = family(start, "g", to=2.0, step=0.3, hold=["period"])
    for g, member in zip(found.values, found.members, strict=True):
        energy = float(member.state.invariants()["energy"]) + g
        assert 4.0 * ellipk(energy / (2.0 * g)) / np.sqrt(g) == pytest.approx(start.period, rel=1e-9)


ELLIPSOID, SPHERE = Ellipsoid(0.3, [0.3, 0.25, 0.2]), Sphere(1.0, 0.05)
I = 0.3 / 5.0 * np.array([0.25**2 + 0.2**2, 0.3**2 + 0.2**2, 0.3**2 + 0.25**2])
MASS = 0.3 * 1.0 / 1.3


def amended(r: float) -> tuple[float, float]:
    """Of the sphere on the long axis at a distance r: the rate of the synchronous orbit and its angular momentum, without that
    of the sphere, from MacCullagh's potential `U = −m₁m₂/r − m₁(I₂ + I₃ − 2I₁)/(2r³)` and `L²/(2(I₃ + mr²)) + U`."""
    slope = 0.3 / r**2 + 1.5 * (I[1] + I[2] - 2.0 * I[0]) / r**4
    rate = float(np.sqrt(slope / (MASS * r)))
    return rate, (I[2] + MASS * r * r) * rate


def boundary() -> float:
    """The distance at which the second derivative of the amended potential along r vanishes, `L(r)` being the least."""

    def curvature(r: float) -> float:
        momentum = amended(r)[1]
        inertia = I[2] + MASS * r * r
        moment = 0.3 * (-2.0) / r**3 - 6.0 * (I[1] + I[2] - 2.0 * I[0]) / r**5
        centrifugal = momentum**2 * (4.0 * MASS**2 * r**2 / inertia**3 - MASS / inertia**2)
        return float(centrifugal + moment)

    return float(brentq(curvature, 0.25, 1.2, xtol=1e-15))


def synchronous(sphere: Sphere) -> RelativeEquilibrium:
    """At a distance of 1, the sphere turning with the orbit."""
    rate, _ = amended(1.0)
    spin = [0.0, 0.0, rate]
    pair = ph.FullTwoBodyProblem(sphere, ELLIPSOID, gravity=2)
    return relative_equilibrium(pair.state(X=[1.0, 0, 0], V=[0, rate, 0], Omega1=spin, Omega2=spin))


@pytest.mark.verify
def test_the_synchronous_family_of_an_ellipsoid_and_a_sphere() -> None:
    start = synchronous(SPHERE)
    momentum = float(np.linalg.norm(start.state.invariants()["angular_momentum"]))
    found = family(start, "angular_momentum", within=(0.2 * momentum, momentum * 1.0001), direction=-1, step=0.1)
    for member in found.members:
        distance = float(np.linalg.norm(member.state.X))
        expected = amended(distance)[0]
        assert np.linalg.norm(member.state.Omega2) == pytest.approx(expected, rel=1e-10)
    (change,) = (event for event in found.events if event.kind == "stability")
    assert np.linalg.norm(found.states[change.index].X) == pytest.approx(boundary(), rel=1e-10)
    (fold,) = (event for event in found.events if event.kind == "fold")
    own = 0.4 * 0.05**2  # the sphere turns with the orbit, so that its spin counts for the fold
    total = [
        amended(x)[1] + own * amended(x)[0]
        for x in (np.linalg.norm(found.states[fold.index].X) + d for d in (-1e-4, 0, 1e-4))
    ]
    assert total[1] == pytest.approx(fold.value, rel=1e-12)
    assert abs(total[2] - total[0]) < 1e-10
    with pytest.raises(FamilyEndedError, match="turns back at a fold"):
        family(start, "angular_momentum", to=0.5 * momentum, step=0.2)


@pytest.mark.verify
def test_a_change_of_stability_next_to_a_fold_is_an_event_of_its_own() -> None:
    """The spin of a larger sphere counts for the angular momentum, and so for the fold, not for the stability."""
    start = synchronous(Sphere(1.0, 0.08))
    momentum = float(np.linalg.norm(start.state.invariants()["angular_momentum"]))
    found = family(start, "angular_momentum", within=(0.2 * momentum, momentum * 1.2), direction=-1, step=0.3)
    assert [event.kind for event in found.events] == ["fold", "stability"]
    assert found.events[1].index == found.events[0].index + 1  # in one step
    assert np.linalg.norm(found.states[found.events[1].index].X) == pytest.approx(boundary(), rel=1e-10)


@pytest.mark.verify
def test_the_doubly_synchronous_family_of_two_ellipsoids() -> None:
    """Long axes in line: `m r Ω² = U'(r)` with the moments of both to second order; where the angular momentum is least a pair
    of eigenvalues becomes real."""
    small, large = Ellipsoid(0.3, [0.2, 0.15, 0.12]), Ellipsoid(1.0, [0.4, 0.35, 0.3])
    squares = [np.array(body.semiaxes) ** 2 for body in (small, large)]
    long = [(2.0 * q[0] - q[1] - q[2]) / 5.0 for q in squares]  # I₂ + I₃ − 2 I₁ per mass

    def rate(r: float) -> float:
        return float(np.sqrt(1.3 * (1.0 / r**3 + 1.5 * sum(long) / r**5)))

    r = 1.5
    spin = [0.0, 0.0, rate(r)]
    pair = ph.FullTwoBodyProblem(small, large, gravity=2)
    start = relative_equilibrium(pair.state(X=[r, 0, 0], V=[0, r * rate(r), 0], Omega1=spin, Omega2=spin))
    momentum = float(np.linalg.norm(start.state.invariants()["angular_momentum"]))
    found = family(start, "angular_momentum", within=(0.5 * momentum, 1.001 * momentum), direction=-1, step=0.15)
    for member in found.members:
        distance = float(np.linalg.norm(member.state.X))
        assert np.linalg.norm(member.state.Omega2) == pytest.approx(rate(distance), rel=1e-10)
    (fold,) = (event for event in found.events if event.kind == "fold")
    assert found.stable[: fold.index].all()
    assert not found.stable[fold.index + 1 :].any()


def test_what_cannot_be_followed_is_said() -> None:
    start = sleeping()
    for change, match in (
        ({"parameter": "spin", "to": 1.0}, "parameter = 'spin'"),
        ({"parameter": "vertical_momentum"}, "give either to"),
        ({"parameter": "vertical_momentum", "to": 3.0}, "a number other than"),
        ({"parameter": "vertical_momentum", "within": (4.0, 5.0)}, "about the value 3"),
        ({"parameter": "vertical_momentum", "to": 1.0, "hold": ["period"]}, "only periodic motions"),
        ({"parameter": "vertical_momentum", "to": 1.0, "hold": ["mass"]}, "hold = 'mass'"),
        ({"parameter": lambda m: TOP, "to": 1.0}, "value"),
        (
            {"parameter": lambda m: ph.FreeRigidBody([1, 2, 3]).state().system, "value": 1.0, "to": 2.0},
            "makes a Pendulum3D",
        ),
    ):
        with pytest.raises(ph.InvalidInputError, match=match):
            family(start, **change)  # type: ignore[arg-type]
    with pytest.raises(ph.PolhodeError, match="does not change along the family"):
        family(start, "vertical_momentum", to=1.0, hold=["vertical_momentum"])
    with pytest.raises(FamilyEndedError, match="stopped after 3 members") as caught:
        family(start, "vertical_momentum", to=1.0, step=0.05, most=3)
    assert caught.value.family is not None
    assert len(caught.value.family) == 3
    with pytest.raises(ph.InvalidInputError, match="mode"):
        libration_near(start, 9)
