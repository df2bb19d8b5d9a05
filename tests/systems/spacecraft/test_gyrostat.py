"""Gyrostats: inertia and momentum of the rotors, the discrete step, its order with every ρ and torque, and what is kept."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from mpmath import mp, mpf

import polhode as ph
from polhode.analysis import measured_order, symplectic_defect
from polhode.analysis.structure import difference_map, tangent_map
from polhode.scalars import cos, sin
from tests.tiers import later

from ...shared import golden
from . import discrete_equations as exact

OMEGA = [np.pi / 4, -np.pi / 5, np.pi / 6]
INERTIA = [[1.0, 0.1, -0.05], [0.1, 2.0, 0.2], [-0.05, 0.2, 2.5]]
EXAMPLE = ph.Gyrostat.example()


def spin(t):
    return 0.3 * math.sin(t), 0.2 * math.cos(2.0 * t), 0.1 * t


def thrust(t, R, omega):
    return 0.1 * sin(t), 0.05, -0.1 * cos(2.0 * t)


def feedback(t, R, omega):
    return -0.2 * omega[0] + 0.1 * sin(R[6]), 0.3 * R[6], -0.1 * omega[2] * omega[2]


def command(t, R, omega):
    return 0.5 * omega[0], 0.3 * cos(t), 0.2 * R[2] + 0.1 * omega[1]


PULSE = {"profile": "triangle", "coefficients": [0.4, 0.2, -0.3], "start": -5.0, "duration": 30.0}
CASES = {
    "constant rho": {"rho": [0.3, -0.2, 0.5]},
    "rho of time": {"rho": spin},
    "commanded by numbers": {"rotor_torque": PULSE},
    "commanded by a controller": {"rotor_torque": command, "rho": [0.1, 0.2, -0.1]},
    "constant torque": {"torque": [0.1, -0.2, 0.15], "rho": [0.3, -0.2, 0.5]},
    "torque fixed in space": {"torque": [0.1, -0.2, 0.15], "frame": "space", "rho": [0.3, -0.2, 0.5]},
    "torque of time": {"torque": thrust, "rho": [0.3, -0.2, 0.5]},
    "torque of state": {"torque": feedback, "rho": [0.3, -0.2, 0.5]},
    "everything of time": {"torque": thrust, "rho": spin},
    "torque and controller": {"torque": feedback, "rotor_torque": command},
    "fixed in space, and controller": {"torque": [0.1, -0.2, 0.15], "frame": "space", "rotor_torque": command},
}


def start(name: str) -> ph.State:
    return ph.Gyrostat(INERTIA, **CASES[name]).state(q=[0.1, -0.2, 0.3, 0.9], omega=[0.5, -0.4, 0.6], t=0.3)


def test_golden_states() -> None:
    """40-digit states of the free body and the gyrostat, rounded."""
    numbers = golden("quaternion")
    free = ph.FreeRigidBody([1, 2, 3])
    run = ph.simulate(free.state(q=[0, 0, 0, 1], omega=OMEGA), step=0.2, steps=1000, method=ph.QuaternionVI())
    for k, printed in numbers["free"]["vi"].items():
        np.testing.assert_allclose(run.q[int(k)], printed["q"], atol=1e-12)
        np.testing.assert_allclose(run.Pi[int(k)], printed["p"], atol=1e-12)
    body = ph.Gyrostat([1, 2, 3], rho=[0.1, -0.2, 0.3])
    for method in (ph.QuaternionVI(), ph.LGVI()):
        run = ph.simulate(body.state(q=[0, 0, 0, 1], omega=OMEGA), step=0.1, steps=100, method=method)
        printed = numbers["gyrostat"]["step100"]
        assert ph.quaternion.distance(run.q[-1], np.array(printed["q"])) < 1e-12
        np.testing.assert_allclose(run.Pi[-1], printed["p"], atol=1e-12)
        np.testing.assert_allclose(run.omega[-1], printed["omega"], atol=1e-12)
        np.testing.assert_allclose(run.Pi[1], numbers["gyrostat"]["step1"]["p"], atol=1e-14)
        spatial = run.invariants()["spatial_momentum"][-1]
        np.testing.assert_allclose(spatial, numbers["gyrostat"]["inertial_momentum"], atol=1e-13)


def test_without_rotors_it_is_the_free_body() -> None:
    free, body = ph.FreeRigidBody(INERTIA), ph.Gyrostat(INERTIA)
    runs = [ph.simulate(b.state(omega=OMEGA), step=0.2, steps=100, method=ph.QuaternionVI()) for b in (free, body)]
    np.testing.assert_allclose(runs[1].q, runs[0].q, atol=1e-14)
    np.testing.assert_allclose(runs[1].Pi, runs[0].Pi, atol=1e-14)


def test_inertia_and_momentum_of_rotors_made_of_points() -> None:
    """A wheel as a ring of point masses that turns about its axis: inertia and momentum as sums over points."""
    n, radius, mass, place, speed = 12, 0.3, 0.6, np.array([0.2, -0.1, 0.4]), 7.0
    axis = np.array([0.6, 0.0, 0.8])
    across = np.array([[0.8, 0.0, -0.6], [0.0, 1.0, 0.0]])
    angles = 2 * np.pi * np.arange(n) / n
    arms = radius * (np.cos(angles)[:, None] * across[0] + np.sin(angles)[:, None] * across[1])
    points = place + arms
    whole = np.sum(points**2) * np.eye(3) - points.T @ points
    ring = mass * radius**2
    wheel = ph.Rotor([ring, 0.5 * ring], mass, place, 3 * axis, speed)
    without_mass = {"inertia": 0.05, "position": [1.0, 2.0, 3.0], "axis": [0, 1, 0], "speed": -2.0}
    body = ph.Gyrostat(INERTIA, rotors=[wheel, without_mass])
    np.testing.assert_allclose(body.inertia.matrix, INERTIA + mass / n * whole + 0.05 * np.eye(3), atol=1e-14)
    momentum = mass / n * np.sum(np.cross(points, np.cross(speed * axis, arms)), axis=0)
    np.testing.assert_allclose(body.rho, momentum + [0.0, -0.1, 0.0], atol=1e-14)


REPEATED = {"rho of time", "torque of time", "torque of state", "torque and controller"}  # in parts of other cases


@pytest.mark.parametrize("name", later(CASES, lambda name: name in REPEATED))
def test_continuous_motion(name: str) -> None:
    """(46): I ω̇ + ω × (I ω + ρ) + ρ̇ = τ, with ω̇ and ρ̇ by differences."""
    state = start(name)
    body, h = state.system, 1e-3
    ahead, behind = (ph.simulate(state, step=s * h, steps=1, method=ph.DOP853()).final for s in (1, -1))
    rate, spun = ((a - b) / (2 * h) for a, b in ((ahead.omega, behind.omega), (ahead.rho, behind.rho)))
    J, w = body.inertia.matrix, state.omega
    torque = CASES[name].get("torque")
    expected = np.zeros(3) if torque is None else torque
    if callable(torque):
        expected = np.array(torque(state.t, tuple(state.R.reshape(-1)), tuple(w)), dtype=float)
    if CASES[name].get("frame") == "space":
        expected = state.R.T @ expected
    np.testing.assert_allclose(J @ rate + np.cross(w, J @ w + state.rho) + spun, expected, atol=1e-5)


@pytest.mark.parametrize("name", later(CASES, lambda name: name in REPEATED))
def test_order(name: str) -> None:
    state = start(name)
    for method in (ph.QuaternionVI(), ph.LGVI(), ph.LGVI(order=4)):
        np.testing.assert_allclose(measured_order(state, method, 4.0).orders, method.order, atol=0.1)


@pytest.mark.parametrize("name", ["constant rho", "rho of time", "commanded by a controller"])
@pytest.mark.parametrize("method", [ph.QuaternionVI(), ph.LGVI()], ids=repr)
def test_momentum_over_many_steps(name: str, method: ph.methods.Method) -> None:
    """Whatever the rotors do, body and rotors together keep their momentum."""
    state = start(name)
    if name == "commanded by a controller":
        body = ph.Gyrostat(INERTIA, rotor_torque=lambda t, R, omega: (0.1 * omega[0], 0.1 * cos(t), 0.1 * omega[2]))
        state = body.state(omega=[0.5, -0.4, 0.6])
    if name == "rho of time":
        body = ph.Gyrostat(INERTIA, rho=lambda t: (math.sin(t), 0.2, math.cos(0.3 * t)))
        state = body.state(omega=[0.5, -0.4, 0.6])
    run = ph.simulate(state, step=0.05, steps=100_000, save_every=1000, method=method)
    assert run.drift()["spatial_momentum"] < 1e-12


def test_energy_oscillates_with_the_square_of_the_step() -> None:
    body = ph.Gyrostat([1, 2, 3], rho=[0.1, -0.2, 0.3])
    drifts = [ph.simulate(body.state(omega=OMEGA), step=h, t_end=200.0).drift()["energy"] for h in (0.1, 0.05, 0.025)]
    np.testing.assert_allclose(np.log2(np.array(drifts[:-1]) / drifts[1:]), 2.0, atol=0.1)


def test_symplectic_with_a_rotor_that_is_driven() -> None:
    assert symplectic_defect(start("rho of time"), ph.QuaternionVI(), 0.1) < 1e-13


def test_restart_with_a_clock() -> None:
    """A state knows its own ρ: two halves of a run are the whole."""
    state = start("rho of time")
    whole = ph.simulate(state, step=0.05, steps=40)
    half = ph.simulate(state, step=0.05, steps=20).final
    np.testing.assert_allclose(half.rho, spin(1.3), atol=1e-14)
    again = ph.simulate(half, step=0.05, steps=20)
    np.testing.assert_allclose(again.final.Pi, whole.final.Pi, atol=1e-14)


@pytest.mark.parametrize("name", later(["constant rho", "torque of state"], lambda name: name == "torque of state"))
def test_tangent_against_forty_digits(name: str) -> None:
    state = start(name)
    body, h, steps = state.system, "0.1", 2
    rho = exact.vector(body.rho.tolist())
    with mp.workdps(40):
        J = mpmath.matrix([[mpf(str(x)) for x in row] for row in INERTIA])

        def torque(node, R, w):
            entries = [R[i, j] for i in range(3) for j in range(3)]
            return mpmath.matrix(
                [
                    -mpf("0.2") * w[0] + mpf("0.1") * mpmath.sin(entries[6]),
                    mpf("0.3") * entries[6],
                    -mpf("0.1") * w[2] ** 2,
                ]
            )

        q0, p0 = (mpmath.matrix([mpf(float(x)) for x in v]) for v in (state.q, state.Pi))

        def end(x):
            q, p = exact.turned(q0, x[:3]), p0 + x[3:]
            for _ in range(steps):
                q, p, _ = exact.step(J, q, p, mpf(h), rho, torque if name == "torque of state" else None)
            return q, p

        expected = exact.tangent(end, 6)
    for method in (ph.QuaternionVI(), ph.LGVI()):
        found = ph.simulate(state, step=0.1, steps=steps, method=method, tangent=True).tangent[-1]
        np.testing.assert_allclose(found, expected, atol=1e-10)
        if name == "constant rho":
            assert np.linalg.det(found) == pytest.approx(1.0, abs=1e-13)


DIFFERENCED = "torque fixed in space", "commanded by numbers", "everything of time", "fixed in space, and controller"


@pytest.mark.parametrize("name", later(DIFFERENCED, lambda name: name != DIFFERENCED[0]))
def test_tangent_against_difference_map(name: str) -> None:
    found = tangent_map(start(name), ph.QuaternionVI(), 0.05, 3)
    np.testing.assert_allclose(found, difference_map(start(name), ph.QuaternionVI(), 0.05, 3), atol=1e-11)


def test_tangent_is_the_closed_form() -> None:
    """(50), (69) and the attitude's rows: Φ of a step in (δθ, δΠ) from its own φ."""
    h, J = 0.2, np.array(INERTIA)
    body = ph.Gyrostat(INERTIA, rho=[0.3, -0.2, 0.5])
    state = body.state(q=[0, 0, 0, 1], omega=OMEGA)
    run = ph.simulate(state, step=h, steps=1, method=ph.QuaternionVI(), tangent=True)
    phi, s = run.q[1][:3], run.q[1][3]
    M, S = J @ phi + 0.5 * h * body.rho, ph.so3.hat(phi)
    common = s * J - np.outer(M, phi) / s
    before, after = (2 / h * (common + sign * (S @ J - ph.so3.hat(M))) for sign in (1, -1))
    attitude = 2 * (s * np.eye(3) - S + np.outer(phi, phi) / s) @ np.linalg.inv(before)
    expected = np.block([[run.R[1].T, attitude], [np.zeros((3, 3)), after @ np.linalg.inv(before)]])
    np.testing.assert_allclose(run.tangent[-1], expected, atol=1e-13)


