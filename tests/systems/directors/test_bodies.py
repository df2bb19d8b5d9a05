"""The standard and the non-twisting body: states, the two forms of the equations, moments, and the closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polhode as ph
from polhode.geometry import so3
from polhode.scalars import sin
from polhode.systems import DirectorBody, NonTwistingBody

INERTIA = [[3.0, -1 / 7, 0.0], [-1 / 7, 4.0, 0.0], [0.0, 0.0, 5.0]]
TRIANGLE = {"profile": "triangle", "coefficients": [1.0, -2.0, 0.5], "start": 0.5, "duration": 2.0}
BOTH = pytest.mark.parametrize("cls", [DirectorBody, NonTwistingBody])


def drag(t, R, omega):
    """A moment of time, attitude and rate."""
    return 0.3 * sin(t) - 0.2 * omega[0], 0.4 * R[6] - 0.1 * omega[1] * omega[1], 0.2 * R[1] - 0.3 * omega[2]


def by_scipy(body, moment, frame, start, end):
    """R and Π at `end` by SciPy from Euler's equations as in any textbook."""
    J = body.inertia.matrix

    def f(t, y):
        R, Pi = y[:9].reshape(3, 3), y[9:]
        omega = np.linalg.solve(J, Pi)
        M = np.array(moment(t, tuple(R.reshape(-1)), tuple(omega)))
        M = M if frame == "body" else R.T @ M
        rate = np.cross(Pi, omega) + M
        if isinstance(body, NonTwistingBody):
            rate[2] = 0.0  # what the force of constraint leaves
            rate[:2] = M[:2]
        return np.concatenate([(R @ so3.hat(omega)).reshape(-1), rate])

    y0 = np.concatenate([start.R.reshape(-1), start.Pi])
    y = solve_ivp(f, (start.t, end), y0, "DOP853", rtol=1e-13, atol=1e-14, max_step=0.05).y[:, -1]
    return y[:9].reshape(3, 3), y[9:]


def split() -> ph.DOP853:
    method = ph.DOP853()
    method.representation = "split"
    return method


def test_eulers_inertia_of_the_source() -> None:
    """(111): the two forms of the inertia."""
    E = DirectorBody(INERTIA).inertia.nonstandard
    assert np.allclose(E, [[3, 1 / 7, 0], [1 / 7, 2, 0], [0, 0, 1]], atol=1e-15)


def test_states_from_directors_rotations_and_quaternions_are_the_same() -> None:
    body = DirectorBody(INERTIA)
    R = so3.exp([0.3, -0.8, 0.5])
    q = ph.quaternion.from_matrix(R)
    for state in (body.state(directors=R.T, omega=[1, 2, 3]), body.state(q=q, Pi=np.array(INERTIA) @ [1, 2, 3])):
        assert np.allclose(state.R, R, atol=1e-15)
        assert np.allclose(state.omega, [1, 2, 3], atol=1e-14)
        assert np.allclose(state.directors[1], R[:, 1], atol=1e-15)
        assert np.array_equal(state.stretch, np.zeros(6))


def test_the_momentum_splits_at_d3() -> None:
    """(39): π = π⊥ + π∥ d₃, the first across d₃."""
    state = DirectorBody.example()
    pi = state.R @ state.Pi
    d3 = state.R[:, 2]
    assert np.allclose(state.pi_perp + state.pi_par * d3, pi, atol=1e-15)
    assert abs(state.pi_perp @ d3) < 1e-15
    assert np.isclose(state.kinetic_energy, 0.5 * state.omega @ state.Pi, rtol=1e-15)
    assert np.isclose(state.invariants()["energy"], state.kinetic_energy)


@BOTH
@pytest.mark.parametrize("moment", [None, TRIANGLE])
def test_split_form_is_the_body_form(cls, moment) -> None:
    """(51) and (71) in space, by the covariant derivative, against Euler's equations in the body."""
    example = cls.example()
    body = cls(example.system.inertia.matrix, moment=moment, frame="space")
    state = body.state(q=example.q, omega=example.omega)
    runs = [ph.simulate(state, step=0.5, steps=8, method=m) for m in (ph.DOP853(), split())]
    for name in ("R", "Pi", "omega", "pi_perp", "pi_par"):
        assert np.allclose(getattr(runs[0], name), getattr(runs[1], name), atol=1e-10), name
    across = np.einsum("ni,ni->n", runs[1].pi_perp, runs[1].R[:, :, 2])
    assert np.abs(across).max() < 1e-11, "π⊥ stays tangent to the sphere at d₃"
    if cls is NonTwistingBody:
        assert np.all(runs[1].pi_par == 0.0)


