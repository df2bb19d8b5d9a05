"""A body of point masses in a gravitational field: moments, special fields, and a formula for the same field."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph

STATE = ph.FieldBody.example()
BODY = STATE.system
TIGHT = ph.DOP853(rtol=1e-13, atol=1e-15)


def test_the_moment_is_the_slope_of_the_potential() -> None:
    h = 1e-3
    ahead, behind = (ph.simulate(STATE, step=s * h, steps=1, method=TIGHT).final for s in (1, -1))
    moment = (ahead.Pi - behind.Pi) / (2 * h) - np.cross(STATE.Pi, STATE.omega)
    for j, e in enumerate(np.eye(3)):
        up, down = (float(BODY.potential_energy(STATE.R @ ph.so3.exp(s * e))) for s in (1e-4, -1e-4))
        assert moment[j] == pytest.approx(-(up - down) / 2e-4, abs=1e-5)


def test_a_uniform_field_does_not_turn_a_balanced_body() -> None:
    masses, places = np.array([1.0, 1.0, 2.0, 2.0]), np.array([[1, 0, 0], [-1, 0, 0], [0, 0.6, 0.2], [0, -0.6, -0.2]])
    body = ph.FieldBody(masses, places, uniform=[0.0, 0.0, -9.81])
    assert body.sources.shape == (0, 4)
    free = ph.FreeRigidBody(body.inertia.matrix)
    values = {"q": [0.1, -0.2, 0.3, 0.9], "omega": [0.7, -0.5, 0.6]}
    x, y = (ph.simulate(s.state(**values), step=0.05, steps=100).final for s in (body, free))
    np.testing.assert_allclose(x.R, y.R, atol=1e-13)
    # and an unbalanced one is a pendulum about the origin
    heavy = ph.FieldBody(masses, places + [0.1, 0.0, 0.3], uniform=[0.0, 0.0, -9.81])
    centre = masses @ heavy.positions / masses.sum()
    inertia_cm = ph.FieldBody(masses, heavy.positions - centre).inertia.matrix
    pendulum = ph.Pendulum3D(inertia_cm, mass=masses.sum(), rho0=-centre)
    x, y = (ph.simulate(s.state(**values), step=0.01, steps=100).final for s in (heavy, pendulum))
    np.testing.assert_allclose(x.R, y.R, atol=1e-12)


def test_a_linear_field_gives_the_gravity_gradient() -> None:
    """S(M) = N Jd − Jd N with N = RᵀΛR."""
    n, radial = 0.7, np.array([0.0, 0.6, 0.8])
    Lambda = n**2 * (3 * np.outer(radial, radial) - np.eye(3))
    body = ph.FieldBody(BODY.masses, BODY.positions, gradient=Lambda)
    state = body.state(q=[0.1, -0.2, 0.3, 0.9])
    run = ph.simulate(state, step=1e-5, steps=1, method=TIGHT)
    N, Jd = state.R.T @ Lambda @ state.R, body.inertia.nonstandard
    np.testing.assert_allclose(run.Pi[1] / 1e-5, ph.so3.vee(N @ Jd - Jd @ N), atol=1e-5)


def test_a_formula_is_the_same_field() -> None:
    text = " - ".join(
        ["0*x", *(f"{mu}/sqrt((x-({a}))**2 + (y-({b}))**2 + (z-({c}))**2)" for mu, a, b, c in BODY.sources)]
    )
    body = ph.FieldBody(BODY.masses, BODY.positions, potential=text)
    state = body.state(R=STATE.R, omega=STATE.omega)
    x, y = (ph.simulate(s, step=0.05, steps=50).final for s in (STATE, state))
    np.testing.assert_allclose(x.R, y.R, atol=1e-12)
    assert float(x.invariants()["energy"]) == pytest.approx(float(y.invariants()["energy"]), abs=1e-12)


def test_the_places_of_rest() -> None:
    found = BODY.equilibria()
    verdicts = [ph.linearize(e).verdict for e in found]
    assert verdicts[int(np.argmin([BODY.potential_energy(e.R) for e in found]))] == "stable"
    assert verdicts[int(np.argmax([BODY.potential_energy(e.R) for e in found]))] == "unstable"


def test_no_place_of_rest_is_missed() -> None:
    """Twenty-eight of them, as thousands of random starts say; the indices add up to the Euler number."""
    signs = []
    for e in BODY.equilibria():
        matrix = ph.linearize(e).matrix
        signs.append(np.sign(np.linalg.det(matrix[3:, :3])))
    assert len(signs) == 28
    assert sum(signs) == 0


@pytest.mark.parametrize("seed", range(6))
def test_a_linear_field_has_twenty_four_places_of_rest(seed: int) -> None:
    """Λ and Jd have their axes in common there, whatever these are."""
    turn, size = ph.so3.exp(np.random.default_rng(seed).normal(size=3)), 10.0 ** (-3 * seed)
    Lambda = turn @ np.diag([1.0, 0.3, -1.3]) @ turn.T
    body = ph.FieldBody(size * BODY.masses, BODY.positions, gradient=size * Lambda)
    assert len(body.equilibria()) == 6
    found = body.equilibria().all
    assert len(found) == 24
    for e in found:
        between = turn.T @ e.R @ body.inertia.axes
        np.testing.assert_allclose(
            np.sort(np.abs(between), axis=0), np.repeat([[0.0], [0.0], [1.0]], 3, axis=1), atol=1e-9
        )


def test_circles_of_rest_are_all_found() -> None:
    """Far from one source each principal axis can point to it, either way; so small a moment is not taken for rounding."""
    centred = BODY.positions - BODY.masses @ BODY.positions / BODY.masses.sum()
    body = ph.FieldBody(100.0 * BODY.masses, centred, sources=[[3.986e14, 0.0, 7e6, 0.0]])
    ways = {tuple(np.round(body.inertia.axes.T @ e.R[1], 3) + 0.0) for e in body.equilibria().all}
    assert ways == {tuple(s * e + 0.0) for s in (1.0, -1.0) for e in np.eye(3)}


def test_a_body_on_which_nothing_acts_rests_anywhere() -> None:
    masses, places = np.array([1.0, 1.0, 2.0, 2.0]), np.array([[1, 0, 0], [-1, 0, 0], [0, 0.6, 0.2], [0, -0.6, -0.2]])
    for turn in (np.eye(3), ph.so3.exp([0.3, -0.7, 0.4])):
        body = ph.FieldBody(masses, places @ turn.T, uniform=[0.0, 3.0, -9.81])
        assert len(body.equilibria().all) == 24
        assert [body.equilibria().symmetry[:17], len(body.equilibria())] == ["any turn of space", 1]
        assert list(body.conserved) == ["energy", "spatial_momentum"]


N = np.array([0.3, -0.5, 0.8]) / np.linalg.norm([0.3, -0.5, 0.8])


@pytest.mark.parametrize(
    ("field", "kept"),
    [
        ({"sources": [[4.0, *(2.5 * N)]]}, "momentum_along_axis"),
        ({"sources": [[4.0, *(2.5 * N)], [2.0, *(-3.0 * N)]]}, "momentum_along_axis"),
        ({"sources": [[4.0, *(2.5 * N)], [2.0, 0.0, 3.0, 0.0]]}, None),
        ({"uniform": 2.0 * N}, "momentum_along_axis"),
        ({"gradient": 3.0 * np.outer(N, N) - np.eye(3)}, "momentum_along_axis"),
        ({"gradient": np.outer(N, N), "uniform": -N, "sources": [[4.0, *(2.5 * N)]]}, "momentum_along_axis"),
        ({"gradient": np.outer(N, N), "uniform": [0.0, 0.0, 1.0]}, None),
        ({"gradient": np.diag([1.0, 0.3, -1.3])}, None),
        ({"sources": [[4.0, 0.0, 0.0, 0.0]], "gradient": np.eye(3)}, "spatial_momentum"),
        ({"potential": "x**2 + y**2 + 0.3*z**3", "sources": [[4.0, 0.0, 0.0, 2.0]]}, "momentum_along_axis"),
        ({"potential": "x**2 + y**2 + 0.3*z**3", "sources": [[4.0, 0.0, 0.1, 2.0]]}, None),
        ({"potential": "x**2 + z**2 + 0.3*y**3"}, "momentum_along_axis"),
        ({"potential": "x**2 + 2*y**2 + 0.3*z**3"}, None),
        ({"potential": "sqrt(1 + x**2 + y**2 + z**2)"}, "spatial_momentum"),
        ({"potential": "Piecewise((z**2, x < 10), (z**2 + x, True))"}, None),
    ],
)
def test_the_momentum_about_the_axis_of_a_field(field: dict, kept: str | None) -> None:
    body = ph.FieldBody(BODY.masses, BODY.positions, **field)
    assert list(body.conserved) == ["energy", *([kept] if kept else [])]
    run = ph.simulate(body.state(R=STATE.R, omega=STATE.omega), step=0.05, steps=200)
    values = run.invariants()
    assert list(values) == list(body.conserved)
    if kept:
        assert run.drift()[kept] < 1e-13
        assert np.abs(values[kept]).max() > 0.1


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"masses": [1, -1, 1]}, "masses"),
        ({"positions": [[1, 0, 0], [2, 0, 0], [-1, 0, 0]]}, "positions"),
        ({"sources": [[1, 2, 3]]}, "sources"),
        ({"gradient": [[0, 1, 0], [0, 0, 0], [0, 0, 0]]}, "gradient"),
        ({"potential": "1/x + w"}, "potential"),
    ],
)
def test_bad_input_is_named(change: dict, field: str) -> None:
    given = {"masses": [1, 1, 1], "positions": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]} | change
    with pytest.raises(ph.InvalidInputError) as caught:
        ph.FieldBody(**given)
    assert caught.value.field == field


def test_a_kernel_and_a_function_are_the_same_field() -> None:
    """A kernel writes down its formula; one that chooses, and a Python function, are taken numerically. All are added to
    the field by numbers."""
    from polhode.scalars import kernel, sqrt, where

    (mu, a, b, c), rest = BODY.sources[0], BODY.sources[1:]

    @kernel
    def smooth(x):  # type: ignore[no-untyped-def]
        u, v, w = x[0] - a, x[1] - b, x[2] - c
        return -mu / sqrt(u * u + v * v + w * w)

    @kernel
    def choosing(x):  # type: ignore[no-untyped-def]
        u, v, w = x[0] - a, x[1] - b, x[2] - c
        r2 = u * u + v * v + w * w
        return -mu / sqrt(where(r2 > 1e-6, r2, 1e-6))

    def plain(x: np.ndarray) -> float:
        return float(-mu / np.linalg.norm(x - [a, b, c]))

    expected = ph.simulate(STATE, step=0.05, steps=20)
    for potential in (smooth, choosing, plain):
        if potential is plain:
            with pytest.warns(UserWarning, match="slower"):
                body = ph.FieldBody(BODY.masses, BODY.positions, sources=rest, potential=potential)
        else:
            body = ph.FieldBody(BODY.masses, BODY.positions, sources=rest, potential=potential)
        run = ph.simulate(body.state(R=STATE.R, omega=STATE.omega), step=0.05, steps=20)
        np.testing.assert_allclose(run.R, expected.R, atol=1e-12)
        np.testing.assert_allclose(run.invariants()["energy"], expected.invariants()["energy"], atol=1e-12)
    assert body.describe()["potential"] == "plain"
