"""The laws that every group obeys, at the identity, near it, at random and near angle π, over batches."""

from __future__ import annotations

import numpy as np
import pytest

from tests.geometry.reference import EPS, GROUPS, S3, SE3, SO2, SO3, WITH_DEXP, error, exact, exponential, trivialised

each_group = pytest.mark.parametrize("group", GROUPS, ids=repr)
each_dexp = pytest.mark.parametrize("group", WITH_DEXP, ids=repr)
each_angle = pytest.mark.parametrize("angle", [1e-12, 1e-8, 1e-4, 0.3, 0.999, 1.001, 1.999, 2.001, 3.1, np.pi - 1e-8])
SHAPES = [(), (5,), (2, 3)]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20)


def relative(x, y):
    """The largest |x − y| of a batch of vectors, by |y|, in units of ε."""
    return np.max(np.linalg.norm(x - y, axis=-1) / np.linalg.norm(y, axis=-1)) / EPS


def defect(g):
    """How far a batch of matrices is from the group."""
    R = g[..., :3, :3] if g.shape[-1] == 4 and np.all(g[..., 3, :3] == 0.0) else g
    return np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(R.shape[-1])).max()


# --- the exponential and the logarithm --------------------------------------------------------------------------------


@each_group
@each_angle
def test_exponential_to_the_last_digit(group, angle, rng):
    x = group.vectors(rng, 3, angle)
    for vector, g in zip(x, group.exp(x), strict=True):
        A = exponential(exact(group.hat(vector)))
        G = group.matrix(g)
        assert error(G, A) < 6.0
        if angle < 1.0:  # a small rotation has its digits off the diagonal
            off = ~np.eye(len(G), dtype=bool)
            assert error(G[off], exact([A[int(i), int(j)] for i, j in np.argwhere(off)])) < 4.0


@each_group
@each_angle
def test_logarithm_undoes_exponential(group, angle, rng):
    x = group.vectors(rng, 20, angle)
    assert relative(group.log(group.exp(x)), x) < 12.0


@each_group
def test_exponential_undoes_logarithm(group, rng):
    g = group.random(rng, 50)
    assert np.max(group.distance(group.exp(group.log(g)), g)) < 16.0 * EPS


@each_group
def test_identity(group):
    zero = np.zeros(group.dim)
    assert np.array_equal(group.exp(zero), group.identity)
    assert np.array_equal(group.log(group.identity), zero)
    assert np.array_equal(group.cayley(zero), group.identity)
    assert np.array_equal(group.cayley_inverse(group.identity), zero)
    assert group.distance(group.identity, group.identity) == 0.0


@each_group
def test_one_parameter_subgroup(group, rng):
    x = group.vectors(rng, 20, 1.0)
    both = group.compose(group.exp(0.7 * x), group.exp(0.3 * x))
    assert np.max(group.distance(both, group.exp(x))) < 16.0 * EPS


# --- the group --------------------------------------------------------------------------------------------------------


@each_group
def test_closure_inverse_and_association(group, rng):
    g, h, k = (group.random(rng, 20) for _ in range(3))
    for element in (g, group.compose(g, h), group.exp(group.log(g)), group.cayley(group.vectors(rng, 20, 0.7))):
        assert defect(group.matrix(element)) < 12.0 * EPS
    one = np.broadcast_to(group.identity, g.shape)
    assert np.max(group.distance(group.compose(g, group.inverse(g)), one)) < 16.0 * EPS
    assert np.max(group.distance(group.compose(group.inverse(g), g), one)) < 16.0 * EPS
    left, right = group.compose(group.compose(g, h), k), group.compose(g, group.compose(h, k))
    assert np.max(group.distance(left, right)) < 24.0 * EPS


@each_group
def test_matrices_represent_the_group(group, rng):
    g, h = group.random(rng, 10), group.random(rng, 10)
    product = group.matrix(g) @ group.matrix(h)
    assert np.allclose(group.matrix(group.compose(g, h)), product, rtol=0.0, atol=16.0 * EPS)


# --- the Cayley map ---------------------------------------------------------------------------------------------------


@each_group
@pytest.mark.parametrize("size", [1e-12, 1e-8, 0.1, 1.0, 10.0])
def test_cayley(group, size, rng):
    c = group.vectors(rng, 5, size)
    assert relative(group.cayley_inverse(group.cayley(c)), c) < 12.0 * max(1.0, size**2)
    for vector, g in zip(c, group.cayley(c), strict=True):
        A = exact(group.hat(vector))
        one = exact(np.eye(A.rows))
        assert error(group.matrix(g), (one + A) * (one - A) ** -1) < 4.0 * max(1.0, size)
    opposite = group.inverse(group.cayley(c))
    assert np.max(group.distance(group.cayley(-c), opposite)) < 8.0 * EPS * max(1.0, size)


@pytest.mark.parametrize("group", [SO2, SO3, S3], ids=repr)
def test_cayley_is_the_rotation_of_twice_the_arctangent(group, rng):
    x = group.vectors(rng, 20, 1.7)
    c = x * (np.tan(0.85) / 1.7)
    assert np.max(group.distance(group.cayley(c), group.exp(x))) < 8.0 * EPS


