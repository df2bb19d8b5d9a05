"""Any potential, any moment, any term linear in the rate: each against a system that was written by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.analysis import symmetry_defect, symplectic_defect, tangent_map
from polhode.estimation import Stepped
from polhode.scalars import kernel, sin
from polhode.systems import symbols
from tests.tiers import later

JCM, RHO0, G = [0.13, 0.28, 0.17], np.array([0.02, -0.05, -0.3]), 9.81
PENDULUM = ph.Pendulum3D(JCM, mass=1.0, rho0=RHO0, g=G)
VALUES = {"q": [0.4, 0.2, 0.1, 0.9], "omega": [1.0, 2.0, 0.5]}
TIGHT = ph.DOP853(rtol=1e-13, atol=1e-15)
TEXT = "-9.81*(0.02*R31 - 0.05*R32 - 0.3*R33)"


@kernel
def weight(R):  # type: ignore[no-untyped-def]
    return -9.81 * (0.02 * R[6] - 0.05 * R[7] - 0.3 * R[8])


def symbolic() -> object:
    R = symbols()
    return -G * sum(R[2, j] * RHO0[j] for j in range(3))


def python_weight(R: np.ndarray) -> float:
    return float(-G * R[2] @ RHO0)


@pytest.fixture(params=["kernel", "SymPy", "text", "Python"])
def body(request: pytest.FixtureRequest) -> ph.AttitudeBody:
    given = {"kernel": weight, "SymPy": symbolic(), "text": TEXT, "Python": python_weight}[request.param]
    if request.param == "Python":
        with pytest.warns(UserWarning, match="slower"):
            return ph.AttitudeBody(PENDULUM.inertia.matrix, potential=given)
    return ph.AttitudeBody(PENDULUM.inertia.matrix, potential=given)


def test_every_kind_of_potential_is_the_pendulum(body: ph.AttitudeBody) -> None:
    x, y = body.state(**VALUES), PENDULUM.state(**VALUES)
    for method in (ph.LGVI(), ph.LGVI(order=4, form="lagrangian")):
        one = ph.simulate(x, step=0.01, steps=50, method=method).final
        two = ph.simulate(y, step=0.01, steps=50, method=method).final
        np.testing.assert_allclose(one.R, two.R, atol=2e-12)
        np.testing.assert_allclose(one.Pi, two.Pi, atol=2e-12)
    assert float(x.invariants()["energy"]) == pytest.approx(float(y.invariants()["energy"]), abs=1e-12)
    # the tangent map: exact for formulas, by differences of order 8 of the moments otherwise
    maps = [tangent_map(s, ph.LGVI(), 0.01, 5) for s in (x, y)]
    np.testing.assert_allclose(maps[0], maps[1], atol=1e-10)
    assert symplectic_defect(x, ph.LGVI(), 0.01, steps=5) < 1e-10


def test_lanes_run_the_same_formulas() -> None:
    from polhode.methods.loops import DriftKickRun
    from polhode.scalars import lanes

    kind = lanes(4)
    for potential in (TEXT, weight):
        system = ph.AttitudeBody(PENDULUM.inertia.matrix, potential=potential)
        state = system.state(**VALUES)
        run = ph.LGVI().start(state, 0.01, kind)
        assert isinstance(run, DriftKickRun)
        run.advance(0, 20, 100, np.empty((0, run.carried)))
        alone = ph.simulate(state, step=0.01, steps=20).final
        lane = run.sample.reshape(-1, 4)[:12, 2]
        np.testing.assert_array_equal(lane, np.concatenate([alone.R.reshape(-1), alone.Pi]))


def test_velocity_dependent_moments() -> None:
    """−Dω as a moment function, against the damping matrix: the same flow, and a symmetric step of order 2 and 4."""

    @kernel
    def drag(t, R, omega):  # type: ignore[no-untyped-def]
        return -0.1 * omega[0], -0.2 * omega[1], -0.3 * omega[2]

    inertia = [1.0, 2.0, 2.5]
    forced = ph.AttitudeBody(inertia, moment=drag)
    damped = ph.AttitudeBody(inertia, damping=[0.1, 0.2, 0.3])
    state, other = forced.state(**VALUES), damped.state(**VALUES)
    exact = ph.simulate(state, step=2.0, steps=1, method=TIGHT).final
    np.testing.assert_allclose(ph.simulate(other, step=2.0, steps=1, method=TIGHT).final.R, exact.R, atol=1e-12)
    for order, steps in ((2, (40, 80)), (4, (20, 40))):
        errors = [
            np.abs(ph.simulate(state, step=2.0 / n, steps=n, method=ph.LGVI(order=order)).final.R - exact.R).max()
            for n in steps
        ]
        assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.2)
    assert symmetry_defect(state, ph.LGVI(), 0.05, steps=50) < 1e-13
    assert forced.conserved == damped.conserved == {}


def test_a_moment_of_time_in_the_inertial_frame() -> None:
    @kernel
    def push(t, R, omega):  # type: ignore[no-untyped-def]
        return 0.3 * sin(t), 0.0 * t, 0.1 * t

    body = ph.AttitudeBody([1.0, 2.0, 2.5], moment=push, frame="space")
    run = ph.simulate(body.state(**VALUES), step=0.5, t_end=2.0, method=TIGHT)
    momentum = np.einsum("nij,nj->ni", run.R, run.Pi)
    gained = np.stack([0.3 * (1 - np.cos(run.t)), 0 * run.t, 0.05 * run.t**2], axis=-1)
    np.testing.assert_allclose(momentum - momentum[0], gained, atol=1e-12)
    constant = ph.AttitudeBody([1, 2, 2.5], moment={"coefficients": [0.1, -0.2, 0.15]}, frame="space")
    ready = ph.ConstantSpaceMoment([1, 2, 2.5], moment=[0.1, -0.2, 0.15])
    x, y = (ph.simulate(s.state(**VALUES), step=0.02, steps=100).final for s in (constant, ready))
    np.testing.assert_allclose(x.R, y.R, atol=1e-13)


@pytest.mark.verify
def test_a_general_linear_term_is_a_magnetic_field() -> None:
    """A(R) = ½ J_Q RᵀB is the charged body: the same flow; its own discretisation is symplectic and symmetric too."""
    import sympy

    charged = ph.ChargedBody.example().system
    R = symbols()
    A = 0.5 * sympy.Matrix(charged.J_Q) * R.T * sympy.Matrix(charged.B)
    U = -(sympy.Matrix(charged.E).T * R * sympy.Matrix(charged.dipole))[0]
    body = ph.AttitudeBody(charged.inertia.matrix, potential=U, linear=list(A))
    state, other = body.state(**VALUES), charged.state(**VALUES)
    np.testing.assert_allclose(state.Pi, other.Pi, atol=1e-14)
    x, y = (ph.simulate(s, step=1.0, steps=2, method=TIGHT).final for s in (state, other))
    np.testing.assert_allclose(x.R, y.R, atol=1e-12)
    errors = [np.abs(ph.simulate(state, step=1 / n, t_end=2.0).final.R - x.R).max() for n in (40, 80)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.05)
    assert symplectic_defect(state, ph.LGVI(), 0.05, steps=2) < 1e-12
    assert symmetry_defect(state, ph.LGVI(), 0.05, steps=50) < 1e-13


def test_a_linear_term_and_a_moment_together() -> None:
    """A(R) = Q Rᵀb with U(R), a moment of time, attitude and rate, and damping: against the equations integrated by
    SciPy, with order 2 and 4 and a symmetric step."""
    import sympy
    from scipy.integrate import solve_ivp

    J, b, D = np.diag([1.0, 2.0, 2.5]), np.array([0.4, -0.3, 0.6]), np.diag([0.02, 0.05, 0.03])
    Q = np.array([[0.5, 0.2, -0.1], [0.0, 0.7, 0.3], [0.4, -0.2, 0.6]])

    @kernel
    def push(t, R, omega):  # type: ignore[no-untyped-def]
        return 0.3 * sin(2.0 * t) - 0.1 * omega[0] * omega[1], 0.2 * R[8] - 0.3 * omega[1], 0.1 * omega[0]

    R = symbols()
    linear = sympy.Matrix(Q) * R.T * sympy.Matrix(b)
    body = ph.AttitudeBody(J, potential="0.8*R33 + 0.3*R12", linear=linear, moment=push, damping=np.diag(D))
    state = body.state(**VALUES)

    def slope(t: float, y: np.ndarray) -> np.ndarray:
        R, Pi = y[:9].reshape(3, 3), y[9:]
        g = R.T @ b
        w = np.linalg.solve(J, Pi - Q @ g)
        tau = np.array([0.3 * np.sin(2.0 * t) - 0.1 * w[0] * w[1], 0.2 * R[2, 2] - 0.3 * w[1], 0.1 * w[0]])
        dU = np.zeros((3, 3))
        dU[2, 2], dU[0, 1] = 0.8, 0.3
        M = np.cross(R, dU).sum(axis=0)
        return np.concatenate([(R @ ph.so3.hat(w)).ravel(), np.cross(Pi, w) + np.cross(Q.T @ w, g) + M + tau - D @ w])

    start = np.concatenate([state.R.ravel(), J @ state.omega + Q @ state.R.T @ b])
    np.testing.assert_allclose(state.Pi, start[9:], atol=1e-14)
    end = solve_ivp(slope, (0.0, 2.0), start, method="DOP853", rtol=1e-13, atol=1e-15).y[:, -1]
    exact = ph.simulate(state, step=2.0, steps=1, method=TIGHT).final
    np.testing.assert_allclose(np.concatenate([exact.R.ravel(), exact.Pi]), end, atol=1e-11)
    for method, order, steps in ((ph.LGVI(), 2, (40, 80)), (ph.LGVI(order=4), 4, (40, 80))):
        finals = [ph.simulate(state, step=2.0 / n, steps=n, method=method).final for n in steps]
        errors = [np.abs(np.concatenate([x.R.ravel(), x.Pi]) - end).max() for x in finals]
        assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.2)
    assert symmetry_defect(state, ph.LGVI(), 0.05, steps=50) < 1e-13
    assert body.conserved == {}


def test_a_linear_term_as_a_vector() -> None:
    import sympy

    J, R, up = [1.0, 2.0, 2.5], symbols(), sympy.Matrix([0, 1, 0])
    S = sympy.MatrixSymbol("R", 3, 3)
    expected = ph.AttitudeBody(J, linear=["R21", "R22", "R23"]).describe()
    for given in (R.T * up, (R.T * up).T, S.T * up, np.array(list(R.T * up))):
        assert ph.AttitudeBody(J, linear=given).describe() == expected
    for wrong in (R, R[0, 0], "R11", 3.0, ["R11", "R12"]):
        with pytest.raises(ph.InvalidInputError, match="three expressions"):
            ph.AttitudeBody(J, linear=wrong)
    with pytest.raises(ph.InvalidInputError, match="gyro"):
        ph.AttitudeBody(J, linear=R.T * up, gyro=[0, 0, 1])
    pushed = ph.AttitudeBody(J, linear=R.T * up, moment=[0.1, 0.2, 0.3], frame="inertial")
    run = ph.simulate(pushed.state(**VALUES), step=0.01, t_end=1.0, method=TIGHT)
    # the Lagrangian does not change where all is turned about e₂: that momentum grows with the moment about it
    momentum = np.einsum("nij,nj->ni", run.R, run.Pi)[:, 1]
    np.testing.assert_allclose(momentum - momentum[0], 0.2 * run.t, atol=1e-12)


def test_a_constant_moment_and_the_names_of_frames() -> None:
    J = [1.0, 2.0, 2.5]
    ends = []
    for moment in ([0.1, -0.2, 0.15], np.array([0.1, -0.2, 0.15]), {"coefficients": [0.1, -0.2, 0.15]}):
        for frame in ("space", "inertial"):
            body = ph.AttitudeBody(J, moment=moment, frame=frame)
            assert body.describe()["frame"] == "space"
            ends.append(ph.simulate(body.state(**VALUES), step=0.02, steps=10).final.R)
    assert all(np.array_equal(R, ends[0]) for R in ends)
    carried = ph.AttitudeBody(J, moment=[0.1, -0.2, 0.15])
    assert not np.array_equal(ph.simulate(carried.state(**VALUES), step=0.02, steps=10).final.R, ends[0])
    assert ph.Gyrostat(J, torque=[0.1, 0, 0], frame="inertial").describe()["frame"] == "space"
    assert ph.DirectorBody(J, moment=[0.1, 0, 0], frame="inertial").describe()["frame"] == "space"
    for name, wrong in {"moment": [0.1, 0.2], "frame": "outer"}.items():
        with pytest.raises(ph.InvalidInputError) as caught:
            ph.AttitudeBody(J, **{"moment": [0.1, 0.2, 0.3], name: wrong})
        assert caught.value.field == name


@pytest.mark.parametrize("frame", later(["body", "inertial"], lambda frame: frame == "inertial"))
def test_the_tangent_where_a_component_of_the_moment_is_a_plain_number(frame: str) -> None:
    """A constant function against the same three numbers, which take another way."""
    J, numbers = [1.0, 2.0, 2.5], [0.1, 0.0, -0.2]
    one = ph.AttitudeBody(J, moment=lambda t, R, omega: (0.1, 0.0, -0.2), frame=frame).state(**VALUES)
    two = ph.AttitudeBody(J, moment=numbers, frame=frame).state(**VALUES)
    x, y = (tangent_map(state, ph.LGVI(), 0.1, 5) for state in (one, two))
    np.testing.assert_allclose(x, y, atol=1e-13)


@pytest.mark.parametrize("rotor", [{}, {"linear": ["0.3", "0", "R31*R32"]}], ids=["no rotor", "linear"])
def test_linearize_where_a_component_of_the_moment_is_a_plain_number(rotor: dict[str, Any]) -> None:
    J, potential = [1.0, 2.0, 2.5], "-0.8*R33 - 0.3*R11"
    one = ph.AttitudeBody(J, potential, moment=lambda t, R, omega: (-0.1 * omega[0], 0.0, 0.0), **rotor)
    two = ph.AttitudeBody(J, potential, damping=[0.1, 0.0, 0.0], gyro=[0.3, 0.0, 0.0] if rotor else None)
    np.testing.assert_allclose(ph.linearize(one.state()).matrix, ph.linearize(two.state()).matrix, atol=1e-13)


def test_the_tangent_where_a_component_of_the_moment_depends_on_time_only() -> None:
    """The mixed moment of the tutorial, against differences of the run."""

    @kernel
    def drive(t, R, omega):  # type: ignore[no-untyped-def]
        return 0.1 * sin(2.0 * t), 0.0, -0.2 * omega[2]

    body = ph.AttitudeBody([1.0, 2.0, 2.5], moment=drive)
    start, step, count, d = body.state(**VALUES), 0.1, 5, 1e-4

    def momentum(change: np.ndarray) -> np.ndarray:
        return ph.simulate(body.state(R=start.R, Pi=start.Pi + change), step=step, steps=count).final.Pi

    columns = [(momentum(d * e) - momentum(-d * e)) / (2.0 * d) for e in np.eye(3)]
    tangent = tangent_map(start, ph.LGVI(), step, count)
    np.testing.assert_allclose(tangent[3:, 3:], np.stack(columns, axis=-1), atol=1e-7)
    J = body.inertia.matrix
    _, phi = Stepped(substep=step)(start, step * count)  # the filter's, in rates
    np.testing.assert_allclose(J @ phi[3:, 3:], tangent[3:, 3:] @ J, atol=1e-13)


def test_a_moment_that_does_not_compile_says_what_it_gets() -> None:
    with pytest.raises(ph.InvalidInputError, match=r"nine entries of R row by row .*getitem"):
        ph.AttitudeBody([1, 2, 2.5], moment=lambda t, R, omega: (R[2, 2], 0.0, 0.0))
    with pytest.raises(ph.InvalidInputError, match=r"nine entries of R row by row .*returns .*array"):
        ph.AttitudeBody([1, 2, 2.5], moment=lambda t, R, omega: np.cross(np.array(omega), np.array(R[:3])))
    with pytest.raises(ph.InvalidInputError, match="nine entries of R") as caught:
        ph.Gyrostat([1, 2, 2.5], torque=lambda t, R, omega: (R @ omega)[0])
    assert caught.value.field == "torque"


def test_equilibria_of_a_formula() -> None:
    found = ph.AttitudeBody([1.0, 2.0, 2.5], potential="R11 + 2*R22").equilibria()
    values = sorted(round(float(e.system.potential_energy(e.R)), 9) for e in found)
    assert {values[0], values[-1]} == {-3.0, 3.0}
    lowest = min(found, key=lambda e: float(e.system.potential_energy(e.R)))
    # U = −tr(PᵀR): K = tr(N) 1 − N with N = RᵀP
    N = -lowest.R.T @ np.diag([1.0, 2.0, 0.0])
    expected = -np.linalg.eigvals(np.linalg.inv(np.diag([1.0, 2.0, 2.5])) @ (np.trace(N) * np.eye(3) - N))
    for value in ph.linearize(lowest).eigenvalues:
        assert np.abs(value**2 - expected).min() < 1e-10


@pytest.mark.parametrize("size", [1.0, 1e-14])
@pytest.mark.parametrize("seed", range(3))
def test_a_linear_potential_has_four_places_of_rest(seed: int, size: float) -> None:
    """U = −tr(PᵀR) is stationary at A D Bᵀ for P = A Σ Bᵀ, in whatever units."""
    P = np.random.default_rng(seed).normal(size=(3, 3))
    text = " + ".join(f"({-size * P[i, j]:.17g})*R{i + 1}{j + 1}" for i, j in np.ndindex(3, 3))
    found = ph.AttitudeBody([1e-9, 2e-9, 2.5e-9], potential=text).equilibria()
    assert len(found) == 4
    for e in found:
        np.testing.assert_allclose(e.R.T @ P, P.T @ e.R, atol=1e-11)


@pytest.mark.parametrize(
    "potential",
    ["R11 + Q", "__import__('os')", "R11.real", "gamma(R11)", "1 +", "R11**1000", 3.5, lambda R: R, lambda R: "heavy"],
)
def test_what_is_no_potential_is_refused(potential: object) -> None:
    with pytest.raises(ph.InvalidInputError) as caught:
        ph.AttitudeBody([1, 2, 2.5], potential=potential)
    assert caught.value.field == "potential"


def test_a_formula_describes_itself() -> None:
    state = ph.AttitudeBody.example()
    again = ph.AttitudeBody(**state.system.describe())
    np.testing.assert_array_equal(again.potential_energy(state.R), state.system.potential_energy(state.R))