def test_runge_kutta_takes_either_form() -> None:
    state = DirectorBody.example()
    method = ph.RK4(representation="split")
    assert repr(method) == "RK4(representation='split')"
    final = ph.simulate(state, step=0.01, t_end=1.0, method=method).final
    assert "pi_perp" in final.values
    exact = ph.simulate(state, step=1.0, steps=1, method=ph.Exact()).final
    assert np.allclose(final.R, exact.R, atol=1e-8)
    with pytest.raises(ph.IncompatibleMethodError, match="no right-hand side for the representation 'split'"):
        method.check(ph.FreeRigidBody([1, 2, 3]))


@pytest.mark.parametrize("frame", ["body", "space"])
@BOTH
def test_moments_of_time_and_state(cls, frame) -> None:
    example = cls.example()
    body = cls(example.system.inertia.matrix, moment=drag, frame=frame)
    state = body.state(q=example.q, omega=example.omega, t=0.3)
    final = ph.simulate(state, step=2.7, steps=1, method=ph.DOP853()).final
    R, Pi = by_scipy(body, lambda *a: [float(x) for x in drag(*a)], frame, state, 3.0)
    assert np.allclose(final.R, R, atol=1e-10)
    assert np.allclose(final.Pi, Pi, atol=1e-10)


def test_a_pulse_in_the_body_adds_its_area_to_the_momentum() -> None:
    """Π⊥ of the non-twisting body is the integral of the moment: half the duration times the peak."""
    body = NonTwistingBody(INERTIA, moment=TRIANGLE)
    traj = ph.simulate(body.state(omega=[1, 2, 0]), step=0.25, t_end=3.0, method=ph.DOP853())
    Pi0 = traj.Pi[0]
    assert np.allclose(traj.Pi[-1], Pi0 + [1.0, -2.0, 0.0], atol=1e-11)
    assert np.allclose(traj.Pi[2], Pi0, atol=1e-15), "nothing before the start"
    assert np.allclose(traj.Pi[4], Pi0 + np.array([1.0, -2.0, 0.0]) / 8, atol=1e-11), "a quarter of the way, an eighth"


def test_a_pulse_in_space_adds_its_area_to_the_spatial_momentum() -> None:
    example = DirectorBody.example()
    body = DirectorBody(example.system.inertia.matrix, moment=TRIANGLE, frame="space")
    traj = ph.simulate(body.state(q=example.q, omega=example.omega), step=0.25, t_end=3.0, method=ph.DOP853())
    pi = np.einsum("nij,nj->ni", traj.R, traj.Pi)
    assert np.allclose(pi[-1] - pi[0], [1.0, -2.0, 0.5], atol=1e-11)


def test_a_constant_moment_acts_at_all_times() -> None:
    body = NonTwistingBody(INERTIA, moment={"profile": "constant", "coefficients": [0.5, 0.0, 9.0]})
    traj = ph.simulate(body.state(t=-5.0), step=10.0, steps=1, method=ph.DOP853())
    assert np.allclose(traj.Pi[-1], [5.0, 0.0, 0.0], atol=1e-10), "along d₃ it does nothing"


def test_without_a_moment_the_non_twisting_body_turns_steadily() -> None:
    body = NonTwistingBody(INERTIA)
    state = body.state(R=so3.exp([0.2, 0.5, -0.4]), omega=[0.6, -0.8, 0.0], t=2.0)
    traj = ph.simulate(state, step=0.1, steps=40, method=ph.Exact())
    turned = np.array([state.R @ so3.exp(s * np.array([0.6, -0.8, 0.0])) for s in traj.t - 2.0])
    assert np.allclose(traj.R, turned, atol=1e-14)
    axis = state.R @ [0.6, -0.8, 0.0]
    assert np.abs(traj.R[:, :, 2] @ axis).max() < 1e-14, "d₃ on a great circle"
    pi = np.einsum("nij,nj->ni", traj.R, traj.Pi)
    assert np.abs(pi - pi[0]).max() > 0.1, "the momentum in space is not kept"


