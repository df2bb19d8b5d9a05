"""Memory of runs begins where a cache line does."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.core.method import Start
from polhode.methods.loops import CACHE_LINE, aligned
from polhode.scalars import double, duals


@pytest.mark.parametrize("shape", [5, np.int64(5), (2, 3), (np.int64(4), 2)])
def test_aligned_arrays_have_their_shape_and_begin_a_cache_line(shape: Any) -> None:
    found = aligned(shape, 3.0)
    assert found.shape == np.empty(shape).shape
    assert np.all(found == 3.0)
    assert found.ctypes.data % CACHE_LINE == 0


def test_the_sizes_of_rotors_are_numpys_integers() -> None:
    state = ph.Gyrostat.example()
    run = ph.simulate(state, step=0.05, t_end=2.0, method=ph.GaussLegendre(), save_every=40)
    expected = ph.simulate(state, step=2.0, t_end=2.0, method=ph.DOP853(rtol=1e-13, atol=1e-13))
    np.testing.assert_allclose(run.R[-1], expected.R[-1], rtol=0, atol=1e-11)
    np.testing.assert_allclose(run.omega[-1], expected.omega[-1], rtol=0, atol=1e-11)


@pytest.mark.parametrize("known", [True, False])
def test_a_loop_is_called_before_the_run_if_it_may_have_to_be_compiled(
    known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ph.LGVI().start(ph.FreeRigidBody.example(), 0.1)
    calls: list[tuple[Any, ...]] = []
    monkeypatch.setattr(type(run), "entered", SimpleNamespace(entered_on=lambda kind: known and kind is run.kind))
    monkeypatch.setattr(run, "advance", lambda *arguments: calls.append(arguments))
    run.begin(7)
    assert [arguments[:2] for arguments in calls] == ([] if known else [(7, 0)])


@pytest.mark.parametrize("kind", [double, duals(6)])
@pytest.mark.parametrize("form", ["hamiltonian", "lagrangian"])
def test_a_run_that_sets_out_again_has_the_bits_of_a_new_one(kind: Any, form: str) -> None:
    state, method = ph.Pendulum3D.example(), ph.LGVI(form=form)
    later = ph.simulate(state, step=0.1, steps=3).final
    run, rows = method.start(state, 0.05, kind), np.empty((2, 8))
    run.advance(0, 7, 9, rows[:0])
    assert run.set_out(Start.of(later, 0.1, method.representation, kind))
    new = method.start(later, 0.1, kind)
    for each in (run, new):
        each.advance(0, 4, 9, rows[:0])
    assert run.row.tobytes() == new.row.tobytes()
    assert run.report.numbers.tobytes() == new.report.numbers.tobytes()


def test_a_run_sets_out_on_its_own_flows_only() -> None:
    run = ph.LGVI().start(ph.Pendulum3D.example(), 0.1)
    assert not run.set_out(Start.of(ph.FreeRigidBody.example(), 0.1))
    assert not run.set_out(Start.of(ph.Pendulum3D.example(), 0.1, kind=duals(6)))
