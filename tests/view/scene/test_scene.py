"""What trajectories look like: every system has a picture or says why not, and the picture is where the bodies are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import polhode as ph
from polhode.core.method import known_methods
from polhode.geometry import quaternion
from polhode.systems.registry import known_systems
from polhode.view.html.page import page_html, scene_data, to_base64
from polhode.view.scene.appearance import appearance
from polhode.view.scene.mesh_export import vertices_in_space
from polhode.view.scene.scene import MAX_FRAMES, scene

BEYOND = {"CoupledDoubleBrackets"}  # examples that live in no three dimensions


def run_of(cls: type, steps: int = 60, step: float = 0.02) -> ph.Trajectory:
    state = cls.example()
    method = next(m for kind in known_methods().values() for m in kind.variants() if m.why_not(state.system) is None)
    return ph.simulate(state, step=step, steps=steps, method=method)


@pytest.mark.parametrize("name", known_systems())
def test_every_system_shows_itself_or_says_why_not(name: str) -> None:
    shown = scene(run_of(known_systems()[name]))
    if name in BEYOND:
        assert shown.is_empty
        assert shown.note
        assert "<canvas" not in page_html(shown)
        return
    centre, radius = shown.framing
    assert len(shown.t) == 61
    for item in shown.objects:
        assert item.position.shape in ((1, 3), (61, 3))
        assert item.q.shape in ((1, 4), (61, 4))
        np.testing.assert_allclose(np.linalg.norm(item.q, axis=1), 1.0, atol=1e-12)
        for k in range(0, 61, 20):
            middle, width = (rows[k if len(rows) > 1 else 0] for rows in (centre, radius))
            away = np.linalg.norm(vertices_in_space(item, k) - middle, axis=1)
            assert np.all(away <= width * (1 + 1e-12))  # nothing is outside the picture
    moving = [*(item.q for item in shown.objects), *(arrow.vector for arrow in shown.arrows)]
    assert any(len(rows) == 61 for rows in moving)
    scene_data(shown)


def test_vectors_are_in_space() -> None:
    trajectory = ph.simulate(ph.FreeRigidBody.example(), step=0.02, steps=60, method=ph.LGVI())
    shown = scene(trajectory)
    momentum, rate = shown.arrows
    np.testing.assert_allclose(
        momentum.vector - momentum.vector[0], 0.0, atol=1e-12
    )  # it is conserved, so it does not move
    direction = np.einsum("tij,tj->ti", trajectory.R, trajectory.omega)
    np.testing.assert_allclose(np.cross(rate.vector, direction), 0.0, atol=1e-12)


def test_two_bodies_are_where_the_trajectory_says() -> None:
    trajectory = run_of(ph.FullTwoBodyProblem)
    one, two = scene(trajectory).objects
    np.testing.assert_array_equal(one.path, trajectory.x1)
    np.testing.assert_array_equal(two.position, trajectory.x2)
    np.testing.assert_allclose(quaternion.to_matrix(one.q), trajectory.R1, atol=1e-12)


def test_both_forms_of_two_bodies_look_the_same() -> None:
    relative = ph.FullTwoBodyProblem.example()
    system = relative.system
    inertial = ph.FullBodyProblem([system.body1, system.body2], gravity=system.gravity, G=system.G)
    start = inertial.state(
        x=[relative.x1, relative.x2],
        v=[relative.v1, relative.v2],
        R=[relative.R1, relative.R2],
        omega=[relative.Omega1, relative.Omega2],
    )
    first, second = (scene(ph.simulate(s, step=0.002, steps=100)) for s in (relative, start))
    for a, b in zip(first.objects, second.objects, strict=True):
        np.testing.assert_allclose(a.position, b.position, atol=1e-5)
        assert quaternion.distance(a.q, b.q).max() < 1e-5
    for one, other in zip(first.arrows, second.arrows, strict=True):
        np.testing.assert_allclose(one.vector, other.vector, atol=1e-4)


def test_a_pendulum_hangs_from_its_pivot() -> None:
    body = ph.PlanarPendulum(0.4, mass=1.2, length=0.5)
    bob, pivot = appearance(body, ph.simulate(body.state(theta=0.3), step=0.1, steps=1)).objects
    np.testing.assert_allclose(bob.path[0], 0.5 * np.array([np.sin(0.3), 0.0, -np.cos(0.3)]), atol=1e-12)
    assert not pivot.position.any()


def test_the_links_of_a_double_pendulum_stay_joined() -> None:
    trajectory = run_of(ph.DoublePlanarPendulum)
    first, second, _ = appearance(trajectory.system, trajectory).objects
    end = np.array([0.0, 0.0, -trajectory.system.given["length1"]])
    np.testing.assert_allclose(quaternion.rotate(first.q, np.tile(end, (61, 1))), second.position, atol=1e-12)


def test_a_long_run_is_thinned_never_cut() -> None:
    body = ph.FreeRigidBody([1, 2, 3])
    state = body.state(omega=[0.7, -0.6, 0.5])
    long = scene(ph.simulate(state, step=0.01, steps=20_000))
    assert len(long.t) <= MAX_FRAMES
    assert long.t[-1] == pytest.approx(200.0)
    assert long.interpolated
    assert quaternion.distance(long.objects[0].q[1:], long.objects[0].q[:-1]).max() < 0.6
    longer = scene(ph.simulate(state, step=0.1, steps=40_000))
    assert longer.t[-1] == pytest.approx(4000.0)
    assert longer.interpolated
    longest = scene(ph.simulate(state, step=0.1, steps=400_000, save_every=5))
    assert longest.t[-1] == pytest.approx(40_000.0)
    assert len(longest.t) == MAX_FRAMES
    assert not longest.interpolated
    assert "frames of so long a run" in longest.note


def test_samples_that_are_far_apart_are_not_joined() -> None:
    body = ph.FreeRigidBody([1, 2, 3])
    run = ph.simulate(body.state(omega=[0.7, -0.6, 0.5]), step=0.1, steps=1000, save_every=30)
    shown = scene(run)
    assert not shown.interpolated
    objects, _ = shown.at(0.499 / (len(run) - 1))
    np.testing.assert_array_equal(objects[0][1], shown.objects[0].q[0])


def test_between_frames_objects_turn_by_the_shortest_way() -> None:
    shown = scene(run_of(ph.FullTwoBodyProblem))
    flipped = replace(shown.objects[0], q=shown.objects[0].q * np.where(np.arange(61) % 2, -1.0, 1.0)[:, None])
    for item, q in (
        (shown, shown.objects[0].q),
        (replace(shown, appearance=replace(shown.appearance, objects=[flipped])), flipped.q),
    ):
        ((x, between), *_), _ = item.at(10.5 / 60)
        a, b = (float(quaternion.distance(between, end)) for end in (q[10], q[11]))
        assert a == pytest.approx(b, rel=1e-3)
        assert a + b == pytest.approx(float(quaternion.distance(q[10], q[11])), rel=1e-9)
        np.testing.assert_allclose(x, 0.5 * (shown.objects[0].position[10] + shown.objects[0].position[11]))


def test_one_sample_and_a_run_backwards_are_shown_too() -> None:
    state = ph.FreeRigidBody.example()
    one = scene(ph.simulate(state, step=0.1, steps=0))
    assert len(one.t) == 1
    one.at(0.5)
    scene_data(one)
    back = scene(ph.simulate(state, step=-0.1, steps=10))
    np.testing.assert_allclose(back.at(1.0)[0][0][1], back.objects[0].q[-1], atol=1e-12)


def test_a_system_of_ones_own_is_shown_by_its_attitude() -> None:
    class Silent:
        fields = {"R": ph.FreeRigidBody.fields["R"]}

    trajectory = run_of(ph.FreeRigidBody)
    (item,) = appearance(Silent(), trajectory).objects  # type: ignore[arg-type]
    np.testing.assert_allclose(quaternion.to_matrix(item.q), trajectory.R, atol=1e-12)


def test_numbers_survive_packing() -> None:
    from base64 import b64decode

    numbers = np.random.default_rng(1).normal(size=(7, 3))
    np.testing.assert_array_equal(
        np.frombuffer(b64decode(to_base64(numbers)), dtype="<f4").reshape(7, 3), numbers.astype(np.float32)
    )
