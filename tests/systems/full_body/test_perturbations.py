"""Perturbations of the full body problem: forces against energies, other formulations and closed forms; what stays kept."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import polhode as ph
from polhode.analysis import symplectic_defect
from polhode.analysis.structure import difference_map, tangent_map
from polhode.bodies import Dumbbell, Ellipsoid, PointMasses, Sphere
from polhode.gravity import PointsPoints
from polhode.gravity.kepler_equation import eccentric_anomaly
from polhode.scalars import cos, exp, kernel, sin, where
from polhode.systems import (
    DistantBody,
    ExternalPotential,
    FullBodyProblem,
    FullTwoBodyProblem,
    KeplerOrbit,
    UniformField,
)
from polhode.systems.full_body import distant_body
from polhode.systems.full_body.perturbation_kernels import monopole
from tests.tiers import later

ORBIT = KeplerOrbit(semimajor=6.0, period=40.0, eccentricity=0.3, inclination=0.4, node=0.5, periapsis=1.0, anomaly=0.2)


@kernel
def wandering(t):
    """One that chooses, and so has no formula."""
    return 5.0 * cos(0.1 * t), 5.0 * sin(0.1 * t), where(t < 1000.0, 0.3 * t, 300.0)


@kernel
def trap(x, R):
    """A harmonic trap that also holds the third axis upright; with a choice, and so without a formula."""
    side = where(x[0] < 1000.0, 0.01 * R[2] * x[0], 0.0 * x[0])
    return 0.05 * (x[0] * x[0] + 2.0 * x[1] * x[1] + x[2] * x[2]) - 0.02 * R[8] + side


KINDS = {
    "uniform": UniformField([0.1, -0.2, 0.3]),
    "fixed": DistantBody(3.0, [4.0, -1.0, 2.0]),
    "fixed, tidal, order 4": DistantBody(3.0, [4.0, -1.0, 2.0], order=4, tidal=True),
    "orbit": DistantBody(3.0, ORBIT),
    "orbit, tidal": DistantBody(3.0, ORBIT, tidal=True),
    "function": DistantBody(3.0, wandering),
    "formulas": DistantBody(3.0, ["5*cos(0.1*t)", "5*sin(0.1*t)", "0.3*t"]),
    "formula": ExternalPotential("0.1*x*R13 + 0.05*y**2 + 0.02*R33*z*cos(t)", bodies=[0]),
    "kernel": ExternalPotential(trap),
}


PLAIN = ("fixed", "orbit, tidal", "uniform")
FUNCTIONS = ("function", "formula", "kernel")


def problem(*perturbations) -> ph.State:
    bodies = [Ellipsoid(0.6, [0.3, 0.25, 0.2]), Ellipsoid(1.0, [0.35, 0.3, 0.22])]
    pair = FullTwoBodyProblem(bodies[0], bodies[1], gravity=2, G=1.0, perturbations=list(perturbations))
    return pair.state(
        X=[1.5, 0.1, 0.2],
        V=[0.1, 1.0, 0.05],
        R=ph.so3.exp([0.2, -0.3, 0.4]),
        Omega1=[0.3, -0.4, 0.8],
        Omega2=[-0.2, 0.1, 0.5],
        R2=ph.so3.exp([-0.1, 0.5, 0.2]),
        t=0.7,
    )


@pytest.mark.parametrize(
    "names",
    later(
        [[name] for name in KINDS if name not in FUNCTIONS] + [list(FUNCTIONS)],
        lambda x: x == ["formulas"] or len(x) > 1,
        "+".join,
    ),
)
def test_forces_are_the_slopes_of_the_energy(names: list[str]) -> None:
    state = problem(*(KINDS[name] for name in names))
    state = state.system.to_inertial(state)
    system = state.system
    force, moment = system.forces(state)

    def energy(x: np.ndarray, R: np.ndarray) -> float:
        values = {"x": x, "R": R}
        return float(system.potential(values) + system.perturbations.energy(state.t, x, R))

    e = 1e-3
    for i in range(2):
        for k, axis in enumerate(np.eye(3)):

            def moved(s: float, i: int = i, axis: np.ndarray = axis) -> float:
                x = state.x.copy()
                x[i] += s * axis
                return energy(x, state.R)

            def turned(s: float, i: int = i, axis: np.ndarray = axis) -> float:
                R = state.R.copy()
                R[i] = R[i] @ ph.so3.exp(s * axis)
                return energy(state.x, R)

            for change, found in ((moved, force[i, k]), (turned, moment[i, k])):
                slope = (8 * (change(e) - change(-e)) - (change(2 * e) - change(-2 * e))) / (12 * e)
                assert found == pytest.approx(-slope, abs=2e-11), (names, i, k)


def test_every_kind_acts() -> None:
    bare = problem()
    inertial = bare.system.to_inertial(bare)
    x, R = inertial.x, inertial.R
    for name, one in KINDS.items():
        acting = problem(one).system.perturbations
        assert abs(float(acting.energy(0.7, x, R)) - float(acting.energy(0.7, x + 0.1, R))) > 1e-6, name


@pytest.mark.parametrize("order", [2, 5])
def test_a_distant_body_is_a_heavy_third_body(order: int) -> None:
    """The same forces and moments as those of a sphere among the bodies, whose own motion is left out."""
    place = np.array([4.0, -1.0, 2.0])
    places = [[0.3, 0, 0], [-0.3, 0.1, 0], [-0.3, -0.15, 0.4]]
    bodies = [Ellipsoid(0.6, [0.3, 0.25, 0.2]), PointMasses([0.5, 0.3, 0.2], places, radii=0.05, recentre=True)]
    x, R = np.array([[0.0, 0.0, 0.0], [1.5, 0.2, -0.3]]), np.stack([ph.so3.exp([0.2, 0.4, -0.3]), np.eye(3)])
    two = FullBodyProblem(bodies, gravity=order, perturbations=[DistantBody(3.0, place)])
    three = FullBodyProblem([*bodies, Sphere(3.0, 0.1)], gravity=order)
    force, moment = two.forces(two.state(x=x, R=R))
    expected = three.forces(three.state(x=[*x, place], R=[*R, np.eye(3)]))
    np.testing.assert_allclose(force, expected[0][:2], atol=1e-14)
    np.testing.assert_allclose(moment, expected[1][:2], atol=1e-15)
    assert np.abs(moment).max() > 1e-4


def test_the_moment_is_that_of_gravity_gradient() -> None:
    """`3 GM/r³ r̂ × J r̂`, in the body's frame, on both bodies."""
    c = np.array([300.0, -100.0, 200.0])
    bodies = [Ellipsoid(0.6, [0.3, 0.25, 0.2]), Ellipsoid(1.0, [0.35, 0.3, 0.22])]
    system = FullBodyProblem(bodies, G=1.0, perturbations=[DistantBody(1e6, c)])
    bare = FullBodyProblem(bodies, G=1.0)
    x = [[0.0, 0.0, 0.0], [1e3, 0.0, 0.0]]
    R = np.stack([ph.so3.exp([0.2, 0.4, -0.3]), ph.so3.exp([0.5, 0.1, 0.7])])
    found = system.forces(system.state(x=x, R=R))[1] - bare.forces(bare.state(x=x, R=R))[1]
    for i, body in enumerate(bodies):
        r = R[i].T @ (c - x[i])
        expected = 3e6 * np.cross(r, body.inertia @ r) / np.linalg.norm(r) ** 5
        np.testing.assert_allclose(found[i], expected, rtol=1e-10, atol=1e-16)


