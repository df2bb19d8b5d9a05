"""How bodies look: in their shapes, on their pivots, in more dimensions than three."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Box, Compound, Cone, Cylinder, Part
from polhode.view.scene.appearance import appearance
from polhode.view.scene.objects import SceneObject
from polhode.view.scene.pendulum_appearance import pivot

HANDLE = Compound([Part(Cylinder(0.1, 1.0, mass=1.0), axis=[1, 0, 0]), Part(Cylinder(0.1, 0.6, mass=0.5), [0, 0, 0.3])])


def shown(state: ph.State, steps: int = 5, step: float = 0.01) -> tuple[ph.Trajectory, list[SceneObject]]:
    run = ph.simulate(state, step=step, steps=steps)
    return run, list(appearance(run.system, run).objects)


def test_a_body_with_a_shape_turns_about_its_mass_centre() -> None:
    _, (body,) = shown(ph.FreeRigidBody(HANDLE).state(omega=[0.1, 0.2, 2.0]))
    low, high = body.mesh.vertices.min(axis=0), body.mesh.vertices.max(axis=0)
    np.testing.assert_allclose(low + HANDLE.centre, [-0.5, -0.1, -0.1], atol=1e-3)
    np.testing.assert_allclose(high + HANDLE.centre, [0.5, 0.1, 0.6], atol=1e-3)


def test_a_shape_on_a_pivot_has_it_at_the_origin() -> None:
    cone = Cone(0.3, 0.5, mass=1.0)
    _, (body, _) = shown(ph.Pendulum3D(cone, pivot=cone.tip).state(omega=[0.0, 0.0, 20.0]))
    tip = body.mesh.vertices[body.mesh.vertices[:, 2].argmax()]
    np.testing.assert_allclose(tip, 0.0, atol=1e-12)
    box = Box([0.1, 0.2, 0.3], mass=1.0)
    _, (hanging, _) = shown(ph.Pendulum3D(box, pivot=[0.0, 0.0, 1.0]).state(omega=[0.1, 0.0, 0.0]))
    heights = hanging.mesh.vertices[:, 2]
    assert heights.min() == pytest.approx(-1.15)
    assert heights.max() == pytest.approx(0.0, abs=0.05)  # the rod


def test_a_top_stands_on_its_tip() -> None:
    top = ph.Pendulum3D([0.02, 0.02, 0.03], mass=1.0, rho0=[0.0, 0.0, -0.4])
    _, (body, stand) = shown(top.state(omega=[0.0, 0.0, 50.0]))
    heights = body.mesh.vertices[:, 2]
    assert heights.min() == pytest.approx(0.0, abs=1e-12)  # the pivot, and all else above it
    disc = np.hypot(body.mesh.vertices[:, 0], body.mesh.vertices[:, 1]).max()
    assert disc == pytest.approx(np.sqrt(2 * 0.03), rel=1e-9)  # m r²/2 is the axial moment
    assert set(body.mesh.colours) == {"", "#E9E4D8"}
    assert stand.mesh.vertices[:, 2].min() < -0.05
    assert not stand.is_body


def test_what_holds_a_pivot_is_where_the_body_is_not() -> None:
    def ends(*heights: float) -> tuple[float, float]:
        z = pivot(1.0, *heights).mesh.vertices[:, 2]
        return float(z.min()), float(z.max())

    assert ends(0.9, 1.0)[0] < -0.2  # it stands: a foot below
    assert ends(-1.0, -0.9)[1] > 0.2  # it hangs: a hook above
    assert ends(-1.0, 1.0) == pytest.approx((-0.03, 0.03), abs=0.001)  # it turns over: only the pivot


def test_the_axes_of_a_body_in_four_dimensions_are_shown_by_three_coordinates() -> None:
    run = ph.simulate(ph.RigidBodySOn.example(), step=0.02, steps=3)
    seen = appearance(run.system, run)
    assert not any(item.is_body for item in seen.objects)
    assert len(seen.arrows) == run.system.n
    for i, arrow in enumerate(seen.arrows):
        np.testing.assert_array_equal(arrow.vector, run.Q[:, :3, i])
        assert np.all(np.linalg.norm(arrow.vector, axis=1) <= 1.0 + 1e-12)


def test_coupled_bodies_are_joined() -> None:
    state = ph.CoupledBodies([[1, 2, 2.5], HANDLE, [1, 1, 1]], couplings=[[0, 2, 0.7]]).state()
    _, objects = shown(state, steps=1)
    assert [item.name for item in objects] == ["body0", "body1", "body2", "coupling"]
    ends = objects[-1].mesh.vertices[:, 0]
    assert (ends.min(), ends.max()) == (objects[0].position[0, 0], objects[2].position[0, 0])


def test_wheels_of_a_gyrostat_are_outside_its_brick() -> None:
    plain = ph.Gyrostat([1, 2, 2.5]).state(omega=[0, 0, 1])
    wheel = ph.Gyrostat([1, 2, 2.5], rotors=[ph.Rotor([0.02, 0.01], axis=[0, 1, 0], speed=3.0)]).state(omega=[0, 0, 1])
    (_, (brick,)), (_, (body,)) = shown(plain, 1), shown(wheel, 1)
    assert body.mesh.vertices[:, 1].max() > brick.mesh.vertices[:, 1].max() + 0.1
