"""The closed-form free rigid body against series solutions, special solutions and invariants."""

import mpmath
import numpy as np
import pytest

from polhode.systems.attitude.free_exact import exact_free_body
from tests.shared import golden

pytestmark = pytest.mark.filterwarnings("error")

SEPARATRIX = np.diag([3, 4, 6]) / 8  # 1/J1 - 1/J2 = 1/J2 - 1/J3: Pi = (x, y, x) is exactly on it


def rotation(axis, angle):
    """exp(angle S(axis)), axis a unit vector."""
    x, y, z = axis
    S = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * S + (1 - np.cos(angle)) * S @ S


def random_rotation(rng):
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Q * np.sign(np.linalg.det(Q))


def series(J, R0, Pi0, t, steps=70, order=20):
    """Many bodies at once by the Taylor series of the differential equations, (R, Pi) at times t.

    Pi and the rows of R all obey dy/dt = y x J^-1 Pi.
    """
    J, Y = J.astype(np.longdouble), np.concatenate([Pi0[:, None], R0], axis=1).astype(np.longdouble)
    h = t.astype(np.longdouble)[:, None, None] / steps
    inverse = np.cross(np.roll(J, -1, axis=1), np.roll(J, -2, axis=1)).swapaxes(1, 2)
    inverse /= np.einsum("nij,nji->n", J, inverse)[:, None, None] / 3  # J @ adjugate = det J
    y, w = np.empty((3, order + 1, len(Y), 4), Y.dtype), np.empty((3, order, len(Y), 1), Y.dtype)
    for _ in range(steps):
        y[:, 0] = np.moveaxis(Y, 2, 0)
        for k in range(order):
            w[:, k, :, 0] = np.einsum("nij,jn->in", inverse, y[:, k, :, 0])
            for i, j, l in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
                cross = y[j, : k + 1] * w[l, k::-1] - y[l, : k + 1] * w[j, k::-1]
                y[i, k + 1] = cross.sum(0) / (k + 1)
        Y = np.moveaxis(y, 0, -1)[order]
        for k in reversed(range(order)):
            Y = np.moveaxis(y, 0, -1)[k] + h * Y
    return Y[:, 1:].astype(float), Y[:, 0].astype(float)


