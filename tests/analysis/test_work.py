"""Work and precision: errors fall with the order, costs are counted, and steps that are too large are left out."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.analysis import group_defect, work_precision
from polhode.tables import Table
from polhode.view.figures.work_precision import plot_work_precision as draw

STATE = ph.PlanarPendulum.example()
METHODS = [ph.LGVI(), ph.LGVI(order=4), ph.RK4()]


def test_errors_fall_with_the_order_and_costs_are_counted() -> None:
    found = work_precision(STATE, METHODS, 6.0, [60, 120])
    assert [method for method, _ in found.by_method()] == METHODS
    for method, (coarse, fine) in found.by_method():
        assert coarse.step == pytest.approx(0.1)
        assert np.log2(coarse.error / fine.error) == pytest.approx(method.order, abs=0.3)
        assert fine.evaluations == 2 * coarse.evaluations
        assert fine.seconds > 0.0
    exact = ph.simulate(STATE, step=6.0, steps=1, method=ph.Exact()).final
    run = ph.simulate(STATE, step=0.1, steps=60, method=ph.RK4())
    (row,) = [r for r in found.runs if r.method is METHODS[2] and r.step > 0.09]
    assert row.error == pytest.approx(max(abs(float(run.final.theta - exact.theta)), abs(float(run.final.p - exact.p))))
    assert row.energy == pytest.approx(run.conservation()[0].relative, rel=1e-6)


def test_it_can_be_shown() -> None:
    found = work_precision(STATE, METHODS, 6.0, [60, 120])
    table = Table("Work and precision", found.plain())
    assert len(table) == 6
    assert table.columns == ["method", "step", "error", "energy", "seconds", "evaluations"]
    left, middle, right = draw(found).axes
    for ax in (left, middle, right):
        assert ax.get_xscale() == ax.get_yscale() == "log"
        assert len(ax.lines) == 3
    np.testing.assert_allclose(left.lines[1].get_ydata(), [run.error for run in found.runs[2:4]])
    np.testing.assert_allclose(left.lines[1].get_xdata(), [run.evaluations for run in found.runs[2:4]])


def test_steps_that_are_too_large_are_left_out() -> None:
    body = ph.PlanarPendulum(0.4, mass=1.2, length=0.5)
    fast = body.state(omega=20.0)
    found = work_precision(fast, [ph.LGVI()], 1.0, [10, 100])
    assert [run.step for run in found.runs] == [0.01]
    with pytest.raises(ph.PolhodeError, match="larger counts"):
        work_precision(fast, [ph.LGVI()], 1.0, [10])
    with pytest.raises(ph.InvalidInputError):
        work_precision(fast, [], 1.0)


def test_what_leaves_the_group_is_seen() -> None:
    runs = [ph.simulate(STATE, step=0.1, steps=500, method=m) for m in (ph.LGVI(), ph.RK4())]
    kept, lost = (group_defect(run) for run in runs)
    assert kept < 1e-14
    assert lost == pytest.approx(abs(np.linalg.norm(runs[1].final.z) - 1.0), rel=1e-3)
    assert lost > 1e-8
