"""Tidal friction: what it takes out, where it goes, and which way, against closed forms and the continuous equations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import simpson

import polhode as ph
from polhode.bodies import Ellipsoid, Sphere
from polhode.systems import FullBodyProblem, FullTwoBodyProblem, TidalFriction
from polhode.systems.full_body.tides import friction

MOON, PLANET = 0.1, 1.0
K2, RADIUS, LAG = 0.3, 0.3, 0.05


def sphere_pair(spin: float, distance: float = 1.0, on: int = 1) -> ph.State:
    """A planet (body 2) with a moon on a circular orbit, the deformed body turning at `spin` times the orbit's rate."""
    bodies = Sphere(MOON, 0.1), Sphere(PLANET, RADIUS)
    tide = TidalFriction(on=on, by=1 - on, k2=K2, radius=RADIUS, lag=LAG)
    pair = FullTwoBodyProblem(*bodies, gravity=2, G=1.0, dissipation=[tide])
    rate = np.sqrt((MOON + PLANET) / distance**3)
    spins = {f"Omega{on + 1}": [0.0, 0.0, spin * rate]}
    other = {f"Omega{2 - on}": [0.0, 0.0, 0.0]}
    # frame 2 turns with the planet; at t = 0 it is the inertial frame
    return pair.state(X=[distance, 0.0, 0.0], V=[0.0, rate * distance, 0.0], **spins, **other)


def general() -> ph.State:
    """Two ellipsoids that both are deformed, tumbling about each other."""
    bodies = Ellipsoid(0.6, [0.3, 0.25, 0.2]), Ellipsoid(1.0, [0.35, 0.3, 0.22])
    tides = [TidalFriction(1, 0, 0.5, 0.35, 0.4), TidalFriction(0, 1, 0.8, 0.3, 0.6)]
    pair = FullTwoBodyProblem(*bodies, gravity=4, G=1.0, dissipation=tides)
    start = {"X": [1.5, 0.1, 0.2], "V": [0.1, 1.0, 0.05], "Omega1": [0.3, -0.4, 0.8], "Omega2": [-0.2, 0.1, 0.5]}
    return pair.state(**start, R=ph.so3.exp([0.2, -0.3, 0.4]), R2=ph.so3.exp([-0.1, 0.5, 0.2]))


def semimajor(run: ph.Trajectory) -> np.ndarray:
    mu = MOON + PLANET
    return 1.0 / (2.0 / np.linalg.norm(run.X, axis=1) - np.sum(run.V**2, axis=1) / mu)


@pytest.mark.parametrize("on", [0, 1])
@pytest.mark.parametrize("spin", [3.0, 0.3])
def test_which_way_it_goes(spin: float, on: int) -> None:
    """A faster spin slows and the orbit widens; a slower one speeds up and the orbit shrinks; energy always falls."""
    state = sphere_pair(spin, on=on)
    run = ph.simulate(state, step=0.02, steps=5000, save_every=50, method=ph.ForcedLGVI())
    rate = getattr(run, f"Omega{on + 1}")[:, 2]
    a, energy = semimajor(run), run.system.energies(run.values)["total"]
    if spin > 1.0:
        assert rate[-1] < rate[0]
        assert a[-1] > a[0]
    else:
        assert rate[-1] > rate[0]
        assert a[-1] < a[0]
    assert np.diff(energy).max() < 1e-7  # the ripple of a step of order 2, once spin and orbit are in step
    assert energy[0] - energy[-1] > 5e-5


@pytest.mark.parametrize("spin", [3.0, 0.3, -1.0])
def test_the_rates_are_those_of_the_closed_form(spin: float) -> None:
    """`T = 3 k₂ τ G m² A⁵ a⁻⁶ (ω − n)` on the spin and `ȧ = 2aT/L` on the orbit."""
    state = sphere_pair(spin, distance=1.3)
    n = np.sqrt((MOON + PLANET) / 1.3**3)
    torque = 3 * K2 * LAG * MOON**2 * RADIUS**5 * 1.3**-6 * (spin - 1.0) * n
    run = ph.simulate(state, step=0.01, steps=1000, save_every=10, method=ph.ForcedLGVI(order=4))
    J = state.system.inertia2.matrix[2, 2]
    duration = run.t[-1]
    assert (run.Omega2[-1, 2] - run.Omega2[0, 2]) / duration == pytest.approx(-torque / J, rel=1e-3)
    L = state.system.reduced_mass * np.sqrt((MOON + PLANET) * 1.3)
    assert (semimajor(run)[-1] - semimajor(run)[0]) / duration == pytest.approx(2 * 1.3 * torque / L, rel=1e-2)