def test_the_expansion_of_a_distant_body_converges_to_the_point_sum() -> None:
    body = Dumbbell(1.0, 1.0, radius=0.1)
    c, R = np.array([2.0, 1.0, -0.5]), ph.so3.exp([0.3, -0.2, 0.5])
    exact, F, M = PointsPoints(body, PointMasses([3.0], [[0.0, 0.0, 0.0]]), 1.0).evaluate(-c, R)
    errors = []
    for order in (2, 4, 6, 8, 12):
        alone = FullBodyProblem([body], perturbations=[DistantBody(3.0, c, order=order)])
        force, moment = alone.forces(alone.state(x=[[0.0, 0.0, 0.0]], R=[R]))
        errors.append(max(np.abs(force[0] + F).max(), np.abs(moment[0] + R.T @ M).max()))
        assert float(alone.perturbations.energy(0.0, np.zeros((1, 3)), R[None])) == pytest.approx(
            exact, abs=20 * errors[-1]
        )
    assert np.all(np.array(errors[1:]) < 0.2 * np.array(errors[:-1]))
    assert errors[-1] < 1e-8


@pytest.mark.verify
@pytest.mark.parametrize("names", [PLAIN, FUNCTIONS], ids=["numbers", "functions"])
def test_all_four_discrete_forms_are_one_map(names: tuple[str, ...]) -> None:
    state = problem(*(KINDS[name] for name in names))
    pair = state.system
    inertial = pair.to_inertial(state)
    methods = [ph.LGVI(form=form) for form in ("hamiltonian", "lagrangian")]
    runs = [ph.simulate(s, step=0.01, steps=200, method=m) for s in (state, inertial) for m in methods]
    for run in runs[1:]:
        both = (run.x, run.R) if run.system is inertial.system else (_both(run, "x"), _both(run, "R"))
        np.testing.assert_allclose(both[0], _both(runs[0], "x"), atol=1e-11)
        np.testing.assert_allclose(both[1], _both(runs[0], "R"), atol=1e-11)