@pytest.mark.parametrize("rho", [[0.0, 0.0, 0.0], [0.1, -0.2, 0.3], [-2.0, 1.0, 3.0]])
def test_the_error_names_the_largest_step(rho: list[float]) -> None:
    body = ph.Gyrostat([1, 2, 3], rho=rho)
    state = body.state(omega=OMEGA)
    largest = body.largest_step(state)
    if not any(rho):
        assert largest == pytest.approx(0.99423, abs=1e-5)
    ph.simulate(state, step=0.9999 * largest, steps=1)
    with pytest.raises(ph.ConvergenceError, match=f"largest usable step from this state is {largest:.4g}"[:-1]):
        ph.simulate(state, step=1.0001 * largest, steps=1)


def test_a_strong_rotor_leaves_no_largest_step() -> None:
    """The body precesses slowly about the momentum: no step turns it far."""
    body = ph.Gyrostat([1, 2, 3], rho=[0.0, 0.0, -40.0])
    state = body.state(omega=OMEGA)
    assert body.largest_step(state) == np.inf
    assert ph.simulate(state, step=7.0, steps=10).drift()["spatial_momentum"] < 1e-12


def test_a_strong_rotor_and_a_tiny_rate() -> None:
    body = ph.Gyrostat([1, 2, 3], rho=[0.0, 0.0, 100.0])
    state = body.state(omega=[1e-9, 2e-9, -1e-9])
    run = ph.simulate(state, step=0.01, steps=1000)
    assert run.drift()["energy"] < 1e-3 * run.invariants()["energy"][0]


