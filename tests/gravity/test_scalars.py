"""One kernel, many scalars: lanes and duals give what doubles give, and the derivatives with it."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.bodies import Sphere
from polhode.gravity import Expansion, Interaction, PointsPoints, PolyhedronPoint, Shapes
from polhode.gravity.dispatch import evaluator, kernel_for
from polhode.scalars import double, duals, lanes
from tests.bodies.shapes import lumpy
from tests.gravity.reference import AXES, cloud, hat, rotation
from tests.tiers import later

G = 0.7
X = np.array([1.1, -0.7, 1.6])
R = rotation(4)
ONE, TWO = cloud(1, 6), cloud(2, 5)
PAIRS: dict[str, Interaction] = {
    "points": PointsPoints(ONE, TWO, G),
    "order 2": Expansion(ONE, TWO, 2, G),
    "order 3": Expansion(ONE, TWO, 3, G),
    "order 6": Expansion(ONE, TWO, 6, G),
    "polyhedron": PolyhedronPoint(Sphere(1.0, 0.1), lumpy(density=1.0), G),
    "points about a polyhedron": Shapes(cloud(1, 3), lumpy(density=1.0), G),
}
each_pair = pytest.mark.parametrize("name", later(PAIRS, lambda name: name == "points"))
LANES = lanes(4)


def run(kind, width, pair, y, p, garbage=np.nan):
    out = np.zeros(7 * width)
    evaluate = evaluator(kernel_for({pair.kind}))
    evaluate(kind, np.ascontiguousarray(y, dtype=float).ravel(), p, np.full(pair.workspace * width + 1, garbage), out)
    return out.reshape(7, width)


def seeded(x, r):
    """X and R with the six partial derivatives by (X, η)."""
    y = np.zeros((12, 7))
    y[:3, 0], y[3:, 0] = x, r.ravel()
    y[:3, 1:4] = np.eye(3)
    y[3:, 4:] = np.stack([(hat(e) @ r).ravel() for e in AXES], axis=1)
    return y


@each_pair
def test_workspace_holds_no_history(name: str):
    pair = PAIRS[name]
    y = np.concatenate([X, R.ravel()])
    first = run(double, 1, pair, y, pair.parameters())
    assert np.all(np.isfinite(first))
    np.testing.assert_array_equal(first, run(double, 1, pair, y, pair.parameters(), garbage=3.0))


@each_pair
def test_lanes_are_bit_identical(name: str):
    pair = PAIRS[name]
    rng = np.random.default_rng(9)
    states = [np.concatenate([X + 0.2 * rng.normal(size=3), rotation(seed).ravel()]) for seed in range(4)]
    found = run(LANES, 4, pair, np.stack(states, axis=1), np.repeat(pair.parameters(), 4))
    for lane, y in enumerate(states):
        np.testing.assert_array_equal(found[:, lane], run(double, 1, pair, y, pair.parameters())[:, 0])


def test_lanes_of_different_bodies():
    members = [Expansion(cloud(seed, 5), cloud(seed + 1, 4), 5, G) for seed in (10, 20, 30)]
    members.append(Expansion(Sphere(1.0, 0.3), cloud(7, 4), 5, G))  # a member with fewer degrees than the others
    y = np.concatenate([X, R.ravel()])
    found = run(LANES, 4, members[0], np.repeat(y, 4), np.stack([m.parameters() for m in members], axis=1).ravel())
    for lane, member in enumerate(members):
        alone = run(double, 1, member, y, member.parameters())[:, 0]
        np.testing.assert_allclose(found[:, lane], alone, rtol=1e-14, atol=1e-16)


@each_pair
def test_duals_carry_force_and_moment_as_partials_of_the_potential(name: str):
    pair = PAIRS[name]
    found = run(duals(6), 7, pair, seeded(X, R), pair.parameters())
    plain = run(double, 1, pair, np.concatenate([X, R.ravel()]), pair.parameters())[:, 0]
    np.testing.assert_array_equal(found[:, 0], plain)
    np.testing.assert_allclose(found[0, 1:], plain[1:], rtol=0, atol=1e-13 * np.linalg.norm(plain[1:4]))


@each_pair
def test_derivatives_of_force_and_moment(name: str):
    pair = PAIRS[name]
    H = pair.derivatives(X, R)
    size = np.abs(H).max()
    # the Hessian of the potential: symmetric and without trace in X, mixed parts transposed
    np.testing.assert_allclose(H[:3, :3], H[:3, :3].T, atol=1e-13 * size)
    assert abs(np.trace(H[:3, :3])) < 1e-13 * size
    np.testing.assert_allclose(H[:3, 3:], H[3:, :3].T, atol=1e-13 * size)
    # turns do not commute: ∂M_a/∂η_b − ∂M_b/∂η_a is the slope along e_a × e_b, ε_abc M_c
    M = pair.evaluate(X, R)[2]
    np.testing.assert_allclose(H[3:, 3:] - H[3:, 3:].T, -hat(M), atol=1e-13 * size)

    def both(step, e):
        c, s = np.cos(step), np.sin(step)
        turn = np.eye(3) + s * hat(e[3:]) + (1 - c) * hat(e[3:]) @ hat(e[3:])
        _, F, M = pair.evaluate(X + step * e[:3], turn @ R)
        return np.concatenate([F, M])

    for a, e in enumerate(np.eye(6)):
        h = 2e-3
        slopes = [(both(h * k, e) - both(-h * k, e)) / (2 * h * k) for k in (1, 2, 3)]
        sixth = 1.5 * slopes[0] - 0.6 * slopes[1] + 0.1 * slopes[2]  # differences of order 6
        np.testing.assert_allclose(H[:, a], sixth, rtol=0, atol=2e-10 * size)


@pytest.mark.verify
def test_two_polyhedra_on_lanes_and_duals():
    pair = Shapes(lumpy(1, density=1.0, recentre=True), lumpy(2, density=1.3, recentre=True), G)
    x = 2.0 * X / np.linalg.norm(X)
    states = [np.concatenate([x * (1 + 0.1 * k), rotation(k).ravel()]) for k in range(4)]
    found = run(LANES, 4, pair, np.stack(states, axis=1), np.repeat(pair.parameters(), 4))
    for lane, y in enumerate(states):
        alone = run(double, 1, pair, y, pair.parameters())[:, 0]
        np.testing.assert_allclose(found[:, lane], alone, rtol=0, atol=1e-9 * np.linalg.norm(alone[1:4]))
    # force and moment are the derivatives of the very sum that the potential is, near and far
    for y in states:
        dual = run(duals(6), 7, pair, seeded(y[:3], y[3:].reshape(3, 3)), pair.parameters())
        alone = run(double, 1, pair, y, pair.parameters())[:, 0]
        np.testing.assert_allclose(dual[:, 0], alone, rtol=0, atol=1e-12 * np.linalg.norm(alone[1:4]))
        np.testing.assert_allclose(dual[0, 1:], alone[1:], rtol=0, atol=1e-12 * np.linalg.norm(alone[1:4]))