def _both(run: ph.Trajectory, name: str) -> np.ndarray:
    return np.stack([getattr(run, f"{name}1"), getattr(run, f"{name}2")], axis=1)


@pytest.mark.verify
def test_all_four_continuous_forms_agree() -> None:
    state = problem(KINDS["orbit, tidal"], UniformField([0.01, 0.0, -0.02]))
    inertial = state.system.to_inertial(state)
    tight = [ph.DOP853(rtol=1e-13, atol=1e-14, form=form) for form in ("hamiltonian", "lagrangian")]
    runs = [ph.simulate(s, step=1.0, steps=2, method=m) for s in (state, inertial) for m in tight]
    for run in runs[1:]:
        both = (run.x, run.R) if run.system is inertial.system else (_both(run, "x"), _both(run, "R"))
        np.testing.assert_allclose(both[0], _both(runs[0], "x"), atol=1e-11)
        np.testing.assert_allclose(both[1], _both(runs[0], "R"), atol=1e-11)


@pytest.mark.parametrize(
    ("perturbations", "kept"),
    [
        ([], {"energy", "linear_momentum", "angular_momentum"}),
        (["uniform"], {"energy", "angular_momentum"}),
        (["fixed"], {"energy", "angular_momentum"}),
        (["fixed, tidal, order 4"], {"energy"}),
        (["fixed", "uniform"], {"energy"}),
        (["orbit"], set()),
        pytest.param(["function", "formula", "uniform"], set(), marks=pytest.mark.verify),
    ],
)
def test_what_is_listed_as_conserved_is_and_nothing_else(perturbations: list[str], kept: set[str]) -> None:
    state = problem(*(KINDS[name] for name in perturbations))
    for start in (state, state.system.to_inertial(state)):
        assert set(start.system.conserved) == set(start.invariants()) == kept
        run = ph.simulate(start, step=0.01, steps=300, save_every=10, method=ph.LGVI(order=4))
        for found in run.conservation():
            assert found.relative < (1e-6 if found.kind == "energy" else 1e-12), (found, start.system)
    # what is not listed is not conserved: momenta of the last, inertial run, and its energy at every time
    whole = FullBodyProblem(run.system.bodies, G=1.0).invariants(run.values)
    whole["energy"] = run.system.energies(run.values, run.t)["total"]
    for name in {"energy", "linear_momentum", "angular_momentum"} - kept:
        assert np.abs(whole[name] - whole[name][0]).max() > 1e-3, name


