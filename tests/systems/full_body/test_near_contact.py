"""Bodies that come near and touch, with the gravity of their true shapes: momenta, energy, the end at the contact."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Body, Ellipsoid, Polyhedron
from polhode.errors import InvalidInputError
from polhode.io.scenario.build import build_plan
from polhode.io.scenario.document import load_scenario
from polhode.io.scenario.examples import find_example
from polhode.simulation.events import Contact
from tests.tiers import later

from ...bodies.shapes import lumpy, sphere_mesh


def rough_octahedron(seed: int, mass: float, size: float) -> Polyhedron:
    """Eight facets without symmetry."""
    points, faces = sphere_mesh(0)
    return Polyhedron(size * points * np.random.default_rng(seed).uniform(0.8, 1.3, size=(6, 1)), faces, mass=mass)


EGG = Ellipsoid(0.5, [0.5, 0.4, 0.3])
PAIRS: dict[str, tuple[Body, Body]] = {
    "ellipsoids": (EGG, Ellipsoid(3.0, [1.2, 1.1, 0.8])),
    "ellipsoid and mesh": (EGG, lumpy(1, mass=3.0, recentre=True)),
    "meshes": (rough_octahedron(2, 0.5, 0.5), rough_octahedron(1, 3.0, 1.2)),
}


@pytest.mark.parametrize("name", later(PAIRS, lambda name: name != "ellipsoids"))
def test_a_fall_to_the_surface(name: str) -> None:
    # released at rest inside the circumscribed spheres
    first, second = PAIRS[name]
    pair = ph.FullTwoBodyProblem(first, second, gravity="shapes")
    start = pair.state(X=[0.3, 0.35, 1.5], V=[0.0, 0.1, 0.0], Omega1=[0.3, 0.2, 0.1], Omega2=[0.1, -0.2, 0.3])
    assert np.linalg.norm(start.X) < first.radius + second.radius
    run = ph.simulate(start, step=0.02, t_end=2.0, events=[Contact()])
    assert [one.event for one in run.events] == ["contact"]
    drift = {row.name: row.worst for row in run.conservation()}
    assert drift["angular_momentum"] < 1e-13
    assert drift["linear_momentum"] < 1e-13
    assert drift["energy"] < 1e-3 * np.ptp(pair.energies(run.values)["potential"])
    # order 2 in the step: a jumping or inconsistent force would not show it
    steps = len(run) - 2
    ends = [ph.simulate(start, step=0.02 / k, steps=k * steps).drift()["energy"] for k in (1, 2)]
    ratio = ends[0] / ends[1]
    assert ratio == pytest.approx(4.0, rel=0.1)


def test_both_forms_are_the_same_motion() -> None:
    first, second = PAIRS["ellipsoids"]
    pair = ph.FullTwoBodyProblem(first, second, gravity="shapes")
    start = pair.state(X=[0.3, 0.35, 1.6], V=[0.0, 1.1, 0.3], Omega1=[0.3, 0.2, 0.1])
    relative = ph.simulate(start, step=0.01, steps=50).final
    inertial = ph.simulate(pair.to_inertial(start), step=0.01, steps=50).final
    np.testing.assert_allclose([relative.x1, relative.x2], inertial.x, atol=1e-13)
    np.testing.assert_allclose([relative.R1, relative.R2], inertial.R, atol=1e-13)


def test_gravity_must_be_known() -> None:
    with pytest.raises(InvalidInputError, match='"points", "polyhedron", "shapes", or the order'):
        ph.FullTwoBodyProblem(EGG, EGG, gravity="shape")


def test_an_ensemble_of_meshes_has_the_bits_of_single_runs() -> None:
    pair = ph.FullTwoBodyProblem(*PAIRS["meshes"], gravity="shapes")
    assert not pair.same_bits_in_lanes  # so that members run one by one
    states = [pair.state(X=[0.3, 0.35, 1.5 + 0.1 * k], V=[0.0, 0.1, 0.0]) for k in range(4)]
    together = ph.ensemble(states, step=0.02, steps=3, save=1)
    for k, state in enumerate(states):
        np.testing.assert_array_equal(together.X[k], ph.simulate(state, step=0.02, steps=3).X)


def test_a_scenario_may_ask_for_shapes() -> None:
    scenario = load_scenario(find_example("didymos"), ['system.gravity="shapes"', "run.t_end=120.0"])
    plan = build_plan(scenario)
    assert plan.system.gravity == "shapes"  # type: ignore[attr-defined]
    assert plan.run().drift()["angular_momentum"] < 1e-13 * np.linalg.norm(
        plan.system.invariants(plan.state.values)["angular_momentum"]
    )
