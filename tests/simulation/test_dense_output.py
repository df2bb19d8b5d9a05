"""States between samples: on the manifold, continuous at the nodes, and as accurate as the method."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from tests.tiers import later

SYSTEMS = {
    "free": ph.FreeRigidBody,
    "pair": ph.FullTwoBodyProblem,
    "top": ph.Pendulum3D,
    "son": ph.RigidBodySOn,
    "directors": ph.DirectorBody,
}
STARTS = {name: system.example() for name, system in SYSTEMS.items()}
METHODS = [
    ph.LGVI(),
    ph.LGVI(6),
    ph.LGVI(4, "lagrangian"),
    ph.QuaternionVI(4),
    ph.RK4(),
    ph.Midpoint(),
    ph.DOP853(),
    ph.Exact(),
    ph.MoserVeselov(),
    ph.EnergyMomentum(),
    ph.LagrangeDAlembert(),
]
CASES = [(name, method) for name, start in STARTS.items() for method in METHODS if method.why_not(start.system) is None]


def run(name: str, method: ph.LGVI, **changes) -> ph.Trajectory:
    start = STARTS[name]
    return ph.simulate(start, method=method, **({"step": 0.05, "steps": 20, "save_every": 4} | changes))


@pytest.mark.parametrize(
    ("name", "method"),
    later(CASES, lambda case: case[0] in ("son", "pair", "directors"), lambda case: f"{case[0]}-{case[1]!r}"),
)
def test_continuous_through_saved_and_unsaved_nodes(name: str, method: ph.LGVI) -> None:
    trajectory, every = run(name, method), run(name, method, save_every=1)
    nodes = trajectory.at(every.t)  # the steps that were not saved, too
    near = [trajectory.at(every.t[1:-1] + shift) for shift in (-1e-7, 1e-7)]
    # each step of the energy–momentum scheme, however short, throws its velocities to the other side of the tangent space
    fields = ["R"] if isinstance(method, ph.EnergyMomentum) else list(every.values)
    for field in fields:
        array = getattr(every, field)
        np.testing.assert_allclose(getattr(nodes, field), array, atol=2e-13)
        for side in near:
            np.testing.assert_allclose(getattr(side, field), array[1:-1], atol=2e-6)
        # the same slope from both sides: no jump hides in the tolerance
        slopes = np.abs((getattr(near[1], field) - getattr(near[0], field)) / 2e-7)
        middle = np.abs(array[2:] - array[:-2]) / 0.1
        assert np.all(np.abs(slopes - middle) < 0.5)


@pytest.mark.parametrize("name", ["free", "pair"])
def test_rotations_are_rotations_and_momentum_is_kept(name: str) -> None:
    found = run(name, ph.LGVI()).at(np.linspace(0.0, 1.0, 57))
    defect = np.swapaxes(found.R, -1, -2) @ found.R - np.eye(3)
    assert np.max(np.abs(defect)) < 5e-15
    kept = found.drift()
    assert kept["spatial_momentum" if name == "free" else "angular_momentum"] < 1e-14


@pytest.mark.parametrize(
    ("method", "order"), [(ph.LGVI(), 2), (ph.LGVI(4), 4), (ph.LGVI(4, "lagrangian"), 4), (ph.RK4(), 4)]
)
def test_the_error_has_the_methods_order(method: ph.LGVI, order: int) -> None:
    start = STARTS["pair"]
    times = np.array([0.3127, 0.7411, 1.0893, 1.9377])
    exact = ph.simulate(start, step=0.5, steps=4, method=ph.DOP853()).at(times)
    errors = []
    for steps in (20, 40, 80):
        found = ph.simulate(start, step=2.0 / steps, steps=steps, save_every=3, method=method).at(times)
        errors.append(max(np.max(np.abs(found.values[n] - exact.values[n])) for n in ("X", "R", "Gamma", "Pi")))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(orders - order) < 0.4), (errors, orders)


def test_one_time_gives_a_state_and_many_a_trajectory_in_their_order() -> None:
    trajectory = run("free", ph.LGVI())
    state = trajectory.at(0.333)
    assert isinstance(state, ph.State)
    assert state.t == 0.333
    many = trajectory.at([0.9, 0.333, 0.0, 0.333])
    assert isinstance(many, ph.Trajectory)
    np.testing.assert_array_equal(many.t, [0.9, 0.333, 0.0, 0.333])
    for again in (many.R[1], many.R[3]):  # NumPy's sine of many numbers may round otherwise than that of one
        np.testing.assert_allclose(again, state.R, rtol=0.0, atol=4e-16)
    np.testing.assert_array_equal(many.R[2], trajectory.R[0])


def test_at_its_samples_it_is_the_samples() -> None:
    trajectory = run("pair", ph.LGVI(4))
    found = trajectory.at(trajectory.t)
    for name, array in trajectory.values.items():
        np.testing.assert_array_equal(found.values[name], array)


def test_backwards_in_time() -> None:
    there = run("free", ph.LGVI(8))
    back = ph.simulate(there.final, step=-0.05, steps=20, save_every=5, method=ph.LGVI(8))
    np.testing.assert_allclose(back.at([0.31, 0.77]).R, there.at([0.31, 0.77]).R, atol=1e-12)


def test_a_loaded_trajectory_gives_the_same(tmp_path) -> None:
    trajectory = run("pair", ph.LGVI(4, "lagrangian"))
    trajectory.save(tmp_path / "run.nc")
    np.testing.assert_array_equal(ph.load(tmp_path / "run.nc").at([0.12, 0.77]).X, trajectory.at([0.12, 0.77]).X)


@pytest.mark.parametrize("t", [-0.001, 1.001, float("nan"), [0.5, 2.0], [], [[0.1]]])
def test_times_outside_the_run_are_refused(t) -> None:
    with pytest.raises(ph.InvalidInputError, match="times from 0 to 1"):
        run("free", ph.LGVI()).at(t)