def test_the_energy_of_what_moves_needs_the_time() -> None:
    state = problem(KINDS["orbit"])
    with pytest.raises(ph.InvalidInputError, match="the time"):
        state.system.energies(state.values)
    earlier, later = (float(state.system.energies(state.values, t)["perturbations"]) for t in (0.0, 5.0))
    assert abs(later - earlier) > 1e-3


def test_energy_has_no_slope_near_a_fixed_body() -> None:
    state = problem(DistantBody(3.0, [6.0, -1.0, 2.0], tidal=True))
    run = ph.simulate(state, step=0.02, steps=20_000, save_every=20)
    (energy,) = run.conservation()
    assert energy.relative < 1e-3
    assert abs(energy.slope) * (run.t[-1] - run.t[0]) < 0.2 * energy.worst


@pytest.mark.verify
@pytest.mark.parametrize("names", [PLAIN, FUNCTIONS], ids=["numbers", "functions"])
def test_the_step_stays_symplectic_and_its_tangent_map_exact(names: tuple[str, ...]) -> None:
    state = problem(*(KINDS[name] for name in names))
    assert symplectic_defect(state, ph.LGVI(), 0.05) < 1e-11
    found = tangent_map(state, ph.LGVI(), 0.05, 3)
    np.testing.assert_allclose(found, difference_map(state, ph.LGVI(), 0.05, 3), atol=1e-9)


@pytest.mark.parametrize("eccentricity", [0.0, 0.1, 0.6, 0.9, 0.99])
def test_keplers_equation(eccentricity: float) -> None:
    E = np.linspace(-np.pi + 1e-9, np.pi - 1e-9, 20_001)
    M = E - eccentricity * np.sin(E)
    found = eccentric_anomaly(M, eccentricity, 5)
    # near E = 0 at e → 1 the anomaly itself is ill-conditioned: judge by the equation
    np.testing.assert_allclose(found - eccentricity * np.sin(found), M, atol=1e-15 * 10)


def test_a_kepler_orbit_obeys_newton() -> None:
    mu = ORBIT.semimajor**3 * (2 * np.pi / ORBIT.period) ** 2
    t, e = 3.0, 1e-2
    at = [ORBIT.at(t + k * e) for k in range(-3, 4)]
    weights = np.array([2, -27, 270, -490, 270, -27, 2]) / 180
    acceleration = np.tensordot(weights, at, 1) / e**2
    np.testing.assert_allclose(acceleration, -mu * at[3] / np.linalg.norm(at[3]) ** 3, atol=1e-9)
    start = KeplerOrbit(semimajor=2.0, period=1.0, eccentricity=0.5, inclination=np.pi / 2, periapsis=0.0)
    np.testing.assert_allclose(start.at(0.0), [1.0, 0.0, 0.0], atol=1e-15)


def test_a_tide_loses_no_digits_however_far_the_body() -> None:
    x, c, mu = np.array([1234.5, -321.0, 77.0]), np.array([1.5e11, 0.3e11, -0.1e11]), 1.3e20
    W, F = monopole(mu, tuple(x), tuple(c), 1)
    with mpmath.mp.workdps(60):
        X, C = (mpmath.matrix([mpmath.mpf(float(v)) for v in a]) for a in (x, c))
        d, r = X - C, mpmath.norm(X - C)
        k = mpmath.norm(C)
        exact = -mu * (1 / r - 1 / k - sum(X[i] * C[i] for i in range(3)) / k**3)
        slope = [mu * (d[i] / r**3 + C[i] / k**3) for i in range(3)]
    assert float(W) == pytest.approx(float(exact), rel=1e-13)
    np.testing.assert_allclose(F, [float(v) for v in slope], rtol=1e-12)


