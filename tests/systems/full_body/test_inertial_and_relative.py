"""The full body problem: the paper's dumbbells, all forms against each other, and runs of other codes."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Dumbbell, Ellipsoid, GivenIntegrals, PointMasses, Sphere
from polhode.scalars.protocol import SOLVES
from polhode.systems.full_body.inertial import FullBodyProblem
from polhode.systems.full_body.relative import FullTwoBodyProblem

from ...shared import FOLDER, golden


def dumbbells() -> ph.State:
    """Section 5 of [LLM07], normalised."""
    first = Dumbbell(1.5, 0.25, inertia=[0.0004, 0.0238, 0.0238])
    second = Dumbbell(3.0, 0.5, inertia=[0.0030, 0.1905, 0.1905])
    pair = FullTwoBodyProblem(first, second, gravity="points", G=1 / 4.5)
    start = {"X": [1, 0, 0.3], "V": [0, 1, 0], "Omega1": [0, 0, 9], "x2": [-1 / 3, 0, -0.1], "v2": [0, -1 / 3, 0]}
    return pair.state(**start)


def test_the_two_dumbbells_of_the_paper() -> None:
    state = dumbbells()
    run = ph.simulate(state, step=0.0002, t_end=20.0)
    assert float(state.invariants()["energy"]) == pytest.approx(0.4406624019, abs=1e-10)
    assert run.drift()["energy"] == pytest.approx(2.696e-7, abs=0.002e-7)
    distance = np.linalg.norm(run.X, axis=1)
    assert distance.min() == pytest.approx(0.33030, abs=5e-6)
    assert run.t[distance.argmin()] == pytest.approx(9.002, abs=5e-4)
    assert np.linalg.norm(np.swapaxes(run.R, 1, 2) @ run.R - np.eye(3), axis=(1, 2)).max() < 2e-13
    assert run.drift()["linear_momentum"] < 1e-12
    assert run.drift()["angular_momentum"] < 1e-12


def states_of(run: ph.Trajectory) -> list[np.ndarray]:
    """x, v, R, ω of both bodies, from either form."""
    if isinstance(run.system, FullBodyProblem):
        return [run.x, run.v, run.R, run.omega]
    pairs = (("x1", "x2"), ("v1", "v2"), ("R1", "R2"), ("Omega1", "Omega2"))
    return [np.stack([getattr(run, a), getattr(run, b)], axis=1) for a, b in pairs]


def test_all_four_discrete_forms_are_one_map() -> None:
    state = dumbbells()
    pair = state.system
    inertial = pair.to_inertial(state)
    runs = [
        ph.simulate(s, step=0.001, steps=1000, method=ph.LGVI(form=form))
        for s in (state, inertial)
        for form in ("hamiltonian", "lagrangian")
    ]
    for run in runs[1:]:
        for found, expected in zip(states_of(run), states_of(runs[0]), strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-10)


def test_the_rotation_of_each_body_is_solved_for_and_counted() -> None:
    run = ph.LGVI().start(FullTwoBodyProblem.example(), 0.01)
    run.advance(0, 3, 1, np.empty((3, run.row_size)))
    assert run.report.numbers[SOLVES] == 3 * 2


def test_all_four_continuous_forms_agree() -> None:
    state = dumbbells()
    runs = [
        ph.simulate(s, step=0.5, steps=4, method=ph.DOP853(rtol=1e-13, atol=1e-14, form=form))
        for s in (state, state.system.to_inertial(state))
        for form in ("hamiltonian", "lagrangian")
    ]
    assert [set(run.values) & {"gamma", "v", "Gamma", "V"} for run in runs] == [{"Gamma"}, {"V"}, {"gamma"}, {"v"}]
    for run in runs[1:]:
        for found, expected in zip(states_of(run), states_of(runs[0]), strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-11)
    for run in runs:
        assert run.drift()["energy"] < 1e-11
        assert run.drift()["angular_momentum"] < 1e-11


def test_a_run_goes_on_in_any_other_form() -> None:
    """States convert between momenta and velocities, inertial and relative, without loss."""
    state = FullTwoBodyProblem.example()
    pair = state.system
    velocities = ph.simulate(state, step=0.1, steps=1, method=ph.DOP853(form="lagrangian")).final
    there = pair.to_inertial(velocities)
    again = pair.from_inertial(ph.simulate(there, step=0.1, steps=0, method=ph.DOP853(form="lagrangian")).final)
    for name in pair.fields:
        np.testing.assert_allclose(getattr(again, name), getattr(velocities, name), atol=1e-14)
    assert again.t == velocities.t == 0.1


@pytest.mark.parametrize("example", [FullBodyProblem.example, FullTwoBodyProblem.example])
def test_two_configurations_make_a_state(example) -> None:
    """The data of the discrete Lagrangian form, one step apart, give the state that the Hamiltonian form started from."""
    state = example()
    system = state.system if isinstance(state.system, FullBodyProblem) else state.system.inertial()
    state = state if system is state.system else state.system.to_inertial(state)
    run = ph.simulate(state, step=0.01, steps=1)
    again = system.state_from_pair(run.x, run.R, step=0.01)
    np.testing.assert_allclose(again.gamma, state.gamma, atol=1e-13)
    np.testing.assert_allclose(again.Pi, state.Pi, atol=1e-13)


def test_two_relative_configurations_make_a_state() -> None:
    state = FullTwoBodyProblem.example()
    pair = state.system
    run = ph.simulate(state, step=0.01, steps=1)
    for more in ({}, {"x2": run.x2}):  # the mass centre rests at the origin
        again = pair.state_from_pair(run.X, run.R, run.R2, 0.01, **more)
        for name, value in state.values.items():
            np.testing.assert_allclose(getattr(again, name), value, atol=1e-13)
    moving = pair.state(X=state.X, V=state.V, R=state.R, Omega1=state.Omega1, x2=[1, 2, 3], v2=[0.3, 0.1, 0.2], t=2.0)
    run = ph.simulate(moving, step=0.01, steps=1)
    again = pair.state_from_pair(run.X, run.R, run.R2, 0.01, x2=run.x2, t=2.0)
    np.testing.assert_allclose(again.gamma2, moving.gamma2, atol=1e-13)
    assert again.t == 2.0


def test_the_forces_on_a_pair_are_the_slopes_of_its_energy() -> None:
    """Central differences of the mutual potential by the places and attitudes of both bodies."""
    state = FullTwoBodyProblem.example()
    pair = state.system
    forces, moments = pair.forces(state)
    inertial, start = pair.inertial(), pair.to_inertial(state)
    h = 1e-5
    for i in range(2):
        for k, e in enumerate(np.eye(3)):
            slopes = np.zeros(2)
            for sign in (-1.0, 1.0):
                x, R = start.x.copy(), start.R.copy()
                x[i] += sign * h * e
                R[i] = R[i] @ ph.so3.exp(sign * h * e)
                slopes += (
                    sign
                    / (2 * h)
                    * np.array([inertial.potential({"x": x, "R": start.R}), inertial.potential({"x": start.x, "R": R})])
                )
            assert forces[i, k] == pytest.approx(-slopes[0], abs=1e-9)
            assert moments[i, k] == pytest.approx(-slopes[1], abs=1e-9)


POINT = PointMasses([1e12], [[0.0, 0.0, 0.0]])


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("gravity", ["points", 4])
def test_a_point_mass_moves_as_a_ball_that_does_not_turn(gravity: int | str, first: bool) -> None:
    """In SI units, where the moments that rounding leaves would turn a body of inertia 1 wildly."""
    other = Dumbbell(5e11, 300.0, radius=20.0, fraction=0.3)
    runs = []
    for body in (POINT, PointMasses([1e12], [[0.0, 0.0, 0.0]], radii=100.0)):
        pair = FullTwoBodyProblem(*([body, other] if first else [other, body]), gravity=gravity, G=6.674e-11)
        state = pair.state(X=[1500.0, 10.0, 20.0], V=[0.0, 0.2, 0.1])
        runs.append(ph.simulate(state, step=20.0, steps=1000, method=ph.LGVI(order=4)))
    point, ball = runs
    np.testing.assert_allclose(point.x1, ball.x1, atol=1e-9)
    np.testing.assert_allclose(point.R1 if not first else point.R2, ball.R1 if not first else ball.R2, atol=1e-11)
    rate, attitude = (point.Omega1, point.R1) if first else (point.Omega2, point.R2)
    assert not np.any(rate)
    np.testing.assert_allclose(attitude, np.broadcast_to(np.eye(3), attitude.shape), atol=1e-12)
    np.testing.assert_allclose(point.invariants()["energy"], ball.invariants()["energy"], rtol=1e-13)
    start = point.system.to_inertial(point.system.from_inertial(point.system.to_inertial(runs[0].final)))
    np.testing.assert_allclose(start.x[0], point.x1[-1], atol=1e-11)


def test_two_points_move_on_kepler_ellipses() -> None:
    pair = FullTwoBodyProblem(PointMasses([0.4], [[0, 0, 0]]), PointMasses([0.6], [[0, 0, 0]]), gravity="points")
    state = pair.state(elements={"a": 1.0, "e": 0.3})
    assert state.invariants()["energy"] == pytest.approx(-0.5 * 0.4 * 0.6, rel=1e-14)
    run = ph.simulate(state, step=2.0 * np.pi / 2000, steps=2000, method=ph.LGVI(order=8))
    np.testing.assert_allclose(run.final.X, state.X, atol=1e-9)
    for method in (ph.RK4(), ph.LGVI(form="lagrangian")):
        again = ph.simulate(state, step=2.0 * np.pi / 2000, steps=200, method=method)
        np.testing.assert_allclose(again.X[-1], run.X[200], atol=1e-5)


def test_what_a_point_cannot_do_is_said() -> None:
    pair = FullTwoBodyProblem(POINT, Sphere(1.0, 0.1))
    with pytest.raises(ph.InvalidInputError, match=r"Omega1.*a point mass has no inertia"):
        pair.state(X=[1, 0, 0], Omega1=[0, 0, 1])
    with pytest.raises(ph.InvalidInputError, match=r"synchronous.*a point mass has no inertia"):
        pair.state(elements={"a": 1.0}, synchronous=["body1"])
    with pytest.raises(ph.InvalidInputError, match=r"omega\[0\].*a point mass has no inertia"):
        pair.inertial().state(x=[[1, 0, 0], [0, 0, 0]], omega=[[0, 0, 1], [0, 0, 0]])
    with pytest.raises(ph.InvalidInputError, match=r"dissipation\[0\].on.*not a point mass"):
        FullTwoBodyProblem(POINT, Sphere(1.0, 0.1), dissipation=[{"on": 0, "by": 1, "k2": 1, "radius": 1, "lag": 1}])


def test_orders_may_be_whole_numbers_of_numpy() -> None:
    problem = FullBodyProblem([Sphere(1.0, 0.1), Sphere(1.0, 0.1)], gravity=np.int64(4))
    assert type(problem.describe()["gravity"]) is int
    with pytest.raises(ph.InvalidInputError, match="gravity"):
        FullBodyProblem([Sphere(1.0, 0.1)], gravity="exact")


def test_the_continuous_equations_as_printed() -> None:
    """(54)–(61) of [LLM07] in NumPy, with the potential differentiated numerically, against the compiled flow."""
    from polhode.core.method import Start
    from polhode.methods.loops import RightHandSide

    state = FullTwoBodyProblem.example()
    pair = state.system
    representation = pair.representations["default"]
    slope = representation.layout.unpack(RightHandSide(Start.of(state, 0.0))(0.0, pair.enter("default", state)))
    X, R, R2, Omega2 = state.X, state.R, state.R2, state.Omega2

    def U(X: np.ndarray, R: np.ndarray) -> float:
        return float(pair.potential({"X": X, "R": R}))

    e, eye = 1e-3, np.eye(3)

    def slope_of(f) -> float:
        """A central difference of order 4."""
        return (8 * (f(e) - f(-e)) - (f(2 * e) - f(-2 * e))) / (12 * e)

    dU = np.array([slope_of(lambda s, k=k: U(X + s * eye[k], R)) for k in range(3)])
    # turning body 1 by η about the axes of frame 2 changes U by M·η
    M = np.array([slope_of(lambda s, k=k: U(X, ph.so3.exp(s * eye[k]) @ R)) for k in range(3)])
    np.testing.assert_allclose(slope["Gamma"], -np.cross(Omega2, state.Gamma) - dU, atol=1e-9)
    np.testing.assert_allclose(slope["Pi"], -np.cross(Omega2, state.Pi) - M, atol=1e-9)
    np.testing.assert_allclose(slope["Pi2"], -np.cross(Omega2, state.Pi2) + np.cross(X, dU) + M, atol=1e-9)
    np.testing.assert_allclose(slope["X"], state.V - np.cross(Omega2, X), atol=1e-14)
    np.testing.assert_allclose(slope["R"], (ph.so3.hat(state.Omega) - ph.so3.hat(Omega2)) @ R, atol=1e-14)
    np.testing.assert_allclose(slope["gamma2"], R2 @ dU, atol=1e-9)
    np.testing.assert_allclose(slope["R2"], R2 @ ph.so3.hat(Omega2), atol=1e-14)


def reference_rows(name: str) -> np.ndarray:
    path = FOLDER / "full_two_body" / f"{name}.csv"
    with path.open() as file:
        return np.array([[float(v) for v in row] for row in list(csv.reader(file))[1:]])


@pytest.mark.parametrize("name", ["ellipsoids_o2_lgvi_h40_1000", "kw4_polyhedra_o2_lgvi_h60_200"])
@pytest.mark.parametrize("relative", [True, False])
def test_another_code_gives_the_same_motion(name: str, relative: bool) -> None:
    data = golden(f"full_two_body/{name}")
    numbers, start = data["parameters"], data["initial_state"]
    secondary, primary = (
        GivenIntegrals(
            {tuple(map(int, key)): value for key, value in numbers[f"T_{k}"].items() if sum(map(int, key)) != 1}
        )
        for k in "BA"
    )
    pair = FullTwoBodyProblem(secondary, primary, gravity=numbers["order"], G=numbers["G"])
    state = pair.state(
        X=start["r_A"],
        V=start["v_A"],
        R=start["C_B2A"],
        Omega1=start["w_B_in_B"],
        Omega2=start["w_A"],
        R2=start["C_A2N"],
    )
    rows = reference_rows(name)
    steps = rows[:, 0].astype(int)
    if relative:
        run = ph.simulate(state, step=numbers["h"], steps=int(steps[-1]))
        X, R, R2 = run.X, run.R, run.R2
    else:
        inertial = pair.to_inertial(state)
        run = ph.simulate(inertial, step=numbers["h"], steps=int(steps[-1]))
        R2 = run.R[:, 1]
        X = np.einsum("nji,nj->ni", R2, run.x[:, 0] - run.x[:, 1])
        R = np.swapaxes(R2, 1, 2) @ run.R[:, 0]
    assert np.abs(X[steps] - rows[:, 2:5]).max() < 1e-8
    assert np.abs(R[steps].reshape(-1, 9) - rows[:, 14:23]).max() < 1e-10
    assert np.abs(R2[steps].reshape(-1, 9) - rows[:, 23:32]).max() < 1e-10


def test_thirty_days_without_a_slope() -> None:
    """The ellipsoid case over 64,800 steps of 40 s: energy level, angular momentum to rounding."""
    pair = FullTwoBodyProblem(
        Ellipsoid(4991322195.637498, [104.0, 80.0, 66.0]),
        Ellipsoid(524656026245.987, [400.0, 390.0, 370.0]),
        G=6.67e-11,
    )
    state = pair.state(
        X=[1180.0, 30.0, -20.0], V=[0.004, 0.172, 0.006], Omega1=[1.5e-5, -2e-5, 1.6e-4], Omega2=[2e-5, -1e-5, 7.72e-4]
    )
    run = ph.simulate(state, step=40.0, steps=64_800, save_every=50)
    energy, _, spin = run.conservation()
    assert spin.relative < 1e-12
    assert abs(energy.slope) * run.t[-1] < 0.1 * energy.worst


def test_spheres_move_as_points_on_kepler_ellipses() -> None:
    pair = FullTwoBodyProblem(Sphere(1.0, 0.1), Sphere(2.0, 0.1), gravity=2, G=1.0)
    state = pair.state(X=[1.0, 0.0, 0.0], V=[0.0, 1.5, 0.0])
    energy = 0.5 * 1.5**2 - 3.0
    period = 2 * np.pi * 3.0 / (-2 * energy) ** 1.5
    run = ph.simulate(state, step=period / 200, steps=200, method=ph.LGVI(order=8))
    np.testing.assert_allclose(run.X[-1], [1.0, 0.0, 0.0], atol=1e-9)


def test_many_bodies_keep_their_momenta() -> None:
    rng = np.random.default_rng(1)
    n = 30
    problem = FullBodyProblem([Ellipsoid(1.0, [0.1, 0.08, 0.06])] * n, gravity=2, G=1e-3)
    place = np.stack(np.meshgrid(range(4), range(4), range(2)), -1).reshape(-1, 3)[:n] * 2.0
    state = problem.state(x=place, v=0.05 * rng.normal(size=(n, 3)), omega=rng.normal(size=(n, 3)))
    run = ph.simulate(state, step=0.02, steps=200, save_every=50)
    assert run.drift()["linear_momentum"] < 1e-13
    assert run.drift()["angular_momentum"] < 1e-12
    assert problem.separations(run.x)[0, 1].shape == (5,)


def test_states_convert_both_ways() -> None:
    state = FullTwoBodyProblem.example()
    again = state.system.from_inertial(state.system.to_inertial(state))
    for name, value in state.values.items():
        np.testing.assert_allclose(again.values[name], value, atol=1e-14)


def test_a_problem_rebuilds_from_its_description() -> None:
    for state in (FullTwoBodyProblem.example(), FullBodyProblem.example()):
        again = type(state.system)(**state.system.describe())
        np.testing.assert_array_equal(again.parameters(), state.system.parameters())


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"body1": "rock"}, "body1"),
        ({"gravity": 1}, "gravity"),
        ({"gravity": "exact"}, "gravity"),
        ({"gravity": "points"}, "body1"),
        ({"G": -1.0}, "G"),
        ({"body1": {"type": "cube", "mass": 1.0}}, "body1.type"),
        ({"body2": {"type": "sphere", "mass": 1.0}}, "body2"),
        ({"body2": Dumbbell(1.0, 0.5)}, "body2.inertia"),
    ],
)
def test_bad_problems_are_refused(arguments: dict, field: str) -> None:
    good = {"body1": Sphere(1.0, 0.1), "body2": Sphere(1.0, 0.1), "gravity": 2, "G": 1.0}
    with pytest.raises(ph.InvalidInputError) as caught:
        FullTwoBodyProblem(**(good | arguments))
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"X": [1, 0]}, "X"),
        ({"R": 2 * np.eye(3)}, "R"),
        ({"Omega": [0, 0, 1], "Omega1": [0, 0, 1]}, "Omega1"),
        ({"X": [0, 0, 0]}, "X"),
    ],
)
def test_bad_states_are_refused(arguments: dict, field: str) -> None:
    pair = FullTwoBodyProblem(Sphere(1.0, 0.1), Sphere(1.0, 0.1))
    with pytest.raises(ph.InvalidInputError) as caught:
        pair.state(**({"X": [1, 0, 0]} | arguments))
    assert caught.value.field == field


def test_a_thin_dumbbell_is_told_what_it_lacks() -> None:
    with pytest.raises(ph.InvalidInputError, match=r"radius=, radii= or inertia=, or use Sphere"):
        FullBodyProblem([Dumbbell(1.0, 0.5), Sphere(1.0, 0.1)])


def test_bodies_in_one_place_are_refused() -> None:
    with pytest.raises(ph.InvalidInputError, match=r"x = .*at the same place"):
        FullBodyProblem([Sphere(1.0, 0.1)] * 3).state(x=[[1, 0, 0], [0, 0, 0], [1, 0, 0]])
    dumbbells = FullTwoBodyProblem(Dumbbell(1.0, 0.5, radius=0.1), Dumbbell(1.0, 0.3, radius=0.1), gravity="points")
    assert np.isfinite(dumbbells.state(X=[0, 0, 0]).invariants()["energy"])  # no two points meet


def test_problems_travel_between_processes() -> None:
    import pickle

    state = FullTwoBodyProblem.example()
    run = ph.simulate(state, step=0.01, steps=3)
    again = pickle.loads(pickle.dumps(run))
    np.testing.assert_array_equal(again.X, run.X)
    assert again.system.describe() == run.system.describe()
