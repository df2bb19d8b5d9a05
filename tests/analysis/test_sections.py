"""Poincaré sections against closed forms and what is conserved."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.analysis import poincare
from polhode.analysis.quantities import quantity
from polhode.view.figures.section import plot_section


def tumbling() -> ph.State:
    return ph.FreeRigidBody([1.0, 2.0, 2.7]).state(omega=[0.7, -0.6, 0.5])


def test_crossings_of_the_free_body_are_those_of_its_elliptic_functions() -> None:
    """ω₂ vanishes every half period of Jacobi's functions, 2K(m)/ν, with the constants of Landau and Lifshitz § 37."""
    from scipy.special import ellipk

    I = np.array([1.0, 2.0, 2.7])
    state = tumbling()
    energy, square = float(np.sum(I * state.omega**2)), float(np.sum((I * state.omega) ** 2))
    a = I if square >= energy * I[1] else I[::-1]
    nu = np.sqrt((a[2] - a[1]) * (square - energy * a[0]) / I.prod())
    m = (a[1] - a[0]) * (energy * a[2] - square) / ((a[2] - a[1]) * (square - energy * a[0]))
    half = 2.0 * ellipk(m) / abs(nu)
    found = poincare(state, "omega[1]", crossings=9, step=0.05, direction=0, method=ph.LGVI(order=8))
    assert np.diff(found.t) == pytest.approx(np.full(8, half), abs=1e-9)
    assert list(found.directions[:3]) in ([1, -1, 1], [-1, 1, -1])
    exact = state.system.exact(state, found.t)
    assert np.abs(found.points.R - exact["R"]).max() < 1e-8
    assert np.abs(found.points.omega[:, 1]).max() < 1e-13


@pytest.mark.verify
@pytest.mark.parametrize("method", [ph.LGVI(), ph.GaussLegendre(order=8), ph.DOP853()], ids=repr)
def test_directions_share_the_crossings_of_both(method: ph.Method) -> None:
    state = tumbling()

    def tilt(at: ph.State) -> np.ndarray:
        return at.R[..., 2, 2] - 0.3

    options = {"step": 0.2, "t_end": 40.0, "method": method}
    both, rising, falling = (poincare(state, tilt, direction=d, **options) for d in (0, 1, -1))
    assert np.array_equal(both.t[both.directions == 1], rising.t)
    assert np.array_equal(both.t[both.directions == -1], falling.t)
    assert len(rising) > 3
    assert np.abs(both.values(tilt)).max() < 1e-12
    text = poincare(state, "R[2, 2] - 0.3", direction=0, **options)
    assert np.array_equal(text.t, both.t)
    # as many as a fine run sees
    fine = ph.simulate(state, step=0.005, t_end=40.0, method=ph.LGVI(order=4)).R[:, 2, 2] - 0.3
    assert len(both) == np.count_nonzero(np.diff(np.sign(fine)))


def test_a_crossing_is_a_state_of_the_motion() -> None:
    """Its energy is that of the start, and a run from it reaches the next crossing after the time between them."""
    state, method = ph.Pendulum3D.example(), ph.GaussLegendre(order=16)
    found = poincare(state, "omega[0]", crossings=4, step=0.2, method=method)
    assert found.points.drift()["energy"] < 1e-11
    again = poincare(found.points.state(0), "omega[0]", crossings=2, step=0.2, method=method)
    assert again.t == pytest.approx(found.t[1:3], abs=1e-9)
    figure = plot_section([found, again], "omega[1]", "omega[2]")
    figure.draw_without_rendering()
    assert len(figure.axes[0].lines) == 2


def test_backwards_in_time() -> None:
    state = tumbling()
    ahead = poincare(state, "omega[1]", crossings=3, step=0.05, direction=0, method=ph.LGVI(order=8))
    back = poincare(ahead.points.final, "omega[1]", crossings=2, step=-0.05, direction=0, method=ph.LGVI(order=8))
    assert back.t == pytest.approx(ahead.t[1::-1], abs=1e-8)


def test_what_is_asked_for_may_not_be_there() -> None:
    state = tumbling()
    few = poincare(state, "omega[1]", crossings=100, t_end=20.0, step=0.05)
    assert 0 < len(few) < 100
    with pytest.raises(ph.PolhodeError, match="no crossing"):
        poincare(state, "omega[1] - 100", t_end=20.0, step=0.05)
    with pytest.raises(ph.InvalidInputError, match="give the number of crossings"):
        poincare(state, "omega[1]", step=0.05)
    with pytest.raises(ph.InvalidInputError, match="direction"):
        poincare(state, "omega[1]", step=0.05, crossings=1, direction=2)


@pytest.mark.parametrize(
    ("text", "problem"),
    [("omega", "needs the indices"), ("omega[3]", "needs the indices"), ("spin[0]", "spin is not among them"),
     ("omega[0] +", "numbers, fields"), ("__import__('os')", "not among them"), ("omega[x]", "whole number"),
     ("omega.shape", "numbers, fields"), ("omega[True]", "whole number"), ("omega[0] # $\\frac$", "numbers, fields"),
     ("sin(omega[0], omega[1])", "sin has one argument, not 2"), ("atan2(omega[0])", "atan2 has 2 arguments, not 1"),
     ("omega[0] + 1/0", "not finite"), ("9**9**9*omega[0]", "not finite"), ("omega[0]*(-8)**0.5", "not finite"),
     ("9" * 400, "not finite"), ("1e400", "not finite"), ("omega[0]" + "+1" * 10_000, "at most 20,000 characters")],
)  # fmt: skip
def test_text_that_is_not_a_quantity_is_named(text: str, problem: str) -> None:
    with pytest.raises(ph.InvalidInputError, match=problem):
        quantity(tumbling().system, text, "section")


def test_text_is_arithmetic() -> None:
    state = tumbling()
    found = quantity(state.system, "sqrt(omega[0]^2 + omega[-1]**2)/2 - sin(pi*R[0,1]) + 1")(state)
    assert float(found) == pytest.approx(np.hypot(0.7, 0.5) / 2 + 1)


def test_text_changes_no_state() -> None:
    """NumPy's functions write to a further argument."""
    state = tumbling()
    before = state.omega.copy()
    for name in ("sin", "sqrt", "abs"):
        with pytest.raises(ph.InvalidInputError, match="one argument"):
            quantity(state.system, f"{name}(omega[0], omega[1])")(state)
    assert np.array_equal(state.omega, before)


@pytest.mark.parametrize("text", ["+".join(["omega[0]"] * 2000), "-" * 1000 + "omega[0]*2000"])
def test_long_text_needs_no_deep_calls(text: str) -> None:
    state = tumbling()
    assert float(quantity(state.system, text)(state)) == pytest.approx(2000 * 0.7)
