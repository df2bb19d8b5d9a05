"""What is seen of a state by text, kernels and the brightness of a body: values, exact derivatives, and fits to them."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Box, Cylinder, Ellipsoid, Polyhedron, Sphere
from polhode.core.finite_differences import OFFSETS, WEIGHTS
from polhode.estimation import Brightness, Observation, fit
from polhode.estimation.shown_fields import Shown, ShownFormula, ShownKernel
from polhode.scalars import kernel, sin, sqrt, where

SUN, OBSERVER = [1.0, 0.2, 0.4], [0.3, -0.5, 1.0]
BRICK = Box([3.0, 2.0, 1.0], mass=1.0)


@kernel
def glow(R: Any, omega: Any, t: Any) -> Any:
    """It compares, and depends on a field that the system derives, and on time."""
    x = R[2] + 0.1
    return where(x > 0.0, x * x * x, 0.3 * x) + sqrt(1.0 + omega[0] * omega[0]) * sin(R[4] + 0.2 * t)


def glow_again(numbers: Any, t: float) -> Any:
    """The same, of the entries of R and omega, in many digits."""
    x = numbers[2] + 0.1
    return (x**3 if x > 0 else 0.3 * x) + mpmath.sqrt(1 + numbers[9] ** 2) * mpmath.sin(numbers[4] + 0.2 * t)


def rows(steps: int = 6) -> tuple[ph.State, np.ndarray]:
    run = ph.simulate(ph.Pendulum3D.example(), step=0.3, steps=steps)
    return ph.State(run.system, run.values), run.t


def shine(R: Any) -> Any:
    """The brightness of the brick, written down once more, for numbers of any kind."""
    s, e = (np.array(v) / np.linalg.norm(v) for v in (SUN, OBSERVER))
    total = 0
    for axis, area in enumerate((2.0, 3.0, 6.0)):
        for sign in (1, -1):
            mu0, mu = (sign * sum(R[3 * i + axis] * float(v[i]) for i in range(3)) for v in (s, e))
            if mu0 > 0 and mu > 0:
                total += area * (mu * mu0 / (mu + mu0) + 0.1 * mu * mu0)
    return total


def in_many_digits(function: Any, x: np.ndarray) -> np.ndarray:
    """The derivatives of a function of numbers x, by differences in 40 digits; away from where it chooses."""
    with mpmath.workdps(40):
        point = [mpmath.mpf(float(each)) for each in x]
        h = mpmath.mpf("1e-4")

        def moved(i: int, by: float) -> list[Any]:
            return [each + (by * h if j == i else 0) for j, each in enumerate(point)]

        slopes = [
            sum(mpmath.mpf(w) * function(moved(i, o)) for o, w in zip(OFFSETS, WEIGHTS, strict=True)) / h
            for i in range(len(point))
        ]
    return np.array([float(each) for each in slopes])


CASES = [
    (
        ShownFormula("abs(omega[1])*R[2, 2] + atan2(R[0, 0], R[1, 0]) - R[0, 1]**3/(2 + omega[0]) + exp(Pi[2])"),
        ["R", "omega", "Pi"],
        lambda x, t: abs(x[10]) * x[8] + mpmath.atan2(x[0], x[3]) - x[1] ** 3 / (2 + x[9]) + mpmath.exp(x[14]),
    ),
    (ShownKernel(glow), ["R", "omega"], glow_again),
    (Brightness(BRICK, SUN, OBSERVER), ["R"], lambda x, t: shine(x)),
]


@pytest.mark.parametrize(("shown", "fields", "again"), CASES, ids=["text", "kernel", "brightness"])
def test_derivatives_by_fields_are_those_in_40_digits(shown: Shown, fields: list[str], again: Any) -> None:
    states, times = rows()
    values, slopes = shown.evaluate(states, times, np.arange(len(times)))
    assert list(slopes) == fields
    table = np.concatenate([np.reshape(getattr(states, name), (len(times), -1)) for name in fields], axis=1)
    found = np.concatenate([slopes[name] for name in fields], axis=1)
    for k, t in enumerate(times):
        expected = in_many_digits(lambda x, t=t: again(x, t), table[k])
        assert np.abs(expected).max() > 0.1
        assert np.abs(found[k] - expected).max() < 1e-14 * np.abs(expected).max()
        with mpmath.workdps(40):
            assert values[k] == pytest.approx(float(again([mpmath.mpf(float(x)) for x in table[k]], t)), rel=1e-14)


def test_brightness_of_smooth_bodies_has_a_closed_form() -> None:
    """Lambert's sphere at any phase; by Lommel and Seeliger, seen from the sun, half of the area across the view."""
    for phase in (0.0, 0.7, 2.0):
        both = [1.0, 0.0, 0.0], [np.cos(phase), np.sin(phase), 0.0]
        strong = Brightness(Sphere(1.0, 2.0), *both, lambert=1e6)(np.eye(3)) / 1e6
        closed = 4.0 * 2.0 / 3.0 * (np.sin(phase) + (np.pi - phase) * np.cos(phase))
        assert float(strong) == pytest.approx(closed, rel=2e-3)
    a, b, c = 3.0, 2.0, 1.0
    R = ph.so3.exp([[0.3, 0.5, -0.2], [1.3, -0.5, 0.9]])
    u = np.swapaxes(R, -1, -2) @ [0.0, 0.0, 1.0]
    across = np.pi * np.linalg.norm(u * [b * c, c * a, a * b], axis=-1)
    light = Brightness(Ellipsoid(1.0, [a, b, c]), [0, 0, 1], [0, 0, 1], lambert=0.0)
    np.testing.assert_allclose(light(R), 0.5 * across, rtol=1e-3)