def test_nothing_is_lost_where_nothing_moves() -> None:
    """A circular orbit in step with the spin."""
    state = sphere_pair(1.0)
    assert float(state.system.dissipated_power(state.values)) == pytest.approx(0.0, abs=1e-18)
    run = ph.simulate(state, step=0.02, steps=2000, save_every=20, method=ph.ForcedLGVI(order=4))
    energy = run.system.energies(run.values)["total"]
    assert np.abs(energy - energy[0]).max() < 1e-9


def test_the_energy_falls_at_the_rate_that_is_dissipated() -> None:
    state = general()
    run = ph.simulate(state, step=0.01, steps=400, method=ph.DOP853(rtol=1e-13, atol=1e-15))
    energy, power = run.system.energies(run.values)["total"], run.system.dissipated_power(run.values)
    assert np.all(power > 0.0)
    assert energy[0] - energy[-1] == pytest.approx(float(simpson(power, x=run.t)), rel=1e-7)
    assert energy[0] - energy[-1] > 1e-4


def test_momenta_are_kept_to_rounding() -> None:
    state = general()
    for start in (state, state.system.to_inertial(state)):
        assert set(start.system.conserved) == {"linear_momentum", "angular_momentum"}
        assert not start.system.hamiltonian
        run = ph.simulate(start, step=0.02, steps=20_000, save_every=200, method=ph.ForcedLGVI())
        assert all(kept.relative < 1e-12 for kept in run.conservation())
        # 400 units of time later a good part of the energy is gone
        energy = run.system.energies(run.values)["total"]
        assert energy[-1] < energy[0] - 0.01


def test_inertial_and_relative_form_are_one_map() -> None:
    state = general()
    inertial = state.system.to_inertial(state)
    run, other = (ph.simulate(s, step=0.02, steps=500, method=ph.ForcedLGVI()) for s in (state, inertial))
    np.testing.assert_allclose(run.x1, other.x[:, 0], atol=1e-11)
    np.testing.assert_allclose(run.R2, other.R[:, 1], atol=1e-11)
    np.testing.assert_allclose(run.Omega1, other.omega[:, 0], atol=1e-11)


def test_bodies_may_stand_at_right_angles() -> None:
    """With entries of the relative attitude that are zero: the same as seen from axes that are turned by 10⁻⁹."""
    quarter, spun = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), general()
    given = {name: getattr(spun, name) for name in ("X", "V", "Omega1", "Omega2")}
    run, other = (
        ph.simulate(spun.system.state(R=R, **given), step=0.02, steps=5, method=ph.ForcedLGVI())
        for R in (quarter, quarter @ ph.so3.exp([0.0, 0.0, 1e-9]))
    )
    np.testing.assert_allclose(run.X, other.X, atol=1e-9)
    np.testing.assert_allclose(run.Omega2, other.Omega2, atol=1e-9)


def test_the_step_converges_to_the_continuous_equations() -> None:
    state = general()
    truth = ph.simulate(state, step=2.0, steps=1, method=ph.DOP853(rtol=1e-13, atol=1e-15)).final
    errors = [
        np.abs(ph.simulate(state, step=2.0 / n, steps=n, method=ph.ForcedLGVI(4)).final.X - truth.X).max()
        for n in (40, 80)
    ]
    assert errors[0] / errors[1] == pytest.approx(16.0, rel=0.2)


def test_three_bodies_with_tides_keep_their_momenta() -> None:
    bodies = [Sphere(1.0, 0.3), Sphere(0.3, 0.1), Sphere(0.1, 0.1)]
    tides = [TidalFriction(0, 1, 0.5, 0.3, 0.2), TidalFriction(0, 2, 0.5, 0.3, 0.2), TidalFriction(1, 0, 0.5, 0.1, 0.2)]
    problem = FullBodyProblem(bodies, dissipation=tides)
    state = problem.state(
        x=[[0, 0, 0], [1.5, 0, 0], [0, 4, 0.1]], v=[[0, -0.2, 0], [0, 0.75, 0], [-0.5, 0, 0]], omega=[[0, 1, 3]] * 3
    )
    run = ph.simulate(state, step=0.01, steps=3000, save_every=30, method=ph.ForcedLGVI())
    assert all(kept.relative < 1e-12 for kept in run.conservation())
    energy = problem.energies(run.values)["total"]
    assert energy[-1] < energy[0] - 1e-4