# --- the derivative of the exponential --------------------------------------------------------------------------------


@each_dexp
@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-6, 0.5, 1.999, 2.001, 2.999, 3.001, 3.9, 4.1])
def test_dexp_to_the_last_digit(group, angle, rng):
    x = group.vectors(rng, 1, 1.0) * angle
    v = group.vectors(rng, 1, 1.0)
    for side, expected in trivialised(exact(group.hat(x[0])), exact(group.hat(v[0]))).items():
        w = group.dexp(f"dexp_{side}", x, v)
        assert error(group.hat(w[0]), expected) < 4.0
        assert relative(group.dexp(f"dexpinv_{side}", x, w), v) < 16.0


@each_dexp
def test_left_is_the_right_one_carried_over(group, rng):
    x, v = group.vectors(rng, 10, 1.5), group.vectors(rng, 10, 1.0)
    g = group.exp(x)
    carried = group.matrix(g) @ group.hat(group.dexp("dexp_right", x, v)) @ group.matrix(group.inverse(g))
    assert np.allclose(group.hat(group.dexp("dexp_left", x, v)), carried, rtol=0.0, atol=1e-14)


@each_dexp
def test_dexp_is_the_derivative(group, rng):
    """Against finite differences of the exponential itself, so that side and sign cannot both be wrong."""
    x, v, h = group.vectors(rng, 5, 1.5), group.vectors(rng, 5, 1.0), 1e-4
    ends = [group.log(group.compose(group.inverse(group.exp(x)), group.exp(x + s * h * v))) for s in (1.0, -1.0)]
    assert np.allclose((ends[0] - ends[1]) / (2.0 * h), group.dexp("dexp_right", x, v), rtol=0.0, atol=1e-7)
    ends = [group.log(group.compose(group.exp(x + s * h * v), group.inverse(group.exp(x)))) for s in (1.0, -1.0)]
    assert np.allclose((ends[0] - ends[1]) / (2.0 * h), group.dexp("dexp_left", x, v), rtol=0.0, atol=1e-7)


# --- the distance -----------------------------------------------------------------------------------------------------


@each_group
def test_distance_is_a_left_invariant_metric(group, rng):
    g, h, k = (group.random(rng, 50) for _ in range(3))
    d = group.distance(g, h)
    assert np.all(d > 0.0)
    assert np.allclose(d, group.distance(h, g), rtol=8.0 * EPS, atol=0.0)
    assert np.allclose(d, group.distance(group.compose(k, g), group.compose(k, h)), rtol=0.0, atol=24.0 * EPS)
    assert np.all(group.distance(g, k) <= d + group.distance(h, k) + 8.0 * EPS)
    assert np.max(group.distance(g, g)) == 0.0


@pytest.mark.parametrize("group", [g for g in GROUPS if g is not SE3], ids=repr)
@each_angle
def test_distance_from_the_identity_is_the_angle(group, angle, rng):
    x = group.vectors(rng, 10, angle)
    one = np.broadcast_to(group.identity, group.exp(x).shape)
    lengths = np.linalg.norm(x, axis=-1)
    assert np.allclose(group.distance(one, group.exp(x)), lengths, rtol=12.0 * EPS, atol=0.0)


@each_group
@pytest.mark.parametrize("angle", [1e-3, 1e-6, 1e-9])
def test_distance_of_neighbours_anywhere_loses_nothing_but_the_rounding_of_the_data(group, angle, rng):
    g = group.random(rng, 20)
    h = group.compose(g, group.exp(group.vectors(rng, 20, angle)))
    one = np.broadcast_to(group.identity, g.shape)
    expected = group.distance(one, group.compose(group.inverse(g), h))
    assert np.allclose(group.distance(g, h), expected, rtol=0.0, atol=24.0 * EPS)
    assert np.allclose(group.distance(h, g), group.distance(g, h), rtol=24.0 * EPS, atol=0.0)


# --- arrays -----------------------------------------------------------------------------------------------------------


@each_group
@pytest.mark.parametrize("shape", SHAPES)
def test_batches_are_their_members(group, shape, rng):
    g, x = group.random(rng, shape), group.vectors(rng, shape, 0.9)
    h = group.random(rng, None)
    assert g.shape == shape + group.identity.shape
    for function, batch in [
        (group.exp, x),
        (group.cayley, x),
        (group.log, g),
        (group.inverse, g),
        (group.cayley_inverse, g),
        (lambda a: group.compose(a, h), g),
        (lambda a: group.distance(a, h), g),
    ]:
        whole = function(batch)
        assert whole.dtype == np.float64
        assert whole.shape[: len(shape)] == shape
        for index in np.ndindex(*shape):
            one = function(batch[index])
            assert np.allclose(whole[index], one, rtol=0.0, atol=8.0 * EPS * (1.0 + np.abs(one).max()))