def test_a_sun_that_moves_and_a_body_of_several_kinds() -> None:
    turn = np.linspace(0.0, 1.0, 5)
    suns = np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=1)
    R = np.broadcast_to(np.eye(3), (5, 3, 3))
    moving = Brightness(BRICK, suns, OBSERVER)(R)
    one_by_one = [Brightness(BRICK, sun, OBSERVER)(np.eye(3)) for sun in suns]
    np.testing.assert_array_equal(moving, one_by_one)
    again = Polyhedron(BRICK.vertices, BRICK.faces, mass=1.0)
    np.testing.assert_allclose(Brightness(again, suns, OBSERVER)(R), moving, rtol=1e-12)
    assert Brightness(Cylinder(1.0, 2.0, mass=1.0), SUN, OBSERVER)(np.eye(3)) > 0.0


def test_a_light_curve_gives_the_motion() -> None:
    """Of a tumbling brick: its attitude and its rate; with noise-free data the truth."""
    true = ph.FreeRigidBody(BRICK.inertia).state(q=[0.1, 0.2, -0.3, 0.9], omega=[0.3, 0.2, 0.9])
    seen = ph.simulate(true, step=0.1, steps=150)
    light = Brightness(BRICK, SUN, OBSERVER)
    data = [Observation.of(seen.t, light, light(seen.R), 0.01)]
    guess = ph.FreeRigidBody(BRICK.inertia).state(q=[0.11, 0.2, -0.29, 0.9], omega=[0.302, 0.199, 0.9])
    found = fit(guess, data, step=0.1)
    np.testing.assert_allclose(found.state.omega, true.omega, atol=1e-9)
    np.testing.assert_allclose(found.state.R, true.R, atol=1e-9)
    assert "0: brightness" in found.residuals


def unknown(spin: Any) -> Any:
    return spin


def whole(R: Any) -> Any:
    return R


def nothing() -> Any:
    return 1.0


def test_what_cannot_be_seen_is_said() -> None:
    states, times = rows(1)
    which = np.arange(len(times))
    hollow = np.array([[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2], [0.1, 0.1, 0.1]])
    dent = Polyhedron(hollow, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 4], [2, 3, 4], [3, 1, 4]], mass=1.0)
    with pytest.raises(ph.InvalidInputError, match="not convex"):
        Brightness(dent, SUN, OBSERVER)
    with pytest.raises(ph.InvalidInputError, match="an ellipsoid, a polyhedron"):
        Brightness("brick", SUN, OBSERVER)  # type: ignore[arg-type]
    with pytest.raises(ph.InvalidInputError, match="nonzero direction"):
        Brightness(BRICK, [0, 0, 0], OBSERVER)
    with pytest.raises(ph.InvalidInputError, match="given for 2 times only"):
        Brightness(BRICK, [SUN, SUN], OBSERVER)(np.tile(np.eye(3), (3, 1, 1)))
    with pytest.raises(ph.InvalidInputError, match="sun"):
        Brightness(BRICK, "noon", OBSERVER)  # type: ignore[arg-type]
    with pytest.raises(ph.InvalidInputError, match=r"its argument spin is neither t nor a field.*R, q, omega, Pi"):
        ShownKernel(kernel(unknown)).evaluate(states, times, which)
    with pytest.raises(ph.InvalidInputError, match="does not return one number"):
        ShownKernel(kernel(whole)).evaluate(states, times, which)
    with pytest.raises(ph.InvalidInputError, match="no fields"):
        ShownKernel(kernel(nothing))


@pytest.mark.parametrize("text", ["'__import__(\"os\").getcwd()'", "__import__('os').getcwd()", "[R[0, 0]]"])
def test_text_is_a_formula_and_nothing_else(text: str) -> None:
    states, t = rows()
    with pytest.raises(ph.InvalidInputError, match="quantity"):
        ShownFormula(text).evaluate(states, t, np.arange(len(t)))


def test_a_number_shows_nothing_of_a_state() -> None:
    states, t = rows()
    found, slopes = ShownFormula("2.5").evaluate(states, t, np.arange(len(t)))
    assert found.tolist() == [2.5] * len(t)
    assert slopes == {}


@pytest.mark.parametrize(
    "text", ["abs(" * 100 + "omega[0]" + " - 1)" * 100, "*".join(f"(omega[0] + {i}*omega[1])" for i in range(150))]
)
def test_text_that_is_slow_to_differentiate_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However fast the processor is: no time at all is allowed."""
    monkeypatch.setattr("polhode.systems.inputs.limits.SECONDS", 0.0)
    states, t = rows()
    with pytest.raises(ph.InvalidInputError, match=r"quantity = .*(too long|nested too deeply)"):
        ShownFormula(text).evaluate(states, t, np.arange(len(t)))