def test_the_method_must_know_about_tides() -> None:
    state = general()
    with pytest.raises(ph.IncompatibleMethodError):
        ph.simulate(state, step=0.01, steps=1, method=ph.LGVI())


def test_a_problem_rebuilds_from_its_description() -> None:
    system = general().system
    again = FullTwoBodyProblem(**system.describe())
    np.testing.assert_array_equal(again.parameters(), system.parameters())


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"lag": -1.0}, "lag"),
        ({"lag": 0.0}, "lag"),
        ({"k2": -0.1}, "k2"),
        ({"radius": 0.0}, "radius"),
        ({"by": 1}, "by"),
        ({"on": -1}, "on"),
    ],
)
def test_bad_tides_are_refused(changes: dict, field: str) -> None:
    good = {"on": 1, "by": 0, "k2": 0.1, "radius": 1.0, "lag": 1.0}
    with pytest.raises(ph.InvalidInputError) as caught:
        TidalFriction(**(good | changes))
    assert caught.value.field == field
    with pytest.raises(ph.InvalidInputError) as caught:
        FullTwoBodyProblem(Sphere(1.0, 0.1), Sphere(1.0, 0.1), dissipation=[good | changes])
    assert caught.value.field == f"dissipation[0].{field}"


def test_tides_of_bodies_that_are_not_there_are_refused() -> None:
    tide = {"on": 2, "by": 0, "k2": 0.1, "radius": 1.0, "lag": 1.0}
    with pytest.raises(ph.InvalidInputError, match="0 to 1"):
        FullTwoBodyProblem(Sphere(1.0, 0.1), Sphere(1.0, 0.1), dissipation=[tide])


def test_the_force_is_that_of_a_bulge_that_lags() -> None:
    """From the potential of the bulge that a body at x' raises, `−k₂ G m A⁵ P₂(x̂·x̂')/(|x|³|x'|³)`, felt at x: the force
    changes with x' = x − τu at first order in τ by −Du, along the line of centres three times as strongly as across."""
    G, mass = 1.7, 2.3
    tide = TidalFriction(on=0, by=1, k2=0.4, radius=0.6, lag=0.05)
    strength = tide.strength([Sphere(5.0, 0.6), Sphere(mass, 0.1)], G)

    def potential(x: np.ndarray, raised: np.ndarray) -> float:
        a, b = np.linalg.norm(x), np.linalg.norm(raised)
        cosine = x @ raised / (a * b)
        return float(-mass * tide.k2 * G * mass * tide.radius**5 * (1.5 * cosine**2 - 0.5) / (a * b) ** 3)

    def force(x: np.ndarray, raised: np.ndarray, d: float = 1e-3) -> np.ndarray:
        slopes = [[8 * (potential(x + d * e, raised) - potential(x - d * e, raised))] for e in np.eye(3)]
        wider = [[potential(x + 2 * d * e, raised) - potential(x - 2 * d * e, raised)] for e in np.eye(3)]
        return -(np.ravel(slopes) - np.ravel(wider)) / (12 * d)

    rng = np.random.default_rng(5)
    r = rng.normal(size=3) + [2.0, 0.0, 0.0]
    along, across = r / np.linalg.norm(r), np.cross(r, [0.0, 0.0, 1.0])
    for u in (along, across, rng.normal(size=3)):
        h = 1e-3
        lagging = (force(r, r - h * u) - force(r, r + h * u)) / (2 * h) * tide.lag
        found = np.array(friction(strength, tuple(r), tuple(u)))
        np.testing.assert_allclose(found, lagging, rtol=0, atol=1e-4 * np.linalg.norm(lagging))
    radial, tangential = (np.linalg.norm(friction(strength, tuple(r), tuple(u))) for u in (along, across))
    assert radial == pytest.approx(3.0 * tangential / np.linalg.norm(across), rel=1e-12)
