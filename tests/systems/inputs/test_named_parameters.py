"""Named parameters: each kind of formula and function with them is the one with the numbers written in, and another number
compiles nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

import polhode as ph
from polhode.bodies import PointMasses
from polhode.core.method import Start
from polhode.io.scenario.build import build_plan
from polhode.io.scenario.document import scenario_from_text
from polhode.scalars import cos, kernel, lanes, parameter_duals, where
from polhode.systems import symbols
from polhode.systems.inputs.user_functions import UserFunction
from tests.systems.inputs.compilations import compilations
from tests.tiers import later

J = [1.0, 2.0, 2.5]
START = {"q": [0.1, -0.2, 0.3, 0.9], "omega": [0.3, -0.5, 0.4]}
POINTS = [[0.8, 0.1, 0.0], [-0.5, 0.6, 0.2], [0.1, -0.7, 0.4]]


def final(body: Any, method: Any = None) -> np.ndarray:
    run = ph.simulate(body.state(**START), step=0.02, steps=10, method=method or ph.LGVI())
    return np.concatenate([run.final.R.reshape(-1), run.final.Pi])


@kernel
def chosen(R: Any, k: Any) -> Any:
    """A kernel without a single formula."""
    return where(R[8] > 0.0, k * R[8], k * R[8] + R[8] * R[8])


@kernel
def traced(R: Any, k: Any) -> Any:
    return k * R[8] + k * k * R[1]


def controller(t: Any, R: Any, omega: Any, k: Any, goal: Any) -> Any:
    return -k * omega[0] + goal[0] * R[5], -k * omega[1] + goal[1] * R[6], goal[2] * R[1] + 0.1 * k * t


def written(k: float) -> Callable[..., Any]:
    """The controller with its numbers."""
    return lambda t, R, omega: (-k * omega[0] + 0.5 * R[5], -k * omega[1] + k * R[6], 0.1 * R[1] + 0.1 * k * t)


KINDS: dict[str, tuple[Callable[[float], Any], Callable[[float], Any]]] = {
    "potential, text": (
        lambda k: ph.AttitudeBody(J, potential="k*R33 + c*R12**2", parameters={"c": 0.5, "k": k}),
        lambda k: ph.AttitudeBody(J, potential=f"{k}*R33 + 0.5*R12**2"),
    ),
    "potential, kernel with a formula": (
        lambda k: ph.AttitudeBody(J, potential=traced, parameters={"k": k}),
        lambda k: ph.AttitudeBody(J, potential=f"{k}*R33 + {k * k}*R12"),
    ),
    "potential, kernel that chooses": (
        lambda k: ph.AttitudeBody(J, potential=chosen, parameters={"k": k}),
        lambda k: ph.AttitudeBody(J, potential=f"Piecewise(({k}*R33, R33 > 0), ({k}*R33 + R33**2, True))"),
    ),
    "linear": (
        lambda k: ph.AttitudeBody(J, linear=["k*R13", "0.2", "R12/k"], parameters={"k": k}),
        lambda k: ph.AttitudeBody(J, linear=[f"{k}*R13", "0.2", f"R12/{k}"]),
    ),
    "moment, formulas": (
        lambda k: ph.AttitudeBody(
            J, moment=["-k*omega1 + R23/2", "-k*omega2 + k*R31", "R12/10 + k*t/10"], parameters={"k": k}
        ),
        lambda k: ph.AttitudeBody(J, moment=written(k)),
    ),
    "moment, function": (
        lambda k: ph.AttitudeBody(J, moment=controller, parameters={"k": k, "goal": [0.5, k, 0.1]}),
        lambda k: ph.AttitudeBody(J, moment=written(k)),
    ),
    "torque and rho": (
        lambda k: ph.Gyrostat(
            J, torque=lambda t, k: (k * t, 0.0, 0.0), rho=["a*t", "0", "k"], parameters={"a": 0.3, "k": k}
        ),
        lambda k: ph.Gyrostat(J, torque=lambda t: (k * t, 0.0, 0.0), rho=lambda t: (0.3 * t, 0.0, k)),
    ),
    "rotor_torque": (
        lambda k: ph.DampedGyrostat(J, 0.2, 0.1, rotor_torque=["k*omega2", "0", "k"], parameters={"k": k}),
        lambda k: ph.DampedGyrostat(J, 0.2, 0.1, rotor_torque=lambda t, R, omega: (k * omega[1], 0.0, k)),
    ),
    "field": (
        lambda k: ph.FieldBody([1, 1, 2], POINTS, [[3, 9, 0, 0]], potential="k*x**2*y", parameters={"k": k}),
        lambda k: ph.FieldBody([1, 1, 2], POINTS, [[3, 9, 0, 0]], potential=f"{k}*x**2*y"),
    ),
    "charges": (
        lambda k: ph.ChargedPoints(
            J, [1, -1, 2], POINTS, electric="k*x*z", magnetic=["0", "k*x*z", "0"], parameters={"k": k}
        ),
        lambda k: ph.ChargedPoints(J, [1, -1, 2], POINTS, electric=f"{k}*x*z", magnetic=["0", f"{k}*x*z", "0"]),
    ),
}


@pytest.mark.parametrize("name", later(KINDS, lambda name: not name.startswith("moment")))
def test_parameters_are_the_numbers_written_in_and_are_not_compiled(name: str) -> None:
    named, plain = KINDS[name]
    first = final(named(0.7))
    with compilations() as compiled:
        second = final(named(1.3))
    assert compiled == []
    np.testing.assert_allclose(first, final(plain(0.7)), atol=1e-13)
    np.testing.assert_allclose(second, final(plain(1.3)), atol=1e-13)
    assert np.abs(first - second).max() > 1e-3


@pytest.mark.verify
def test_directors_take_parameters() -> None:
    def body(k: float) -> Any:
        return ph.DirectorBody(J, moment=["k", "0", "k*t"], parameters={"k": k})

    final(body(0.2), ph.EnergyMomentum())
    with compilations() as compiled:
        found = final(body(0.7), ph.EnergyMomentum())
    assert compiled == []
    expected = final(ph.DirectorBody(J, moment=lambda t, R, omega: (0.7, 0.0, 0.7 * t)), ph.EnergyMomentum())
    np.testing.assert_allclose(found, expected, atol=1e-13)


@pytest.mark.verify
@pytest.mark.parametrize(
    ("named", "plain"),
    [
        ({"potential": "-k*cos(theta)", "torque": "c*sin(t) - k*omega"}, {"torque": "0.3*sin(t) - 2*omega"}),
        ({"potential": lambda theta, k: -k * cos(theta)}, {}),
        ({"potential": "-k*cos(theta)", "torque": lambda t, theta, omega, c: c * theta * omega}, None),
    ],
    ids=["formulas", "function", "torque"],
)
def test_planar_bodies_take_parameters(named: dict[str, Any], plain: dict[str, Any] | None) -> None:
    """The same as with the numbers written in, tangent map and all; another number compiles nothing."""
    drag = {"torque": lambda t, theta, omega: 0.3 * theta * omega} if plain is None else plain

    def run(k: float, c: float, **given: Any) -> tuple[np.ndarray, np.ndarray]:
        numbers = {"k": k, "c": c} if "torque" in given else {"k": k}
        body = ph.PlanarBody(1.3, [0.2], sine_harmonics=[0.1, 0.4], parameters=numbers, **given)
        end = ph.simulate(body.state(theta=0.9, omega=-0.7), step=0.05, steps=10, tangent=True)
        return np.array([*end.final.z, end.final.p]), end.tangent

    body = ph.PlanarBody(1.3, [0.2], sine_harmonics=[0.1, 0.4], potential="-2*cos(theta)", **drag)
    written = ph.simulate(body.state(theta=0.9, omega=-0.7), step=0.05, steps=10, tangent=True)
    end, tangent = run(2.0, 0.3, **named)
    np.testing.assert_allclose(end, [*written.final.z, written.final.p], atol=1e-14)
    np.testing.assert_allclose(tangent, written.tangent, atol=1e-13)
    with compilations() as compiled:
        other, _ = run(1.1, 0.5, **named)
    assert compiled == []
    assert abs(other - end).max() > 1e-3


def relativistic(R: Any, omega: Any, k: Any, c: Any) -> Any:
    return 0.5 * (omega @ omega) + k * omega[2] ** 4 - c * R[2, 2]


@pytest.mark.verify
@pytest.mark.parametrize(
    "named",
    [{"lagrangian": "0.5*(omega1**2 + omega2**2 + omega3**2) + k*omega3**4 - c*R33"}, {"lagrangian": relativistic}],
    ids=["formula", "function"],
)
def test_general_bodies_take_parameters(named: dict[str, Any]) -> None:
    """The same as with the numbers written in, tangent map and all; another number compiles nothing."""

    def run(**given: Any) -> Any:
        return ph.simulate(ph.systems.GeneralBody(**given).state(**START), step=0.05, steps=5, tangent=True)

    written = run(lagrangian="0.5*(omega1**2 + omega2**2 + omega3**2) + 0.1*omega3**4 - 0.7*R33")
    found = run(parameters={"k": 0.1, "c": 0.7}, **named)
    np.testing.assert_allclose(found.final.Pi, written.final.Pi, atol=1e-14)
    np.testing.assert_allclose(found.tangent, written.tangent, atol=1e-12)
    drift = [float(np.ptp(traj.invariants()["energy"])) for traj in (found, written)]
    assert drift[0] == pytest.approx(drift[1], rel=1e-6)
    with compilations() as compiled:
        other = run(parameters={"k": 0.2, "c": 0.5}, **named)
    assert compiled == []
    assert abs(other.final.Pi - found.final.Pi).max() > 1e-3
    again = ph.systems.GeneralBody(**other.system.describe())
    np.testing.assert_array_equal(again.state(**START).Pi, other.system.state(**START).Pi)


@pytest.mark.verify
def test_coupled_bodies_and_perturbations_take_parameters() -> None:
    def pair(**given: Any) -> np.ndarray:
        body = ph.CoupledBodies([J, [2, 1.5, 1]], **given)
        start = body.state(omega=[[0.3, 0.1, -0.2], [0.0, 0.2, 0.1]])
        assert "spatial_momentum" in body.conserved
        return np.asarray(ph.simulate(start, step=0.02, steps=10).final.Pi)

    def problem(k: float, **given: Any) -> np.ndarray:
        body = PointMasses([1.0, 1.0, 1.0], POINTS, recentre=True)
        system = ph.FullBodyProblem([body, body], gravity=2, perturbations=[ph.ExternalPotential(**given)])
        start = system.state(x=[[0, 0, 0], [6, 0, 0]], v=[[0, -0.2, 0], [0, 0.2, 0]])
        return np.asarray(ph.simulate(start, step=0.02, steps=5).final.x)

    trace = " + ".join(f"R1_{i}{j}*R2_{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3))
    np.testing.assert_allclose(
        pair(potential=f"-k*({trace})", parameters={"k": 0.7}), pair(couplings=[[0, 1, 0.7]]), atol=1e-14
    )
    first = problem(0.5, potential="k*(x**2 + R33*z)", parameters={"k": 0.5})
    with compilations() as compiled:
        second = problem(0.8, potential="k*(x**2 + R33*z)", parameters={"k": 0.8})
    assert compiled == []
    np.testing.assert_allclose(first, problem(0.5, potential="0.5*(x**2 + R33*z)"), atol=1e-14)
    np.testing.assert_allclose(second, problem(0.8, potential="0.8*(x**2 + R33*z)"), atol=1e-14)


@pytest.mark.verify
def test_distant_bodies_move_by_formulas_with_parameters() -> None:
    place = ["a*cos(w*t)", "a*sin(w*t)", "0"]
    moon = ph.DistantBody(2.0, place, parameters={"a": 20.0, "w": 0.3})
    np.testing.assert_allclose(moon.at(0.5), [20 * np.cos(0.15), 20 * np.sin(0.15), 0.0], atol=1e-13)
    body = PointMasses([1.0, 1.0, 1.0], POINTS, recentre=True)

    def run(moon: Any) -> Any:
        system = ph.FullBodyProblem([body, body], gravity=2, perturbations=[moon])
        start = system.state(x=[[0, 0, 0], [6, 0, 0]], v=[[0, -0.2, 0], [0, 0.2, 0]])
        return ph.simulate(start, step=0.02, steps=5).final.x

    plain = ph.DistantBody(2.0, ["20*cos(3*t/10)", "20*sin(3*t/10)", "0"])
    np.testing.assert_allclose(run(moon), run(plain), atol=1e-13)


def test_every_lane_has_its_own_value() -> None:
    """The parameters of lanes hold one value per member, as those of the inertia do."""
    kind, values = lanes(4), [0.3, 0.6, 0.9, 1.2]
    for potential in ("k*R33 + R12**2", chosen):
        bodies = [ph.AttitudeBody(J, potential=potential, parameters={"k": k}) for k in values]
        start = Start.of(bodies[0].state(**START), 0.02, kind=kind)
        run: Any = ph.LGVI().run(
            replace(start, p=np.stack([body.parameters() for body in bodies], axis=-1).reshape(-1))
        )
        run.advance(0, 10, 100, np.empty((0, run.carried)))
        ends = run.sample.reshape(-1, 4)[:12]
        for lane, body in enumerate(bodies):
            np.testing.assert_allclose(ends[:, lane], final(body), atol=1e-14)


@pytest.mark.verify
def test_duals_differentiate_by_named_parameters() -> None:
    """A formula, and a kernel that has none, whose moment is differentiated numerically: against differences of runs."""
    kind, h = parameter_duals(4), 1e-4
    for potential in ("k*R33 + R12**2", chosen):
        body, ahead, behind = (
            ph.AttitudeBody(J, potential=potential, parameters={"k": k}) for k in (0.7, 0.7 + h, 0.7 - h)
        )
        start = Start.of(body.state(**START), 0.02, kind=kind, directions=slice(0, 0))
        entries = np.zeros((body.parameters().size, 5))
        entries[:, 0] = body.parameters()
        entries[-1, 1] = 1.0  # by k
        run: Any = ph.LGVI().run(replace(start, p=entries.reshape(-1)))
        run.advance(0, 10, 100, np.empty((0, run.carried)))
        found = run.sample.reshape(-1, 5)[:12]
        np.testing.assert_allclose(found[:, 0], final(body), atol=1e-14)
        np.testing.assert_allclose(found[:, 1], (final(ahead) - final(behind)) / (2 * h), atol=1e-8)


def test_python_functions_take_parameters() -> None:
    def weight(R: np.ndarray, k: float) -> float:
        return float(k * R[2, 2])

    with pytest.warns(UserWarning, match="slower"):
        first, second = (ph.AttitudeBody(J, potential=weight, parameters={"k": k}) for k in (0.7, 1.3))
    final(first)
    with compilations() as compiled:
        found = final(second)
    assert compiled == []
    np.testing.assert_allclose(found, final(ph.AttitudeBody(J, potential="1.3*R33")), atol=1e-12)


def test_equal_functions_are_compiled_once_and_others_are_not() -> None:
    """The same code with other constants, or another value of a global name, is another function."""

    def push(size: float) -> Any:
        return ph.AttitudeBody(J, moment=lambda t, R, omega: (size, 0.0, 0.0))

    def known(size: float) -> np.ndarray:
        return final(ph.AttitudeBody(J, moment=["k", "0", "0"], parameters={"k": size}))

    one = final(push(0.2))
    with compilations() as compiled:
        np.testing.assert_array_equal(final(push(0.2)), one)
    assert compiled == []
    np.testing.assert_allclose(final(push(0.4)), known(0.4), atol=1e-14)
    space: dict[str, Any] = {"SIZE": 1.0}
    exec("def push(t, R, omega):\n    return SIZE, 0.0, 0.0", space)
    before = UserFunction(space["push"])
    first = final(ph.AttitudeBody(J, moment=space["push"]))
    space["SIZE"] = 2.0
    assert UserFunction(space["push"]) != before
    second = final(ph.AttitudeBody(J, moment=space["push"]))
    np.testing.assert_allclose(first, known(1.0), atol=1e-14)
    np.testing.assert_allclose(second, known(2.0), atol=1e-14)


SCENARIO = """
[system]
type = "AttitudeBody"
inertia = [1.0, 2.0, 2.5]
potential = "k*R33"
moment = ["-c*omega1", "-c*omega2", 0]
[system.parameters]
k = 0.7
c = 0.1
[state]
omega = [0.3, -0.5, 0.4]
[run]
step = 0.02
steps = 10
"""


def test_scenarios_and_files_hold_parameters(tmp_path: Path) -> None:
    plan = build_plan(scenario_from_text("body.toml", SCENARIO, ["system.parameters.k=1.3"]))
    assert plan.system.describe()["parameters"] == {"k": 1.3, "c": 0.1}
    run = plan.run()
    direct = ph.AttitudeBody(J, "1.3*R33", ["-omega1/10", "-omega2/10", "0"]).state(omega=[0.3, -0.5, 0.4])
    np.testing.assert_allclose(run.final.R, ph.simulate(direct, step=0.02, steps=10).final.R, atol=1e-14)
    run.save(tmp_path / "run.nc")
    again = ph.load(tmp_path / "run.nc")
    assert again.system.describe() == run.system.describe()
    np.testing.assert_array_equal(
        ph.simulate(again.final, step=0.02, steps=5).final.R, ph.simulate(run.final, step=0.02, steps=5).final.R
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"potential": "k*R33"}, "k is not among them: give it a value in parameters"),
        ({"potential": 3 * symbols()[0, 1] * sympy.Symbol("k")}, "not k: give it a value in parameters"),
        (
            {"potential": "R33", "parameters": {"k": 1.0}},
            "parameters.k = 1.0: no formula and no function uses this name",
        ),
        ({"potential": "k*R33", "parameters": {"K": 1.0}}, "R11 … R33 and the parameters K"),
        ({"potential": "k*R33", "parameters": {"k": "2*R11"}}, "parameters.k"),
        ({"potential": "k*R33", "parameters": {"k": [1.0, 2.0]}}, "parameters.k is a list"),
        ({"potential": "k*R33", "parameters": {"k": float("nan")}}, "parameters.k = nan"),
        (
            {"potential": "R33", "parameters": {"R11": 1.5}},
            "parameters.R11 = 1.5: R11 has a meaning in potential already: choose another name",
        ),
        ({"potential": "R33", "parameters": {"lambda": 1.0}}, "choose another name"),
        ({"potential": "R33", "parameters": {"get": 1.0}}, "choose another name"),
        ({"potential": "R33", "parameters": {"pi": 1.0}}, "'pi' has a meaning in formulas already"),
        ({"potential": "R33", "parameters": {"Heaviside": 1.0}}, "'Heaviside' has a meaning in formulas already"),
        ({"potential": "R33", "parameters": {"__import__": 1.0}}, "names of letters, digits"),
        ({"potential": "R33", "parameters": {"a b": 1.0}}, "names of letters, digits"),
        ({"potential": "R33", "parameters": [1.0]}, "a table of names"),
        ({"moment": controller, "parameters": {"k": 1.0}}, "a value for each further argument: goal"),
        ({"moment": lambda k, t: (k, t, 0.0), "parameters": {"k": 1.0}}, "behind them its parameters"),
        ({"moment": ["k*omega1", "0"], "parameters": {"k": 1.0}}, "three formulas, not 2"),
    ],
)
def test_what_is_wrong_with_parameters_is_said(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ph.InvalidInputError) as caught:
        ph.AttitudeBody(J, **given)
    assert message in str(caught.value)


def test_a_name_that_formulas_make_for_themselves_is_free() -> None:
    """SymPy's names of common subexpressions, x0, x1 …, and the letters of the code are ordinary names here."""
    names = {"x0": 0.3, "x1": 0.4, "S": 0.5, "y": 0.6, "p": 0.7}
    text = "(x0*R33 + x1*R12)**2 + sin(x0*R33 + x1*R12) + S*R11 + y*R22 + p*R31"
    body = ph.AttitudeBody(J, potential=text, parameters=names)
    plain = "(0.3*R33 + 0.4*R12)**2 + sin(0.3*R33 + 0.4*R12) + 0.5*R11 + 0.6*R22 + 0.7*R31"
    np.testing.assert_allclose(final(body), final(ph.AttitudeBody(J, potential=plain)), atol=1e-14)