def test_steady_spins() -> None:
    """ω × (I ω + ρ) = 0 with the wanted momentum; the verdicts are those of a dual-spin satellite."""
    for rho in ([0.0, 0.0, 1.5], [0.3, 0.2, 0.5], [0.0, 0.0, 0.0]):
        body = ph.Gyrostat([1.0, 2.0, 2.5], rho=rho)
        spins = body.steady_spins(4.0)
        for spin in spins:
            np.testing.assert_allclose(np.cross(spin.omega, spin.Pi), 0.0, atol=1e-12)
            assert np.linalg.norm(spin.Pi) == pytest.approx(4.0, rel=1e-12)
        assert len(spins) == (6 if not any(rho) else 4)
    labels = {e.label: ph.linearize(e).verdict for e in body.steady_spins(4.0)}
    assert sorted(labels.values()) == ["stable"] * 4 + ["unstable"] * 2
    # a minor-axis spin is stable; a rotor along the middle axis makes that one stable too
    body = ph.Gyrostat([1.0, 2.0, 2.5], rho=[0.0, 3.5, 0.0])
    along = [e for e in body.steady_spins(4.0) if e.omega[1] == pytest.approx(0.25)]
    assert [ph.linearize(e).verdict for e in along] == ["stable"]
    assert body.equilibria()[0].omega == pytest.approx([0, 0, 0])


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"rho": [1, 2]}, "rho"),
        ({"rho": lambda t: (t, t)}, "rho"),
        ({"rho": lambda t: t.nothing}, "rho"),
        ({"torque": [1, 2]}, "torque"),
        ({"torque": {"profile": "sawtooth", "coefficients": [1, 2, 3]}}, "torque.profile"),
        ({"rotor_torque": "fast"}, "rotor_torque"),
        ({"rho": spin, "rotor_torque": [0, 0, 1]}, "rotor_torque"),
        ({"rotors": [{"mass": 1.0}]}, "rotors[0]"),
        ({"rotors": [{"inertia": [0.1, 0.2, 0.3]}]}, "rotors[0].inertia"),
        ({"rotors": [{"inertia": 0.1, "axis": [0, 0, 0]}]}, "rotors[0].axis"),
        ({"rotors": [{"inertia": 0.1, "mass": -1.0}]}, "rotors[0].mass"),
        ({"rotors": [{"inertia": 0.1, "speed": 1.0}], "rho": [0, 0, 1]}, "rho"),
        ({"rotors": 3}, "rotors"),
        ({"rotors": [{"inertia": [0.3, 0.1]}]}, "rotors[0].inertia"),
        ({"rotors": [{"inertia": 0.1, "speed": math.sin}]}, "rotors[0].speed"),
        ({"torque": lambda t, R: (t, t, t)}, "torque"),
    ],
)
def test_bad_input_is_named(arguments: dict, field: str) -> None:
    with pytest.raises(ph.InvalidInputError) as caught:
        ph.Gyrostat([1, 2, 3], **arguments)
    assert caught.value.field == field


