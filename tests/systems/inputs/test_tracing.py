"""Kernels that write down their own formula, and those that cannot."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import polhode as ph
from polhode.analysis import symplectic_defect, tangent_map
from polhode.scalars import atan2, cos, kernel, largest, sin, sqrt, where
from polhode.systems.inputs.attitude_potential import CompiledPotential, SymbolicPotential
from polhode.systems.inputs.tracing import trace

x, y = sympy.symbols("x y", real=True)


@kernel
def smooth(R):  # type: ignore[no-untyped-def]
    total = 0.3 * R[8] * R[8] - 0.8 * R[2] + 0.1 * sin(2.0 * R[0])
    for i in range(3):
        total = total + 0.2 * cos(R[i]) / sqrt(2.0 + R[i + 3])
    return total - R[4] ** 2 / 3.0


@kernel
def bumpy(R):  # type: ignore[no-untyped-def]
    return 0.5 * largest(0.0, R[8]) * R[8] * R[8] * R[8] * R[8] * R[8] * R[8] - 0.8 * R[2]


def test_what_a_kernel_computes() -> None:
    assert trace(lambda p: 2.0 * p[0] - p[1] * (p[0] + 1), (x, y)) == [2.0 * x - y * (x + 1)]
    (found,) = trace(lambda p: sqrt(p[0]) / (1.0 - sin(p[1])) - (-p[0]) ** 2 + cos(+p[1]), (x, y)) or []
    assert sympy.simplify(found - (sympy.sqrt(x) / (1 - sympy.sin(y)) - x**2 + sympy.cos(y))) == 0
    assert trace(lambda p: (p[0], 3.0, np.float64(2.0) * p[1], 1.0 / p[0]), (x, y)) == [x, 3.0, 2.0 * y, 1.0 / x]
    assert trace(lambda p: atan2(p[0], p[1]), (x, y)) == [sympy.atan2(x, y)]


@pytest.mark.parametrize(
    "function",
    [
        lambda p: p[0] if p[0] > 0 else p[1],
        lambda p: where(p[0] > 0.0, p[0], p[1]),
        lambda p: largest(p[0], 0.0),
        lambda p: float(p[0]),
        lambda p: p[0] if p[0] else p[1],
        lambda p: p[0] + (p[1] - p[1]) ** -1,
    ],
)
def test_what_has_no_formula(function: object) -> None:
    assert trace(function, (x, y)) is None


def test_as_many_formulas_as_are_asked_for() -> None:
    assert trace(kernel(lambda p: (p[0], p[1])), (x, y), count=2) == [x, y]
    assert trace(kernel(lambda p: (p[0], p[1])), (x, y), count=1) is None


@pytest.mark.verify
def test_a_formula_that_is_too_long_is_not_derived() -> None:
    def long(p):  # type: ignore[no-untyped-def]
        total = p[0]
        for i in range(3000):
            total = total + (i + 0.5) * p[0] * p[1] ** (i + 2)
        return total

    assert trace(long, (x, y)) is None


def test_a_traced_potential_is_exact_and_another_is_not() -> None:
    """The tangent map against that of the same potential as a formula, and by differences where there is none."""
    J = [1.0, 2.0, 2.5]
    values = {"q": [0.1, -0.2, 0.3, 0.9], "omega": [0.7, -0.5, 0.6]}
    traced, numerical = ph.AttitudeBody(J, potential=smooth), ph.AttitudeBody(J, potential=bumpy)
    assert isinstance(traced.potential, SymbolicPotential)
    assert isinstance(numerical.potential, CompiledPotential)
    exact = symplectic_defect(traced.state(**values), ph.LGVI(), 0.05, steps=2)
    assert exact < 1e-14
    assert symplectic_defect(numerical.state(**values), ph.LGVI(), 0.05, steps=2) < 1e-10
    dual = CompiledPotential(smooth, 1, "potential")
    R = ph.so3.random(np.random.default_rng(1), 5)
    np.testing.assert_allclose(dual.energy(R), traced.potential.energy(R), atol=1e-15)
    Phi = tangent_map(traced.state(**values), ph.LGVI(), 0.05, 2)
    assert np.abs(np.linalg.det(Phi) - 1.0) < 1e-13


def test_a_traced_potential_describes_itself() -> None:
    body = ph.AttitudeBody([1.0, 2.0, 2.5], potential=smooth)
    again = ph.AttitudeBody(**body.describe())
    R = ph.so3.exp([0.3, -0.2, 0.5])
    assert float(again.potential_energy(R)) == pytest.approx(float(body.potential_energy(R)), abs=1e-14)