def make_families():
    """{name: [(J, R0, Pi0)]}: the kinds of body and of motion that the formulas must cover."""
    rng = np.random.default_rng(0)
    families = {}

    def add(name, moments, omega, turn=False):
        J, omega = np.diag(moments), np.asarray(omega, float)
        Pi = J @ omega
        if turn:
            Q = random_rotation(rng)
            J, Pi = Q @ J @ Q.T, Q @ Pi
            J = (J + J.T) / 2
        families.setdefault(name, []).append((J, random_rotation(rng), Pi))

    def spin():
        omega = rng.normal(size=3)
        return omega * rng.uniform(0.3, 1.6) / np.linalg.norm(omega)

    for _ in range(24):
        moments = rng.uniform(0.5, 3, 3)
        add("asymmetric, any order of the axes", moments, spin())
        add("asymmetric, not diagonal", moments, spin(), turn=True)
    for k in range(6):
        for gap in (0, 1e-10, -1e-10, 1e-6):
            for third in (0.6, 1.7):  # prolate, oblate
                moments = np.roll([1, 1 + gap, third], k)
                add(f"two {'nearly ' * (gap != 0)}equal moments", moments, spin(), turn=k > 2)
                if k < 3 and gap:  # slow motion, on either side of the slow separatrix
                    omega = spin()
                    omega[(2 + k) % 3] *= rng.uniform(0, 3) * np.sqrt(abs(gap))
                    add("two nearly equal moments, equatorial", moments, omega)
        add("sphere", [2, 2, 2], spin(), turn=k > 2)
        add("sphere", [2, 2, 2], (-1.0) ** k * np.eye(3)[k // 2])
        add("two equal moments", np.roll([1, 1, 2 - k % 2 / 2], k), np.eye(3)[k // 2])
        add("near sphere", 2 + 1e-12 * rng.normal(size=3), spin(), turn=k > 2)
    for axis in range(3):
        for size in (0, 1e-170, 1e-14, 1e-9, 1e-4):
            for sense in (-1, 1):
                omega = size * rng.normal(size=3)
                omega[axis] = 1.5 * sense
                add("near a principal axis", [1, 2, 3], omega)
                add("near a principal axis, not diagonal", [1, 2, 3], omega, turn=True)
    for i, j, k in np.ndindex(2, 2, 2):
        omega = np.array([1 - 2 * i, (1 - 2 * j) / 4, (1 - 2 * k) / 2])
        for shift in range(3):
            add("separatrix", np.roll(np.diag(SEPARATRIX), shift), np.roll(omega, shift))
    add("needle", [1e-6, 1, 1 + 1e-6], [1, 1, 0.5])
    add("no momentum", [1, 2, 3], [0, 0, 0], turn=True)
    add("no momentum", [1, 1, 1], [0, 0, 0])
    return families


FAMILIES = make_families()
BODIES = pytest.mark.parametrize("name", FAMILIES)


@pytest.fixture(scope="module")
def expected():
    """{name: [(t, R, Pi)]}, integrated all together."""
    bodies = [body for family in FAMILIES.values() for body in family]
    t = np.where(np.arange(len(bodies)) % 3 == 0, -10.0, 10.0)
    J, R0, Pi0 = (np.array(x) for x in zip(*bodies, strict=True))
    rows = zip(t, *series(J, R0, Pi0, t), strict=True)
    return {name: [next(rows) for _ in family] for name, family in FAMILIES.items()}


@pytest.mark.parametrize(("key", "t", "tolerance"), [("t10", 10, 1e-12), ("t1000", 1000, 1e-11)])
def test_golden(key, t, tolerance):
    reference = golden("so3")["elliptic"][key]
    J = np.array([1, 2, 3])
    R, Pi = exact_free_body(np.diag(J), np.eye(3), J * np.pi / [4, -5, 6], [t])
    for found, digits in ((R[0], "R_25digits"), (Pi[0] / J, "w_25digits")):
        np.testing.assert_allclose(found, np.array(reference[digits], float), rtol=0, atol=tolerance)


@BODIES
def test_against_series(name, expected):
    # Finding the axes of a full matrix costs an error of 1e-16, that the middle axis magnifies.
    tolerance = 1e-11 if name == "near a principal axis, not diagonal" else 1e-12
    for body, (t, R, Pi) in zip(FAMILIES[name], expected[name], strict=True):
        found_R, found_Pi = exact_free_body(*body, [t])
        np.testing.assert_allclose(found_R[0], R, rtol=0, atol=tolerance)
        np.testing.assert_allclose(found_Pi[0], Pi, rtol=0, atol=tolerance * np.linalg.norm(Pi))


def test_small_perturbations_keep_relative_accuracy(expected):
    """A wobble of 1e-14 or 1e-170 is itself followed to twelve digits."""
    name = "near a principal axis"
    for body, (t, _, Pi) in zip(FAMILIES[name], expected[name], strict=True):
        wobble = np.argsort(abs(body[2]))[:2]
        size = abs(Pi[wobble]).max()
        if size < 1e-2:
            found = exact_free_body(*body, [t])[1][0]
            np.testing.assert_allclose(found[wobble], Pi[wobble], rtol=0, atol=1e-12 * size)


@BODIES
def test_invariants(name):
    t = np.concatenate([[0], np.linspace(-300, 300, 100), [1e4, -1e6]])
    for J, R0, Pi0 in FAMILIES[name]:
        R, Pi = exact_free_body(J, R0, Pi0, t)
        L, inverse = np.linalg.norm(Pi0), np.linalg.inv(J)
        energy, momentum = np.einsum("ni,ij,nj->n", Pi, inverse, Pi), np.einsum("nij,nj->ni", R, Pi)
        np.testing.assert_allclose(R[0], R0, rtol=0, atol=1e-14)
        np.testing.assert_allclose(Pi[0], Pi0, rtol=0, atol=1e-14 * L)
        np.testing.assert_allclose(R.swapaxes(1, 2) @ R - np.eye(3), 0, rtol=0, atol=1e-14)
        np.testing.assert_allclose(np.linalg.det(R), 1, rtol=0, atol=1e-14)
        np.testing.assert_allclose(momentum - R0 @ Pi0, 0, rtol=0, atol=1e-14 * L)
        np.testing.assert_allclose(energy, Pi0 @ inverse @ Pi0, rtol=1e-14)


@pytest.mark.parametrize("name", ["asymmetric, any order of the axes", "two nearly equal moments"])
def test_long_motion_is_a_flow(name):
    """One leap over many periods equals twenty strides, taken in the other order of t too."""
    for J, R0, Pi0 in FAMILIES[name]:
        R, Pi = R0, Pi0
        for _ in range(20):
            (R,), (Pi,) = exact_free_body(J, R, Pi, [-35])
        found_R, found_Pi = exact_free_body(J, R0, Pi0, [3, -700, 0.5])
        np.testing.assert_allclose(found_R[1], R, rtol=0, atol=1e-11)
        np.testing.assert_allclose(found_Pi[1], Pi, rtol=0, atol=1e-11 * np.linalg.norm(Pi))


@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="needs extended precision")
def test_exponential_sensitivity_is_not_lost():
    """Near the separatrix an error in 1 - m grows like exp(Lambda t), here to 1e6 times itself."""
    on = np.array([1, 1 / 4, 1])
    near = [on * [1, 1, 1 + x] for x in (0, 1e-15, 1e-12, 1e-8, -1e-15, -1e-12, -1e-8)]
    saddle = [[1e-14, 1, 3e-14], [-3e-14, 1, 1e-15], [1e-14, -1, -1e-14]]
    Pi0, t = np.array(near + saddle), np.array([14.0] * 7 + [60.0] * 3)
    J, R0 = np.tile(SEPARATRIX, (len(t), 1, 1)), np.tile(np.eye(3), (len(t), 1, 1))
    R, Pi = series(J, R0, Pi0, t, steps=300)
    assert Pi[7, 1] < -0.5  # the body has turned over
    for k in range(len(t)):
        found_R, found_Pi = exact_free_body(J[k], R0[k], Pi0[k], t[k : k + 1])
        np.testing.assert_allclose(found_R[0], R[k], rtol=0, atol=1e-12)
        np.testing.assert_allclose(found_Pi[0], Pi[k], rtol=0, atol=1e-12)


def test_separatrix_ends_on_the_middle_axis():
    R, Pi = exact_free_body(SEPARATRIX, np.eye(3), [1, 1 / 4, -1], [-2003, -2000, 0.5, 2000, 2003])
    L = np.linalg.norm([1, 1 / 4, 1])
    # dPi_2/dt = g2 Pi_3 Pi_1 = -(4/3) (L^2 - Pi_2^2) / 2
    tanh = np.tanh(np.arctanh(1 / 4 / L) - 2 / 3 * L * 0.5)
    np.testing.assert_allclose(Pi[:, 1] / L, [1, 1, tanh, -1, -1], rtol=0, atol=1e-14)
    np.testing.assert_allclose(Pi[[0, 1, 3, 4]][:, [0, 2]], 0, rtol=0, atol=1e-300)
    for k, sense in ((0, 1), (3, -1)):
        spin = rotation([0, sense, 0], 3 * L / SEPARATRIX[1, 1])
        np.testing.assert_allclose(R[k].T @ R[k + 1], spin, rtol=0, atol=1e-11)


@pytest.mark.parametrize("axis", range(3))
def test_steady_rotation(axis):
    e, J = np.eye(3)[axis], np.diag([2, 1, 3])
    t = np.array([-1e4, 0.3, 1e4])
    for sense in (-1, 1):
        R, Pi = exact_free_body(J, np.eye(3), sense * J @ e, t)
        np.testing.assert_allclose(R, [rotation(sense * e, x) for x in t], rtol=0, atol=1e-11)
        np.testing.assert_array_equal(Pi, [sense * J @ e] * 3)


def test_axisymmetric_closed_form():
    """Problem 6.9, at times long enough for a wrong rate to show."""
    for J3, omega in ((2.0, [0.3, -0.4, 0.7]), (0.5, [0.8, 0.1, -0.6])):
        J, t = np.diag([1, 1, J3]), np.array([1000.0, -3, -1000])
        Pi0, nu = J @ omega, (J3 - 1) * omega[2]
        L, e3 = np.linalg.norm(Pi0), np.array([0, 0, 1])
        R, Pi = exact_free_body(J, np.eye(3), Pi0, t)
        np.testing.assert_allclose(Pi, [rotation(e3, nu * x) @ Pi0 for x in t], rtol=0, atol=1e-12)
        expected = [rotation(Pi0 / L, L * x) @ rotation(e3, -nu * x) for x in t]
        np.testing.assert_allclose(R, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("mass", "speed"), [(1e30, 1e-5), (1e-46, 1e12), (1e80, 1e-15)])
def test_scale_free(mass, speed):
    J, R0, Pi0 = FAMILIES["asymmetric, not diagonal"][0]
    t = np.array([-100.0, 7, 0, 30])
    R, Pi = exact_free_body(J, R0, Pi0, t)
    scaled_R, scaled_Pi = exact_free_body(mass * J, R0, mass * speed * Pi0, t / speed)
    np.testing.assert_allclose(scaled_R, R, rtol=0, atol=1e-12)
    np.testing.assert_allclose(scaled_Pi / (mass * speed), Pi, rtol=0, atol=1e-12)


def test_no_times_and_no_momentum():
    J, R0, Pi0 = FAMILIES["asymmetric, not diagonal"][0]
    R, Pi = exact_free_body(J, R0, Pi0, [])
    assert R.shape == (0, 3, 3)
    assert Pi.shape == (0, 3)
    R, Pi = exact_free_body(J, R0, np.zeros(3), [-1, 1e9])
    np.testing.assert_array_equal(R, [R0, R0])
    np.testing.assert_array_equal(Pi, np.zeros((2, 3)))


@pytest.mark.parametrize("moments", [[1, 2, 0], [-1, 2, 3]])
def test_rejects_inertia_that_is_not_positive(moments):
    with pytest.raises(ValueError, match="positive definite"):
        exact_free_body(np.diag(moments), np.eye(3), [1, 1, 1], [0])


def test_far_away_from_the_start():
    """At t = 1e4: a symmetric body in multiprecision, and an asymmetric one carried on from a time in between."""
    J = np.diag([1.0, 2.0, 3.0])
    with mpmath.workdps(40):
        # a body that is symmetric about its first axis: two rotations at constant rates, in closed form
        moments, Pi = (
            [mpmath.mpf("0.5"), mpmath.mpf(2), mpmath.mpf(2)],
            [mpmath.mpf("0.7"), mpmath.mpf("-0.6"), mpmath.mpf("0.5")],
        )
        rate = (1 / moments[0] - 1 / moments[1]) * Pi[0] * 10**4
        turned = [float(Pi[0]), float(mpmath.cos(rate) * Pi[1] + mpmath.sin(rate) * Pi[2])]
    found = exact_free_body(np.diag([0.5, 2.0, 2.0]), np.eye(3), [0.7, -0.6, 0.5], [1e4])[1][0]
    np.testing.assert_allclose(found[:2], turned, rtol=0, atol=4e-12)
    R0, Pi0 = np.eye(3), J @ [0.7, -0.6, 0.5]
    (R,), (P,) = exact_free_body(J, R0, Pi0, [1e4])
    (R1,), (P1,) = exact_free_body(J, R0, Pi0, [3456.789])
    (R2,), (P2,) = exact_free_body(J, R1, P1, [1e4 - 3456.789])
    assert abs(R - R2).max() < 1e-11
    assert abs(P - P2).max() < 1e-11
