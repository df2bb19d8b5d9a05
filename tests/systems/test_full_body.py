"""The full body problem: the paper's dumbbells, all forms against each other, and runs of other codes."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Dumbbell, Ellipsoid, GivenIntegrals, Sphere
from polhode.systems.full_body import FullBodyProblem
from polhode.systems.full_two_body import FullTwoBodyProblem

from ..shared import FOLDER, golden


def dumbbells() -> ph.State:
    """Section 5 of [LLM07], normalised."""
    first = Dumbbell(1.5, 0.25, inertia=[0.0004, 0.0238, 0.0238])
    second = Dumbbell(3.0, 0.5, inertia=[0.0030, 0.1905, 0.1905])
    pair = FullTwoBodyProblem(first, second, gravity="points", G=1 / 4.5)
    start = {"X": [1, 0, 0.3], "V": [0, 1, 0], "Omega1": [0, 0, 9], "x2": [-1 / 3, 0, -0.1], "v2": [0, -1 / 3, 0]}
    return pair.state(**start)


def test_the_two_dumbbells_of_the_paper() -> None:
    state = dumbbells()
    run = ph.simulate(state.system, state, step=0.0002, t_end=20.0)
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
        ph.simulate(s.system, s, step=0.001, steps=1000, method=ph.LGVI(form=form))
        for s in (state, inertial)
        for form in ("hamiltonian", "lagrangian")
    ]
    for run in runs[1:]:
        for found, expected in zip(states_of(run), states_of(runs[0]), strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-10)


def test_the_continuous_forms_agree() -> None:
    state = dumbbells()
    tight = ph.DOP853(rtol=1e-13, atol=1e-14)
    runs = [ph.simulate(s.system, s, step=0.5, steps=4, method=tight) for s in (state, state.system.to_inertial(state))]
    for found, expected in zip(states_of(runs[1]), states_of(runs[0]), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-11)


def test_the_continuous_equations_as_printed() -> None:
    """(54)–(61) of [LLM07] in NumPy, with the potential differentiated numerically, against the compiled flow."""
    from polhode.methods.loops import RightHandSide

    state = FullTwoBodyProblem.example()
    pair = state.system
    representation = pair.representations["matrix"]
    slope = representation.layout.unpack(
        RightHandSide(representation, pair.parameters())(0.0, pair.enter("matrix", state))
    )
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
    path = FOLDER / "golden" / "full_two_body" / f"{name}.csv"
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
        run = ph.simulate(pair, state, step=numbers["h"], steps=int(steps[-1]))
        X, R, R2 = run.X, run.R, run.R2
    else:
        inertial = pair.to_inertial(state)
        run = ph.simulate(inertial.system, inertial, step=numbers["h"], steps=int(steps[-1]))
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
    run = ph.simulate(pair, state, step=40.0, steps=64_800, save_every=50)
    energy, _, spin = run.kept()
    assert spin.relative < 1e-12
    assert abs(energy.slope) * run.t[-1] < 0.1 * energy.worst


def test_spheres_move_as_points_on_kepler_ellipses() -> None:
    pair = FullTwoBodyProblem(Sphere(1.0, 0.1), Sphere(2.0, 0.1), gravity=2, G=1.0)
    state = pair.state(X=[1.0, 0.0, 0.0], V=[0.0, 1.5, 0.0])
    energy = 0.5 * 1.5**2 - 3.0
    period = 2 * np.pi * 3.0 / (-2 * energy) ** 1.5
    run = ph.simulate(pair, state, step=period / 200, steps=200, method=ph.LGVI(order=8))
    np.testing.assert_allclose(run.X[-1], [1.0, 0.0, 0.0], atol=1e-9)


def test_many_bodies_keep_their_momenta() -> None:
    rng = np.random.default_rng(1)
    n = 30
    problem = FullBodyProblem([Ellipsoid(1.0, [0.1, 0.08, 0.06])] * n, gravity=2, G=1e-3)
    place = np.stack(np.meshgrid(range(4), range(4), range(2)), -1).reshape(-1, 3)[:n] * 2.0
    state = problem.state(x=place, v=0.05 * rng.normal(size=(n, 3)), omega=rng.normal(size=(n, 3)))
    run = ph.simulate(problem, state, step=0.02, steps=200, save_every=50)
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
        ({"body1": "rock"}, "bodies[0]"),
        ({"gravity": 1}, "gravity"),
        ({"gravity": "exact"}, "gravity"),
        ({"gravity": "points"}, "body1"),
        ({"G": -1.0}, "G"),
        ({"body1": {"type": "cube", "mass": 1.0}}, "type"),
    ],
)
def test_bad_problems_are_refused(arguments: dict, field: str) -> None:
    good = {"body1": Sphere(1.0, 0.1), "body2": Sphere(1.0, 0.1), "gravity": 2, "G": 1.0}
    with pytest.raises(ph.InvalidInput) as caught:
        FullTwoBodyProblem(**(good | arguments))
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("arguments", "field"),
    [({"X": [1, 0]}, "X"), ({"R": 2 * np.eye(3)}, "R"), ({"Omega": [0, 0, 1], "Omega1": [0, 0, 1]}, "Omega1")],
)
def test_bad_states_are_refused(arguments: dict, field: str) -> None:
    pair = FullTwoBodyProblem(Sphere(1.0, 0.1), Sphere(1.0, 0.1))
    with pytest.raises(ph.InvalidInput) as caught:
        pair.state(**({"X": [1, 0, 0]} | arguments))
    assert caught.value.field == field
