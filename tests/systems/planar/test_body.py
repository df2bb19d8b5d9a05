"""A body in the plane in any potential, damped and driven: against closed forms and against each other."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.analysis import measured_order, symmetry_defect, symplectic_defect, tangent_map
from polhode.io.scenario.build import build_plan
from polhode.io.scenario.document import scenario_from_text
from polhode.scalars import cos, kernel, lanes, sin, where
from polhode.systems.planar.base import about_third_axis
from tests.systems.inputs.compilations import compilations
from tests.tiers import later

TIGHT = ph.DOP853(rtol=1e-13, atol=1e-15)
HARMONICS = {"harmonics": [0.8, 0.5], "sine_harmonics": [0.3, 0.0, -0.6]}
TEXT = "0.8*(1 - cos(theta)) + 0.25*(1 - cos(2*theta)) + 0.3*sin(theta) - 0.2*sin(3*theta)"
START = {"theta": 0.9, "omega": -0.7}


@kernel
def formula(theta):  # type: ignore[no-untyped-def]
    return 1.05 - 0.8 * cos(theta) - 0.25 * cos(2.0 * theta) + 0.3 * sin(theta) - 0.2 * sin(3.0 * theta)


@kernel
def chosen(theta):  # type: ignore[no-untyped-def]
    return where(theta > -9.0, formula(theta), 0.0)


def python(theta: float) -> float:
    return float(formula.function(theta)) if theta > -9.0 else 0.0  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "given", later(["text", "kernel", "choice", "Python"], lambda given: given in ("choice", "Python"))
)
def test_every_kind_of_potential_is_the_sum_of_harmonics(given: str) -> None:
    """Cosines and sines by their numbers, and the same potential in other ways: value, motion and tangent map."""
    reference = ph.PlanarBody(1.3, **HARMONICS).state(**START)
    potential = {"text": TEXT, "kernel": formula, "choice": chosen, "Python": python}[given]
    if given == "Python":
        with pytest.warns(UserWarning, match="no formula"):
            body = ph.PlanarBody(1.3, potential=potential)
    else:
        body = ph.PlanarBody(1.3, potential=potential)
    state = body.state(**START)
    assert float(state.invariants()["energy"]) == pytest.approx(float(reference.invariants()["energy"]), abs=1e-13)
    one, two = (ph.simulate(x, step=0.05, steps=40, method=ph.LGVI()).final for x in (state, reference))
    np.testing.assert_allclose([*one.z, one.p], [*two.z, two.p], atol=1e-11)
    maps = [tangent_map(x, ph.LGVI(), 0.05, 3) for x in (state, reference)]
    np.testing.assert_allclose(maps[0], maps[1], atol=1e-10)
    assert symplectic_defect(state, ph.LGVI(), 0.05) < 1e-10


def test_the_moment_is_the_slope_of_the_energy() -> None:
    body, d = ph.PlanarBody(1.3, **HARMONICS, potential="0.4*sin(theta)**3"), 1e-5
    angles = np.linspace(-3.0, 3.0, 13)
    energies = [body.potential_energy(np.stack([np.cos(a), np.sin(a)], -1)) for a in (angles + d, angles - d)]
    np.testing.assert_allclose(body.moment_at_rest(angles), -(energies[0] - energies[1]) / (2 * d), atol=1e-9)
    run = ph.simulate(body.state(theta=angles[3]), step=1e-4, steps=1, method=TIGHT).final
    assert float(run.p) / 1e-4 == pytest.approx(float(body.moment_at_rest(angles[3:4])[0]), abs=1e-6)


def test_damping_is_a_decay() -> None:
    """Without a potential p decays as exp(−dt/J), and θ goes to p₀/d (1 − exp(−dt/J))."""
    state = ph.PlanarBody(1.5, damping=0.6).state(omega=0.8)
    exact = ph.simulate(state, step=2.0, steps=1, method=TIGHT).final
    assert float(exact.p) == pytest.approx(1.2 * np.exp(-0.8), abs=1e-12)
    assert float(exact.theta) == pytest.approx(2.0 * (1 - np.exp(-0.8)), abs=1e-12)
    pulled = ph.PlanarBody(1.5, [0.7], damping=0.6).state(**START)
    assert measured_order(pulled, ph.LGVI(), 2.0).orders == pytest.approx(2.0, abs=0.1)
    assert symmetry_defect(pulled, ph.LGVI(), 0.1) < 1e-13
    assert pulled.system.conserved == {}
    assert not pulled.system.hamiltonian


def test_a_torque_of_the_rate_is_damping_too() -> None:
    @kernel
    def drag(t, theta, omega):  # type: ignore[no-untyped-def]
        return -0.6 * omega

    damped, forced = ph.PlanarBody(1.5, [0.7], damping=0.6), ph.PlanarBody(1.5, [0.7], torque=drag)
    one, two = (ph.simulate(b.state(**START), step=2.0, steps=1, method=TIGHT).final for b in (damped, forced))
    np.testing.assert_allclose(one.z, two.z, atol=1e-12)
    state = forced.state(**START)
    assert measured_order(state, ph.LGVI(), 2.0).orders == pytest.approx(2.0, abs=0.1)
    assert symmetry_defect(state, ph.LGVI(), 0.1) < 1e-13
    # the exact tangent map, against differences of the step
    found, d = tangent_map(state, ph.LGVI(), 0.1, 1), 1e-6
    near = [ph.simulate(forced.state(theta=0.9, omega=-0.7 + e / 1.5), step=0.1, steps=1).final for e in (d, -d)]
    np.testing.assert_allclose(found[1, 1], (near[0].p - near[1].p) / (2 * d), atol=1e-8)


def test_a_torque_of_the_rate_where_the_body_comes_to_rest() -> None:
    """Half a kick, 0.0625, takes the momentum to zero exactly, where the search for the rate at the node then begins."""

    @kernel
    def push(t, theta, omega):  # type: ignore[no-untyped-def]
        return 0.25 + 0.0 * omega

    end = ph.simulate(ph.PlanarBody(1.0, torque=push).state(omega=-0.0625), step=0.5, steps=1).final
    assert float(end.p) == pytest.approx(0.0625, abs=1e-15)


def test_a_torque_of_time() -> None:
    driven = ph.PlanarBody(2.0, torque=lambda t: 0.3 * sin(2.0 * t))
    run = ph.simulate(driven.state(omega=0.1), step=0.5, t_end=3.0, method=TIGHT)
    np.testing.assert_allclose(run.p, 0.2 + 0.15 * (1 - np.cos(2 * run.t)), atol=1e-12)
    steady = ph.PlanarBody(2.0, torque=0.3)
    assert float(ph.simulate(steady.state(), step=0.1, steps=10).final.p) == pytest.approx(0.3, abs=1e-14)
    assert steady.describe()["torque"] == 0.3


def test_a_torque_that_has_no_derivative_is_named() -> None:
    state = ph.PlanarBody(1.0, torque=lambda t, theta, omega: math.sin(theta)).state(**START)
    ph.simulate(state, step=0.1, steps=1)
    with pytest.raises(ph.InvalidInputError, match=r"torque.*dual numbers"):
        tangent_map(state, ph.LGVI(), 0.1, 1)


def test_equilibria_with_a_torque() -> None:
    """A pendulum held at an angle: sin θ = 0.3, stable and unstable; too large a torque leaves none."""
    body = ph.PlanarBody(1.0, [1.0], torque=0.3)
    angles = [float(e.theta) for e in body.equilibria()]
    np.testing.assert_allclose(angles, [np.arcsin(0.3), np.pi - np.arcsin(0.3)], atol=1e-12)
    assert ph.PlanarBody(1.0, [1.0], torque=1.5).equilibria() == []
    touching = ph.PlanarBody(1.0, potential="theta - sin(theta)")
    assert [abs(float(e.theta)) < 1e-5 for e in touching.equilibria()] == [True]


@pytest.mark.verify
def test_lanes_run_as_if_alone() -> None:
    body = ph.PlanarBody(1.3, **HARMONICS, potential="0.4*sin(theta)**3", torque=lambda t, theta, omega: -(omega**3))
    state = body.state(**START)
    run = ph.LGVI().start(state, 0.05, lanes(4))
    run.advance(0, 10, 100, np.empty((0, run.carried)))
    alone = ph.simulate(state, step=0.05, steps=10, method=ph.LGVI()).final
    np.testing.assert_array_equal(run.sample.reshape(-1, 4)[:3, 1], [*alone.z, alone.p])


def test_the_storm_verlet_variant_is_a_splitting() -> None:
    """`L_d = J θ²/2h − (h/2)(U_k + U_{k+1})` gives J(θ_{k+1} − 2θ_k + θ_{k−1}) = h² M_k, without a bound of the step."""
    body, h = ph.PlanarBody(1.3, **HARMONICS), 0.4
    run = ph.simulate(body.state(theta=0.9, omega=-3.0), step=h, steps=12, method=ph.Splitting(order=2))
    angles = np.unwrap(run.theta)
    np.testing.assert_allclose(1.3 * np.diff(angles, 2), h * h * body.moment_at_rest(angles[1:-1]), atol=1e-13)
    with pytest.raises(ph.ConvergenceError):
        ph.simulate(body.state(theta=0.9, omega=-3.0), step=h, steps=12, method=ph.LGVI())


def test_scenarios_and_files_hold_formulas(tmp_path: Path) -> None:
    text = """
    [system]
    type = "PlanarBody"
    inertia = 1.3
    potential = "-k*cos(theta)"
    torque = "0.2*sin(t) - k*omega/10"
    parameters = {k = 2.0}
    [state]
    theta = 0.9
    [run]
    step = 0.05
    steps = 10
    """
    run = build_plan(scenario_from_text("body.toml", text)).run()
    direct = ph.PlanarBody(1.3, [2.0], torque=lambda t, theta, omega: 0.2 * sin(t) - 0.2 * omega)
    end = ph.simulate(direct.state(theta=0.9), step=0.05, steps=10).final
    np.testing.assert_allclose(run.final.z, end.z, atol=1e-14)
    run.save(tmp_path / "run.nc")
    assert ph.load(tmp_path / "run.nc").system.describe() == run.system.describe()
    driven = ph.simulate(direct.state(theta=0.9), step=0.05, steps=2)
    driven.save(tmp_path / "function.nc")
    with pytest.raises(ph.InvalidInputError, match=r"load\(path, system=\.\.\.\)"):
        ph.load(tmp_path / "function.nc")
    np.testing.assert_array_equal(ph.load(tmp_path / "function.nc", system=direct).p, driven.p)


def test_what_is_refused() -> None:
    for given, words in (
        ({"potential": "x + 1"}, "theta"),
        ({"potential": 3.0 + 1j}, "a formula in theta"),
        ({"damping": -1.0}, "not negative"),
        ({"torque": lambda t: "much"}, "a number, a formula in t, theta and omega, or a function"),
        ({"torque": "k*omega"}, "k is not among them: give it a value in parameters"),
        ({"potential": lambda theta, k: where(theta > 0.0, k, 0.0), "parameters": {"k": 1.0}}, "neither compares"),
        ({"torque": [1.0, 2.0]}, "torque"),
        ({"sine_harmonics": [[1.0]]}, "sine_harmonics"),
    ):
        with pytest.raises(ph.InvalidInputError, match=words):
            ph.PlanarBody(1.0, **given)  # type: ignore[arg-type]


def test_a_plane_is_seen_in_space_along_its_third_axis() -> None:
    angle, rate = np.array([0.3, -1.2]), np.array([0.7, 2.0])
    plane = np.moveaxis(np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]), -1, 0)
    rotations, omega = about_third_axis(plane, rate)
    np.testing.assert_allclose(rotations, ph.so3.exp(angle[:, None] * [0.0, 0.0, 1.0]), atol=1e-15)
    np.testing.assert_array_equal(omega, rate[:, None] * [0.0, 0.0, 1.0])


def test_a_torque_in_the_plane_that_is_a_number_is_not_compiled_anew() -> None:
    def run(torque: float) -> float:
        body = ph.PlanarBody(2.0, torque=torque)
        return float(ph.simulate(body.state(), step=0.1, steps=10).final.omega)

    run(0.3)
    with compilations() as compiled:
        assert run(0.5) == pytest.approx(0.25, rel=1e-12)
    assert compiled == []
