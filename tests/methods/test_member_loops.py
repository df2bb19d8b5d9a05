"""The loop that has the drift in itself does for many members what the loop for all does."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.core.method import Method
from polhode.methods import member_loops
from polhode.methods.member_loops import Rows, drifts_alone
from polhode.scalars import double, lanes

W = 4
FREE = ph.FreeRigidBody.example()


def advanced(method: Method, state: ph.State, fastest: float) -> list[np.ndarray]:
    """What two rows of members are after steps in two pieces, with samples, statuses and the report. The second row spins
    up to `fastest` times as fast as the first."""
    run = method.start(state, 0.1, lanes(W))
    first = method.start(state, 0.1).y[: run.layout.size]
    momenta = slice(run.slots.momentum_entry, run.layout.size)
    members = np.repeat(first[None], 2 * W, axis=0)
    members[W:, momenta] *= np.linspace(1.1, fastest, W)[:, None]
    starts = members.reshape(2, W, -1).transpose(0, 2, 1).reshape(2, -1)
    rows = Rows(run, starts, np.repeat(state.system.parameters()[None], W, axis=1))
    pieces = []
    for begin, count in ((0, 4), (4, 5)):
        samples = np.zeros((2, (begin + count) // 3 - begin // 3, run.carried))
        rows.advance(begin, count, 3, samples)
        pieces.append(samples)
    return [*pieces, rows.carried.copy(), rows.statuses, run.report.numbers]


@pytest.mark.parametrize("method", [ph.LGVI(), ph.QuaternionVI()], ids=repr)
@pytest.mark.parametrize("fastest", [1.3, 1000.0], ids=["all arrive", "one fails"])
def test_both_loops_give_the_same_bits(method, fastest, monkeypatch):
    fused = advanced(method, FREE, fastest)
    assert fused[3].tolist() == [0, int(fastest > 100.0)]
    assert np.all(fused[0][0] != 0.0)
    monkeypatch.setattr(member_loops, "drifts_alone", lambda run: False)
    for one, other in zip(fused, advanced(method, FREE, fastest), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize(
    ("method", "state", "kind", "alone"),
    [
        (ph.LGVI(), FREE, lanes(W), True),
        (ph.LGVI(), FREE, double, False),
        (ph.LGVI(order=4), FREE, lanes(W), False),
        (ph.LGVI(), ph.Pendulum3D.example(), lanes(W), False),
        (ph.LGVI(), ph.RigidBodySOn([1.0, 2.0, 3.0, 4.0]).state(), lanes(W), False),
        (ph.RK4(), FREE, lanes(W), False),
    ],
    ids=["free", "doubles", "several substeps", "force", "long", "no drift"],
)
def test_a_short_single_drift_on_lanes_gets_a_loop_of_its_own(method, state, kind, alone):
    assert drifts_alone(method.start(state, 0.1, kind)) == alone