def test_a_problem_rebuilds_from_its_description() -> None:
    given = [KINDS[name] for name in ("uniform", "fixed", "orbit, tidal", "formulas", "formula")]
    state = problem(*given)
    again = FullTwoBodyProblem(**state.system.describe())
    np.testing.assert_array_equal(again.parameters(), state.system.parameters())
    assert again.describe() == state.system.describe()


@kernel
def winding(t, a):
    return 10.0 * cos(a * t), abs(t * exp(a * t)), t / 7.0


def test_a_place_as_a_kernel_is_described_by_its_formulas() -> None:
    """As if the formulas had been given, also where they hold for real numbers only."""
    named = {"a": 0.3}
    one = DistantBody(3.0, winding, parameters=named)
    other = DistantBody(3.0, ["10.0*cos(a*t)", "abs(t*exp(a*t))", "t/7.0"], parameters=named)
    assert one.describe() == other.describe()
    assert one.describe()["position"][1] == "exp(a*t)*Abs(t)"


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: UniformField([1, 2]), "g"),
        (lambda: DistantBody(-1.0, [1, 0, 0]), "mass"),
        (lambda: DistantBody(1.0, [1, 0]), "position"),
        (lambda: DistantBody(1.0, {"semimajor": 1.0}), "position"),
        (lambda: DistantBody(1.0, lambda t: (t, 0.0, 0.0)), "position"),
        (lambda: DistantBody(1.0, [0, 0, 0], tidal=True), "position"),
        (lambda: DistantBody(1.0, [1, 0, 0], order=1), "order"),
        (lambda: KeplerOrbit(semimajor=1.0, period=1.0, eccentricity=1.0), "eccentricity"),
        (lambda: ExternalPotential("x*w"), "potential"),
        (lambda: ExternalPotential(lambda x, R: 0.0), "potential"),
        (lambda: ExternalPotential("x", bodies=[-1]), "bodies[0]"),
        (lambda: problem({"type": "wind"}), "perturbations[0].type"),
        (lambda: problem({"type": "uniform", "g": [1]}), "perturbations[0].g"),
        (lambda: problem({"type": "uniform", "h": [1]}), "perturbations[0].h"),
        (lambda: problem("wind"), "perturbations[0]"),
        (lambda: problem(ExternalPotential("x", bodies=[2])), "bodies"),
    ],
)
def test_bad_perturbations_are_refused(make, field: str) -> None:
    with pytest.raises(ph.InvalidInputError) as caught:
        make()
    assert caught.value.field == field


@pytest.mark.verify
@pytest.mark.parametrize("suffix", ["nc", "zarr"])
def test_runs_with_kernels_are_loaded_again(tmp_path, suffix: str) -> None:
    """A kernel that writes down its formula is kept by it, with all digits of its numbers."""
    state = problem(ExternalPotential(thirds, bodies=[0]), DistantBody(3.0, spiral))
    run = ph.simulate(state, step=0.01, steps=5)
    run.save(tmp_path / f"run.{suffix}")
    again = ph.load(tmp_path / f"run.{suffix}")
    assert again.system.describe() == state.system.describe()
    energies = [each.system.energies(each.final.values, each.final.t)["total"] for each in (run, again)]
    assert energies[0] == energies[1]
    more = [ph.simulate(each.final, step=0.01, steps=5).X for each in (run, again)]
    np.testing.assert_array_equal(more[0], more[1])


@kernel
def spiral(t):
    return 5.0 * cos(0.1 * t), 5.0 * sin(0.1 * t), t / 7.0


@kernel
def thirds(x, R):
    return x[0] * x[1] / 3.0 + 0.1 / 3.0 * R[4]


def test_the_code_of_a_path_is_limited_as_its_formulas_are(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_deep(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr(distant_body, "formula_kernel", too_deep)
    with pytest.raises(ph.InvalidInputError, match=r"position = .*nested too deeply"):
        ph.DistantBody(1.0, ["cos(t)", "5", "6"])