def test_a_rho_that_is_not_finite_is_no_missing_solution() -> None:
    body = ph.Gyrostat([1, 2, 3], rho=lambda t: (math.sqrt(0.5 - t), 0.0, 0.0))
    for method in (ph.LGVI(), ph.QuaternionVI()):
        with pytest.raises(ph.ConvergenceError) as caught:
            ph.simulate(body.state(omega=[0.1, 0.2, 0.3]), step=0.1, steps=30, method=method)
        assert "no solution" not in str(caught.value)
        assert len(caught.value.trajectory) == 6
    with pytest.raises(ph.InvalidInputError, match="rho"):
        body.state(t=1.0)


def test_a_torque_of_time_alone() -> None:
    bodies = [
        ph.Gyrostat([1, 2, 3], torque=f) for f in (lambda t: (sin(t), 0.1, 0.0), lambda t, R, w: (sin(t), 0.1, 0.0))
    ]
    runs = [ph.simulate(b.state(omega=OMEGA), step=0.1, steps=5, tangent=True) for b in bodies]
    np.testing.assert_array_equal(runs[0].Pi, runs[1].Pi)
    np.testing.assert_array_equal(runs[0].tangent, runs[1].tangent)


def test_other_names_in_a_state() -> None:
    body = ph.Gyrostat([1, 2, 3], rho=[0.1, 0.2, 0.3])
    np.testing.assert_array_equal(body.state(p=[1, 2, 3]).Pi, [1, 2, 3])
    np.testing.assert_array_equal(body.state(q_wxyz=[0.5, 0.1, 0.7, 0.5]).q, body.state(q=[0.1, 0.7, 0.5, 0.5]).q)
    for twice, field in (
        ({"p": [1, 2, 3], "Pi": [1, 2, 3]}, "p"),
        ({"q": [0, 0, 0, 1], "q_wxyz": [1, 0, 0, 0]}, "q_wxyz"),
    ):
        with pytest.raises(ph.InvalidInputError, match="not both") as caught:
            body.state(**twice)
        assert caught.value.field == field


