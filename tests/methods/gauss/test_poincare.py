"""Gauss–Legendre steps of Poincaré's transformation: symplectic in the fictitious time of equal steps."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.analysis import symmetry_defect
from polhode.analysis.convergence import distance
from polhode.core.finite_differences import OFFSETS, WEIGHTS
from polhode.methods.gauss.picture import AT, KIND, ROTATION, SIZE
from polhode.methods.gauss.reversible import ENERGY

from .test_reversible import TIGHT, binary

METHOD = ph.GaussLegendre(adaptive="symplectic")


def pull_back_defect(state: ph.State, method: ph.GaussLegendre, size: float = 3e-4) -> float:
    """How far the derivative of a step, by differences in the canonical variables, is from symplectic; the energy that
    the transformation refers to is that of the state itself, and the same for all its neighbours."""
    run = method.start(state, 1e9)
    first, w, parts = run.sample.copy(), run.left.w.copy(), run.parts
    n = parts.active
    M, J = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        for k, weight in zip(OFFSETS, WEIGHTS, strict=True):
            run.restore(first)
            run.left.w[:] = w
            run.left.w[i] += k * size
            status, _ = run.walk(1)
            assert status == 0
            M[:, i] += weight * run.row[:n] / size
    for row in parts.rows[: parts.active_rows]:
        half = 4 if row[KIND] == ROTATION else row[SIZE]
        for i in range(row[AT], row[AT] + half):
            J[i, i + half], J[i + half, i] = 1.0, -1.0
    return float(np.abs(M.T @ J @ M - J).max())


@pytest.mark.verify
def test_the_step_is_symplectic_and_that_of_reversible_steps_is_not() -> None:
    state = ph.FullTwoBodyProblem.example()
    assert pull_back_defect(state, METHOD) < 1e-8
    assert pull_back_defect(state, ph.GaussLegendre(adaptive="reversible")) > 0.1


def test_the_energy_that_a_run_refers_to() -> None:
    """In lanes, and by the system's own sum."""
    for state in (ph.FullTwoBodyProblem.example(), ph.FullBodyProblem.example()):
        found = METHOD.start(state, 1.0).left.memory[ENERGY]
        assert found == pytest.approx(float(state.invariants()["energy"]), rel=1e-14)


@pytest.mark.parametrize("eccentricity", [0.5, 0.9])
def test_an_orbit(eccentricity: float) -> None:
    state = binary(eccentricity)
    found = ph.simulate(state, t_eval=[1.0, 3.1, 20.0], method=METHOD)
    truth = ph.simulate(state, t_eval=[1.0, 3.1, 20.0], method=TIGHT)
    assert max(distance(found.state(k), truth.state(k)) for k in range(3)) < 2e-9
    assert symmetry_defect(state, METHOD, 1.0, 6) < 1e-10


def test_three_bodies() -> None:
    state = ph.FullBodyProblem.example()
    found = ph.simulate(state, step=2.0, t_end=20.0, method=METHOD)
    truth = ph.simulate(state, step=2.0, t_end=20.0, method=TIGHT)
    assert distance(found.final, truth.final) < 1e-9
    assert found.drift()["linear_momentum"] < 1e-13


@pytest.mark.parametrize(("eccentricity", "size", "bound"), [(0.9, 0.02, 1e-11), (0.99, 0.006, 1e-9)])
def test_many_close_encounters(eccentricity: float, size: float, bound: float) -> None:
    run = ph.simulate(binary(eccentricity, size), step=2.0 * np.pi, steps=100, method=METHOD)
    energy = run.invariants()["energy"]
    error = energy / energy[0] - 1.0
    assert np.abs(error).max() < bound
    assert abs(np.polyfit(np.arange(101), error, 1)[0]) * 100 < bound
    # the iteration of samples that lie late in a step is slow, and ends before rounding; that of nodes is not
    assert {row.name: row.relative for row in run.conservation()}["angular_momentum"] < 1e-9
    nodes = METHOD.start(run.state(0), 1.0)
    assert nodes.walk(500)[0] == 0
    values = nodes.layout.unpack(nodes.states(nodes.row[None])[0])
    first, last = (run.system.invariants(v)["angular_momentum"] for v in (run.state(0).values, values))
    np.testing.assert_allclose(last, first, atol=3e-12 * np.linalg.norm(first))


def test_a_resumed_run_has_the_same_bits() -> None:
    state = binary(0.9)
    whole = ph.simulate(state, step=0.3, steps=40, method=METHOD)
    again = ph.resume(ph.simulate(state, step=0.3, steps=13, method=METHOD), steps=27)
    assert np.array_equal(again.X, whole.X)
    assert np.array_equal(again.Pi, whole.Pi)


def test_what_it_cannot_integrate() -> None:
    for system in (ph.Pendulum3D.example().system, ph.ConstantBodyMoment.example().system):
        with pytest.raises(ph.IncompatibleMethodError, match="its energy as a conserved function"):
            METHOD.check(system)
    assert (METHOD.symplectic, METHOD.symmetric, METHOD.preserves_momentum) == (True, True, True)
