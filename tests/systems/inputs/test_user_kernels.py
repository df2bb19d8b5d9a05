"""Functions that users write in a way that not every scalar has: they are named, or called entry by entry."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.scalars import kernel

I = [1, 2, 2.5]
SHAPE = {"masses": [1, 1, 2], "positions": [[1, 0, 0], [-1, 0, 0], [0, 0.5, 0]]}
CHARGES = {"inertia": I, "charges": [1, -1], "positions": [[1, 0, 0], [0, 1, 0]]}


@kernel
def sine_of_attitude(R: Any) -> Any:
    return math.sin(R[8])


@kernel
def sine_of_place(x: Any) -> Any:
    return math.sin(x[0])


@kernel
def sine_of_angle(theta: Any) -> Any:
    return math.sin(theta)


NOT_DIFFERENTIABLE: dict[str, tuple[str, Callable[[], Any]]] = {
    "AttitudeBody": ("potential", lambda: ph.AttitudeBody(I, potential=sine_of_attitude)),
    "CoupledBodies": (
        "potential",
        lambda: ph.CoupledBodies([I, I], potential=kernel(lambda A, B: math.sin(A[8] * B[8]))),
    ),
    "GeneralBody": ("lagrangian", lambda: ph.GeneralBody(kernel(lambda R, w: w[0] ** 2 + math.sin(R[8])))),
    "FieldBody": ("potential", lambda: ph.FieldBody(**SHAPE, potential=sine_of_place)),
    "ChargedPoints": ("electric", lambda: ph.ChargedPoints(**CHARGES, electric=sine_of_place)),
    "PlanarBody": ("potential", lambda: ph.PlanarBody(1.0, potential=sine_of_angle)),
    "ExternalPotential": ("potential", lambda: ph.ExternalPotential(kernel(lambda x, R: math.sin(x[0])))),
}


@pytest.mark.parametrize("name", NOT_DIFFERENTIABLE)
def test_a_potential_that_cannot_be_differentiated_is_refused_when_it_is_given(name: str) -> None:
    field, make = NOT_DIFFERENTIABLE[name]
    with pytest.raises(ph.InvalidInputError, match=r"dual numbers.*functions of polhode\.scalars.*sin") as caught:
        make()
    assert caught.value.field == field
    assert len(str(caught.value)) < 500


@kernel
def one_type_for_each_side(R: Any) -> Any:
    return R[8] * R[8] if R[8] > 0.0 else 0.0


def test_branches_of_different_types_are_named() -> None:
    with pytest.raises(ph.InvalidInputError, match="its branches give values of different types"):
        ph.AttitudeBody(I, potential=one_type_for_each_side)


def test_energies_of_a_run_are_found_also_of_a_kernel_that_branches() -> None:
    body = ph.AttitudeBody(I, potential=kernel(lambda R: R[8] if R[8] > 0.0 else 2.0 * R[8]))
    traj = ph.simulate(body.state(euler=[0.0, 1.5, 0.0], omega=[0.4, 0.8, 0.5]), step=0.1, steps=3, method=ph.LGVI())
    u = traj.R[:, 2, 2]
    assert u.min() < 0.0 < u.max()
    expected = 0.5 * np.sum(traj.omega**2 * I, axis=-1) + np.where(u > 0.0, u, 2.0 * u)
    np.testing.assert_allclose(traj.invariants()["energy"], expected, rtol=1e-14)


def test_energies_of_a_planar_body_too() -> None:
    body = ph.PlanarBody(1.0, potential=kernel(lambda x: -x if x > 0.0 else 2.0 * x))
    traj = ph.simulate(body.state(theta=0.1, omega=-1.0), step=0.1, steps=3, method=ph.LGVI())
    x = traj.theta
    assert x.min() < 0.0 < x.max()
    expected = 0.5 * traj.omega**2 + np.where(x > 0.0, -x, 2.0 * x)
    np.testing.assert_allclose(traj.invariants()["energy"], expected, rtol=1e-14)


NOT_ON_LANES: dict[str, tuple[str, Callable[[], Any]]] = {
    "Gyrostat": ("rho", lambda: ph.Gyrostat(I, rho=lambda t: (math.sin(t), 0.0, 0.0))),
    "Gyrostat with a torque": ("rho", lambda: ph.Gyrostat(I, rho=lambda t: (math.sin(t), 0, 0), torque=["t", 0, 0])),
    "DirectorBody": ("moment", lambda: ph.DirectorBody(I, moment=lambda t, R, w: (math.sin(t), 0.0, 0.0))),
}


@pytest.mark.parametrize("name", NOT_ON_LANES)
def test_a_function_that_has_no_lanes_is_named(name: str) -> None:
    field, make = NOT_ON_LANES[name]
    with pytest.raises(ph.InvalidInputError, match=r"Lanes.*functions of polhode\.scalars") as caught:
        ph.simulate(make().state(omega=[0.1, 0.2, 0.3]), step=0.1, steps=1, method=ph.GaussLegendre())
    assert caught.value.field == field


COMPLEX = {
    "moment": lambda: ph.AttitudeBody(I, moment=lambda t, R, w: (1j * t, 0.0, 0.0)),
    "rho": lambda: ph.Gyrostat(I, rho=lambda t: (1j * t, 0.0, 0.0)),
    "torque": lambda: ph.PlanarBody(1.0, torque=lambda t: 1j * t),
}


@pytest.mark.parametrize("field", COMPLEX)
def test_complex_numbers_are_refused_when_the_function_is_given(field: str) -> None:
    with pytest.raises(ph.InvalidInputError, match="complex128") as caught:
        COMPLEX[field]()
    assert caught.value.field == field


def helper(t: float) -> float:
    return 2.0 * t


def test_a_helper_that_is_not_marked_is_named() -> None:
    with pytest.raises(ph.InvalidInputError, match=r"calls the Python function helper: mark that @polhode\.scalars"):
        ph.AttitudeBody(I, moment=lambda t, R, w: (helper(t), 0.0, 0.0))


def test_what_a_function_returns_is_said_in_words() -> None:
    with pytest.raises(ph.InvalidInputError, match=r"it returns a list$"):
        ph.AttitudeBody(I, moment=lambda t, R, w: [0.1, 0.0, 0.0])
    with pytest.raises(ph.InvalidInputError, match="expected a function of 1 argument, or parameters"):
        ph.Gyrostat(I, rho=lambda t, R, w: (0.1, 0.0, 0.0))


def test_equal_functions_of_rho_share_their_flows() -> None:
    def body(scale: float) -> ph.Gyrostat:
        return ph.Gyrostat(I, rho=lambda t, k: (k * t, 0.0, 0.0), parameters={"k": scale})

    first, second = body(1.0).representations, body(2.0).representations
    assert all(first[name].drift is second[name].drift for name in first)


def test_rates_without_a_size_are_not_compared_with_it() -> None:
    state = ph.AttitudeBody([1, 1, 1], moment=[0.1, 0.0, 0.0]).state()
    with pytest.raises(ph.InvalidInputError, match=r"here the rates change$"):
        ph.linearize(state)


SHAPES = {
    "damping": lambda: ph.AttitudeBody(I, damping=[1.0, 2.0]),
    "inertia": lambda: ph.Rotor([0.1, 0.1, 0.1, 0.1]),
}


@pytest.mark.parametrize("field", SHAPES)
def test_all_shapes_that_are_allowed_are_named(field: str) -> None:
    with pytest.raises(ph.InvalidInputError, match=r"a number, (two or )?three numbers or a 3×3 matrix, not shape"):
        SHAPES[field]()


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("", r"\(it is empty\)$"),
        ("R33 + * 2", r"\(invalid syntax\)$"),
        ("R33/(R11 - R11)", "not an infinite number, as of a division by zero$"),
    ],
)
def test_slips_in_formulas_are_said_in_words(formula: str, said: str) -> None:
    with pytest.raises(ph.InvalidInputError, match=said):
        ph.AttitudeBody(I, potential=formula)


@kernel
def bent_lagrangian(R: Any, w: Any) -> Any:
    return w[0] * w[0] + w[1] * w[1] + w[2] * w[2] - (R[8] if R[8] > 0.0 else 2.0 * R[8])


@kernel
def bent_potential(theta: Any) -> Any:
    return theta if theta > 0.0 else 2.0 * theta


SHARED: dict[str, Callable[[], Any]] = {
    "GeneralBody": lambda: ph.GeneralBody(bent_lagrangian),
    "PlanarBody": lambda: ph.PlanarBody(1.0, potential=bent_potential),
}


@pytest.mark.parametrize("name", SHARED)
def test_systems_of_one_kernel_without_a_formula_share_their_flows(name: str) -> None:
    def flow() -> Any:
        found = SHARED[name]().representations["default"]
        return found.drift if name == "GeneralBody" else found.force

    assert flow() is flow()