def test_functions_are_given_anew_to_a_file(tmp_path) -> None:
    for name in ("rho of time", "commanded by a controller", "torque of state"):
        state, file = start(name), tmp_path / f"{name}.nc"
        run = ph.simulate(state, step=0.1, steps=5)
        run.save(file)
        with pytest.raises(ph.InvalidInputError, match=r"load\(path, system=\.\.\.\)"):
            ph.load(file)
        again = ph.load(file, system=state.system)
        np.testing.assert_array_equal(again.omega, run.omega)
        np.testing.assert_array_equal(ph.resume(again, steps=2).Pi, ph.resume(run, steps=2).Pi)
        with pytest.raises(ph.InvalidInputError, match="inertia"):
            ph.load(file, system=ph.Gyrostat([1, 2, 3], **CASES[name]))


def test_states_that_cannot_be() -> None:
    with pytest.raises(ph.InvalidInputError, match="rho"):
        EXAMPLE.system.state(rho=[0, 0, 1])
    with pytest.raises(ph.InvalidInputError, match="not both"):
        EXAMPLE.system.state(omega=[0, 0, 1], Pi=[0, 0, 1])
    with pytest.raises(ph.InvalidInputError, match="constant rho"):
        start("rho of time").system.steady_spins(1.0)


def test_described_by_plain_data(tmp_path) -> None:
    for state in (EXAMPLE, start("constant torque"), start("commanded by numbers")):
        again = type(state.system)(**state.system.describe())
        np.testing.assert_array_equal(again.parameters(), state.system.parameters())
        np.testing.assert_array_equal(again.rho, state.system.rho)
        run = ph.simulate(state, step=0.1, steps=5)
        run.save(tmp_path / "run.nc")
        np.testing.assert_array_equal(ph.load(tmp_path / "run.nc").omega, run.omega)


@pytest.mark.parametrize("frame", ["body", "space"])
def test_formulas_that_are_parameters_are_numbers(frame: str) -> None:
    """The same motion, and nothing is compiled for them, as what a controller commands."""
    values = {"a": 0.1, "b": -0.2}
    numbers = ph.Gyrostat(INERTIA, torque=[0.1, -0.2, 0.3], frame=frame, rotor_torque=[-0.2, 0.0, 0.1])
    named = ph.Gyrostat(INERTIA, torque=["a", "b", 0.3], frame=frame, rotor_torque=["b", 0, "a"], parameters=values)
    given = {"q": [0.1, -0.2, 0.3, 0.9], "omega": [0.5, -0.4, 0.6]}
    runs = [ph.simulate(body.state(**given), step=0.1, steps=5) for body in (numbers, named)]
    np.testing.assert_array_equal(runs[0].Pi, runs[1].Pi)
    assert named.representations["default"].force is numbers.representations["default"].force
    assert named.describe()["torque"] == ["a", "b", "0.3"]