def test_a_loaded_body_claims_nothing() -> None:
    for cls in (DirectorBody, NonTwistingBody):
        free, loaded = cls(INERTIA), cls(INERTIA, moment=TRIANGLE)
        assert set(free.state().invariants()) == set(cls.conserved)
        assert loaded.state().invariants() == {}
        assert free.has_exact
        assert not loaded.has_exact
        assert not loaded.hamiltonian


@BOTH
def test_a_body_is_rebuilt_from_its_description(cls, tmp_path) -> None:
    body = cls(INERTIA, moment=TRIANGLE | {"coefficients": np.array([1.0, -2.0, 0.5])}, frame="space")
    again = cls(**body.describe())
    assert np.array_equal(again.parameters(), body.parameters())
    traj = ph.simulate(body.state(omega=[1, 2, 0]), step=0.1, steps=5, method=ph.EnergyMomentum(a=0.25))
    traj.save(tmp_path / "run.nc")
    read = ph.load(tmp_path / "run.nc")
    assert read.method == traj.method
    assert np.array_equal(read.values["stretch"], traj.values["stretch"])
    assert cls(INERTIA, moment=drag).describe()["moment"] == "drag"


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"moment": 3.0}, "moment"),
        ({"moment": {"profile": "sawtooth", "coefficients": [1, 2, 3]}}, "moment.profile"),
        ({"moment": {"profile": "triangle"}}, "moment"),
        ({"moment": {"coefficients": [1, 2]}}, "moment.coefficients"),
        ({"moment": {"coefficients": [1, 2, 3], "strat": 1.0}}, "moment.strat"),
        ({"moment": {"coefficients": [1, 2, 3], "start": 1.0}}, "moment.start"),
        ({"moment": {**TRIANGLE, "duration": 0.0}}, "moment.duration"),
        ({"moment": {**TRIANGLE, "start": float("nan")}}, "moment.start"),
        ({"moment": TRIANGLE, "frame": "world"}, "frame"),
        ({"moment": lambda t, R, omega: 1.0}, "moment"),
        ({"moment": lambda t, R, omega: (undefined(t), 0.0, 0.0)}, "moment"),  # noqa: F821
        ({"moment": lambda t, R: (0.0, 0.0, 0.0)}, "moment"),
    ],
)
def test_moments_that_cannot_be_used_are_named(arguments, field) -> None:
    with pytest.raises(ph.InvalidInputError) as error:
        DirectorBody(INERTIA, **arguments)
    assert error.value.field == field


def test_what_cannot_be_a_non_twisting_state_is_named() -> None:
    body = NonTwistingBody(INERTIA)
    for field, values in (("omega", {"omega": [1, 2, 1e-6]}), ("Pi", {"Pi": [1, 2, 3]})):
        with pytest.raises(ph.InvalidInputError, match="does not spin about d3") as error:
            body.state(**values)
        assert error.value.field == field
    with pytest.raises(ph.InvalidInputError, match="third axis principal"):
        NonTwistingBody([[1, 0, 0.1], [0, 2, 0], [0.1, 0, 2.5]])
    with pytest.raises(ph.InvalidInputError, match="one of directors, R, q"):
        body.state(directors=np.eye(3), R=np.eye(3))


def test_other_methods_start_without_what_the_scheme_leaves_along_d3() -> None:
    body = NonTwistingBody(INERTIA, moment=TRIANGLE)
    final = ph.simulate(body.state(omega=[1, 2, 0]), step=0.05, t_end=2.0, method=ph.EnergyMomentum()).final
    assert 0.0 < abs(final.Pi[2]) < 1e-3
    assert 0.0 < np.abs(final.stretch).max() < 1e-3
    for method in (ph.DOP853(), split(), ph.LagrangeDAlembert()):
        on = ph.simulate(final, step=0.05, steps=2, method=method)
        assert np.all(on.Pi[:, 2] == 0.0) or method.representation == "split"
        assert np.abs(on.pi_par).max() < 1e-15
