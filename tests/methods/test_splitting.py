"""Splittings: the order of each set of coefficients, in multiprecision; and the method on a top."""

from itertools import pairwise

import mpmath
import numpy as np
import pytest

import polhode as ph
from polhode.analysis import symmetry_defect, symplectic_defect
from polhode.analysis.convergence import reference_final
from polhode.methods.splitting import ORDERS, kicks_and_drifts


def pendulum_error(order, steps):
    """The error at t = 1 of `θ̈ = −sin θ − 0.3 sin 2θ` after so many steps of a set, in 50 digits."""
    h = mpmath.mpf(1) / steps
    b, a = ([mpmath.mpf(float(x)) for x in values] for values in kicks_and_drifts(order))
    # the doubles of a set are rounded; put their sums right
    b[len(b) // 2] += 1 - sum(b)
    a[len(a) // 2] += 1 - sum(a)
    x, p = mpmath.mpf("0.8"), mpmath.mpf("1.1")

    def force(x):
        return -mpmath.sin(x) - mpmath.mpf("0.3") * mpmath.sin(2 * x)

    for _ in range(steps):
        p += b[0] * h * force(x)
        for drift, kick in zip(a, b[1:], strict=True):
            x += drift * h * p
            p += kick * h * force(x)
    return x, p


@pytest.mark.parametrize("order", ORDERS)
def test_order_of_the_sets(order):
    """Two-sided, on three steps: the differences of successive results fall by 2^order."""
    with mpmath.workdps(50):
        counts = {2: (8, 16, 32, 64), 4: (8, 16, 32, 64, 128), 6: (8, 16, 32, 64), 8: (8, 16, 32, 64)}[order]
        found = [pendulum_error(order, n) for n in counts]
        gaps = [abs(u[0] - v[0]) + abs(u[1] - v[1]) for u, v in pairwise(found)]
        orders = [float(mpmath.log(g / f, 2)) for g, f in pairwise(gaps)]
    assert np.all(np.abs(np.array(orders) - order) < 0.25), orders
    assert abs(orders[-1] - order) < 0.1, orders


@pytest.mark.parametrize("order", ORDERS)
def test_sets_are_symmetric(order):
    b, a = kicks_and_drifts(order)
    assert b.size == a.size + 1
    np.testing.assert_allclose(b, b[::-1], atol=1e-16)
    np.testing.assert_allclose(a, a[::-1], atol=1e-16)
    assert abs(b.sum() - 1) + abs(a.sum() - 1) < 1e-15


TOP = ph.Pendulum3D([0.4, 0.6, 0.7], mass=1.0, rho0=[0.1, -0.05, 0.3], g=3.0)
STATE = TOP.state(q=[0.1, 0.2, 0.3, 0.9], omega=[0.6, -0.4, 3.0])


def test_heavy_top():
    """Of a heavy asymmetric top the energy stays bounded, the momentum about the vertical is exact, and the attitude
    comes out as an adaptive reference has it."""
    run = ph.simulate(STATE, step=0.02, steps=250, method=ph.Splitting(order=6))
    reference = reference_final(STATE, 5.0, closed_form=False)
    assert np.abs(run.final.R - reference.R).max() < 2e-9
    kept = {row.name: row.relative for row in run.conservation()}
    assert kept["vertical_momentum"] < 1e-13
    assert kept["energy"] < 1e-9


def test_structure():
    method = ph.Splitting(order=4)
    assert symplectic_defect(STATE, method, 0.3) < 1e-12  # a step that is far from the solution
    assert symmetry_defect(STATE, method, 0.3) < 1e-12


def test_without_gravity_any_step_is_exact():
    free = ph.Pendulum3D([0.4, 0.6, 0.7], mass=1.0, rho0=[0.1, -0.05, 0.3], g=0.0)
    state = free.state(omega=[0.6, -0.4, 3.0])
    body = ph.FreeRigidBody(free.inertia.matrix)
    truth = body.exact(body.state(omega=[0.6, -0.4, 3.0]), [7.0])
    final = ph.simulate(state, step=7.0, steps=1, method=ph.Splitting(order=2)).final
    np.testing.assert_allclose(final.R, truth["R"][0], rtol=0, atol=1e-13)


@pytest.mark.verify
def test_free_bodies_reach_any_time_in_one_step():
    body = ph.FreeRigidBody([1.0, 2.0, 3.0])
    states = [body.state(omega=[0.7, -0.6, 0.5 + 0.1 * i]) for i in range(20)]
    found = ph.ensemble(states, step=10.0, steps=1, method=ph.Splitting(order=2))
    for i, state in enumerate(states):
        np.testing.assert_allclose(found.R[i, -1], body.exact(state, [10.0])["R"][0], rtol=0, atol=1e-13)


def test_where_it_does_not_fit():
    damped = ph.Pendulum3D([0.4, 0.6, 0.7], mass=1.0, rho0=[0.1, -0.05, 0.3], damping=0.1)
    with pytest.raises(ph.IncompatibleMethodError, match="not known in closed form"):
        ph.simulate(damped.state(), step=0.1, steps=1, method=ph.Splitting())
    with pytest.raises(ph.InvalidInputError, match="order"):
        ph.Splitting(order=5)
    with pytest.raises(ph.InvalidInputError, match="drift"):
        ph.Splitting(drift="implicit")
