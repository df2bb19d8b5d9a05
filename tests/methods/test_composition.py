"""Composition coefficients, and what the methods say of themselves."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.core.scalar_packing import blocks
from polhode.methods import known_methods
from polhode.methods.composition import ORDERS, composition_stages, fractions


@pytest.mark.parametrize("order", ORDERS)
def test_order_conditions(order: int) -> None:
    """Symmetric, consistent, and the odd power sums that a symmetric composition of this order needs vanish."""
    gamma = fractions(order)
    np.testing.assert_array_equal(gamma, gamma[::-1])
    assert gamma.sum() == pytest.approx(1.0, abs=1e-15)
    for power in range(3, order, 2):
        assert abs(np.sum(gamma**power)) < 1e-14
    assert abs(np.sum(gamma ** (order + 1))) > 1e-6
    np.testing.assert_allclose(
        composition_stages(order)[:, 1] + composition_stages(order)[:, 0], np.cumsum(gamma), atol=1e-15
    )


@pytest.mark.parametrize(("options", "field"), [({"order": 3}, "order"), ({"form": "newtonian"}, "form")])
def test_bad_options_are_named(options: dict, field: str) -> None:
    with pytest.raises(ph.InvalidInputError, match="one of") as caught:
        ph.LGVI(**options)
    assert caught.value.field == field
    with pytest.raises(ph.InvalidInputError, match="rtol"):
        ph.DOP853(rtol=-1.0)


def test_methods_rebuild_from_their_options() -> None:
    for cls in known_methods().values():
        for method in cls.variants():
            assert cls(**method.options()) == method
            assert method.reference
            assert eval(repr(method), vars(ph)) == method
    assert ph.LGVI() != ph.LGVI(4)


@pytest.mark.parametrize("dimension", [1, 6, 8, 9, 12, 24, 100])
def test_blocks_cover_the_directions(dimension: int) -> None:
    parts = blocks(dimension)
    assert [i for part in parts for i in range(dimension)[part]] == list(range(dimension))
    assert max(part.stop - part.start for part in parts) <= 12


def test_lanes_run_members_of_their_own() -> None:
    """A block of members with different states and parameters equals, bit for bit, their runs one by one."""
    from polhode.core.method import Start
    from polhode.core.scalar_packing import spread, spread_parameters
    from polhode.methods.loops import DriftKickRun
    from polhode.scalars import lanes

    rng = np.random.default_rng(5)
    kind, members = lanes(8), 5
    bodies = [ph.FreeRigidBody(inertia=[1, 2, 2 + 0.2 * i]) for i in range(members)]
    states = [body.state(omega=rng.normal(size=3)) for body in bodies]
    representation = bodies[0].representations["default"]
    y = spread(
        representation.layout, np.stack([b.enter("default", s) for b, s in zip(bodies, states, strict=True)]), kind
    )
    p = spread_parameters(np.stack([b.parameters() for b in bodies]), kind)
    run = DriftKickRun(Start(states[0], 0.1, kind, representation, y, p), composition_stages(4))
    status, done = run.advance(0, 300, 1000, np.empty((0, run.carried)))
    assert (status, done) == (0, 300)
    ends = run.y.reshape(-1, kind.width)
    for i, state in enumerate(states):
        alone = ph.simulate(state, step=0.1, steps=300, save_every=300, method=ph.LGVI(4)).final
        np.testing.assert_array_equal(ends[:, i], np.concatenate([alone.R.reshape(-1), alone.Pi]))
