"""What a formula may contain: each function is derived as mpmath derives it, on every scalar, and read again from text."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from sympy import Rational

import polhode as ph
from polhode.analysis import symplectic_defect
from polhode.methods.loops import DriftKickRun
from polhode.scalars import absolute, acos, asin, atan, cosh, exp, kernel, lanes, log, power, sinh, tan, tanh
from polhode.systems import symbols
from polhode.systems.inputs.attitude_potential import SymbolicPotential, potential_of
from polhode.systems.inputs.sympy_kernels import formula_kernel, known_symbols, moment_of
from polhode.systems.inputs.tracing import trace

J = [1.0, 2.0, 2.5]
R = symbols()
S = sympy.MatrixSymbol("R", 3, 3)
MATRIX = ph.so3.exp([0.3, -0.4, 0.5])
EVERY = (
    "exp(-R33) + log(2 + R11) + tan(R12) + asin(R13/2)*acos(R21/2) + atan(R22) + sinh(R23)*cosh(R31) + tanh(R32)"
    " + (2 + R33)**(1/3) + max(R11, R22, 0)**3 + min(R12, R23)**3 + abs(R31)**3"
    " + Piecewise((R33**2, R33 > 0.2), (0.4*R33 - 0.04, True))"
)
FORMULAS = [
    sympy.acos((R.trace() - 1) / 2) ** 2,
    R[2, 2] ** Rational(1, 3),
    (2 + R[0, 0]) ** R[1, 1] + 2 ** R[2, 2],
    sympy.Max(0, R[0, 0] - 0.5, R[1, 1] - 0.6) ** 2 + sympy.Min(R[0, 1], R[1, 0]),
    sympy.Abs(R[2, 0]) + sympy.Abs(sympy.sqrt(R[2, 2]) - 1) + sympy.real_root(R[1, 0], 3),
    sympy.Heaviside(R[0, 0]) * R[0, 0] ** 2 + sympy.sign(R[0, 1]) * R[0, 1] ** 2,
    sympy.Piecewise(
        (R[0, 0], R[2, 2] < 0), (R[1, 1] ** 2, (R[2, 2] < 0.9) & (R[0, 0] > 0.1) | (R[0, 1] > 2)), (0, True)
    ),
    "Piecewise((R11, 0.5 < R33 < 0.9), (2*R22, R33 >= 0.9 or R12 > 3), (R13, True))",
    EVERY,
]


@pytest.mark.parametrize("given", FORMULAS, ids=lambda e: str(e)[:30])
def test_the_moment_of_a_formula(given: Any) -> None:
    U = known_symbols("potential", given, list(R))
    M = formula_kernel("potential", moment_of(U, R), list(R))(tuple(MATRIX.ravel()))
    energy = sympy.lambdify(list(R), U, "mpmath")
    with mpmath.workdps(40):
        A = mpmath.matrix(MATRIX.tolist())
        for i in range(3):
            # R S(e): the columns of R, permuted
            j, k = (i + 1) % 3, (i + 2) % 3
            turn = mpmath.zeros(3)
            turn[k, j], turn[j, k] = 1, -1
            slope = mpmath.diff(lambda e, turn=turn: energy(*(A + e * A * turn)), 0)
            assert abs(float(-mpmath.re(slope)) - M[i]) < 4e-15 * max(1.0, *np.abs(M))


@pytest.mark.parametrize("given", FORMULAS, ids=lambda e: str(e)[:30])
def test_a_formula_can_be_read_again(given: Any) -> None:
    potential = potential_of(given)
    many = ph.so3.exp(np.random.default_rng(1).uniform(-0.3, 0.3, size=(2, 4, 3)))
    again = potential_of(potential.describe())
    assert potential.energy(many).shape == (2, 4)
    np.testing.assert_array_equal(again.energy(many), potential.energy(many))
    for i in range(4):
        np.testing.assert_array_equal(potential.energy(many[1, i]), potential.energy(many)[1, i])


@pytest.mark.verify
def test_every_function_on_every_scalar() -> None:
    body = ph.AttitudeBody(J, potential=EVERY)
    state = body.state(R=MATRIX, omega=[0.5, -0.4, 0.6])
    assert symplectic_defect(state, ph.LGVI(), 0.05, steps=2) < 1e-14
    run = ph.LGVI().start(state, 0.01, lanes(4))
    assert isinstance(run, DriftKickRun)
    run.advance(0, 20, 100, np.empty((0, run.carried)))
    alone = ph.simulate(state, step=0.01, steps=20).final
    for lane in run.sample.reshape(-1, 4)[:12].T:
        np.testing.assert_array_equal(lane, np.concatenate([alone.R.reshape(-1), alone.Pi]))


def test_matrices_of_symbols() -> None:
    a, b = sympy.Matrix([0, 0, 1]), sympy.Matrix([0, 1, 2])
    assert known_symbols("U", S[0, 2] * S[1, 1], list(R)) == R[0, 2] * R[1, 1]
    assert known_symbols("U", sympy.Trace(S) + S.T[0, 1], list(R)) == R.trace() + R[1, 0]
    for given in (a.T * R * b, a.T * S * b, (a.T * S * b)[0, 0]):
        assert known_symbols("U", given, list(R)) == R[2, 1] + 2 * R[2, 2]
    two = [*symbols(1), *symbols(2)]
    first, second = sympy.MatrixSymbol("R1", 3, 3), sympy.MatrixSymbol("R2", 3, 3)
    assert known_symbols("U", sympy.Trace(first.T * second), two) == (symbols(1).T * symbols(2)).trace().expand()
    for wrong in (R, S, S * b, sympy.MatrixSymbol("A", 3, 3)[0, 0], sympy.MatrixSymbol("R", 4, 4)[0, 0]):
        with pytest.raises(ph.InvalidInputError):
            known_symbols("U", wrong, list(R))


@pytest.mark.parametrize(
    "given",
    [R[0, 0] + sympy.erf(R[2, 2]) ** 2, sympy.Function("f")(R[0, 0]), sympy.I * R[0, 0], sympy.oo + 0 * R[0, 0]],
    ids=str,
)
def test_what_cannot_be_written_is_shown_as_it_was_given(given: Any) -> None:
    with pytest.raises(ph.InvalidInputError) as caught:
        ph.AttitudeBody(J, potential=given)
    assert caught.value.value == given
    assert caught.value.field == "potential"


@pytest.mark.parametrize(
    "text",
    ["R11 > 0", "(R11, R22)", "floor(R11)", "exp(R11, R12)", "max()", "True", "R11**65", "exp", "'R11'", "sin((1, 2))"],
)
def test_texts_that_are_no_formulas(text: str) -> None:
    with pytest.raises(ph.InvalidInputError) as caught:
        ph.AttitudeBody(J, potential=text)
    assert caught.value.value == text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("R33*(" + "+".join(f"1/{10**12 + i}" for i in range(900)) + ")", 9e-10),
        ("(((1000001/1000000)**64)**64)**64*R33", 1.000001 ** (64**3)),
        ("(R33*1000001/1000000)**64*R33**-63", 1.000001**64),
        ("((" * 4 + "R33*1000001/1000000" + ")**64*R33**-63)" * 4, 1.000001 ** (64**4)),
        ("R33*(1/3 + 10**-60)**40*3**40", 1.0),
    ],
)
def test_exact_numbers_never_have_more_digits_than_a_file_can_hold(text: str, plain: float) -> None:
    """SymPy's fractions of whole numbers grow with each operation."""
    body = ph.AttitudeBody(J, potential=text)
    told = body.describe()["potential"]
    assert len(told) < 700
    again = ph.AttitudeBody(J, potential=told)
    R = np.eye(3)
    assert float(again.potential_energy(R)) == float(body.potential_energy(R)) == pytest.approx(plain, rel=1e-6)


@pytest.mark.parametrize("text", ["R33**40*R33**40", "(R33*R31)**32*(R33*R31)**40", "(R33**8)**9", "1/R33**40/R33**40"])
def test_powers_are_limited_also_where_they_are_put_together(text: str) -> None:
    """A run would tell a power that no text may have, so that its result could not be read."""
    with pytest.raises(ph.InvalidInputError, match="powers of at most 64"):
        ph.AttitudeBody(J, potential=text)


def test_kernels_write_down_every_function() -> None:
    x, y = sympy.symbols("x y", real=True)

    def every(p):  # type: ignore[no-untyped-def]
        a, b = p
        total = exp(a) + log(b) + tan(a) + asin(a) + acos(a) + atan(b) + sinh(a) * cosh(b) + tanh(a)
        return total + power(b, 0.25) + power(2.0, a) + power(b, a) + absolute(a)

    (found,) = trace(every, (x, y)) or []
    total = sympy.exp(x) + sympy.log(y) + sympy.tan(x) + sympy.asin(x) + sympy.acos(x) + sympy.atan(y)
    total += sympy.sinh(x) * sympy.cosh(y) + sympy.tanh(x) + y**0.25 + 2.0**x + y**x + sympy.Abs(x)
    assert found == total
    body = ph.AttitudeBody(J, potential=kernel(lambda R: exp(R[8]) + power(2.0 + R[0], 0.3)))
    assert isinstance(body.potential, SymbolicPotential)


def test_fields_and_perturbations_take_the_same_formulas() -> None:
    spring = ph.ExternalPotential("exp(-x**2) + max(z, 0)*R33")
    places, turns = np.array([[0.3, 0.2, 0.5], [0.1, 0.0, -1.0]]), np.stack([MATRIX, np.eye(3)])
    expected = np.exp(-(places[:, 0] ** 2)) + np.maximum(places[:, 2], 0.0) * turns[:, 2, 2]
    np.testing.assert_allclose(spring.energy(0.0, places, turns), expected, atol=1e-15)


def test_a_formula_keeps_all_digits_of_its_numbers() -> None:
    body = ph.AttitudeBody(
        [1, 2, 2.5], potential=sympy.Float(1 / 3, 17) * R[2, 2], linear=[0.1 + 0.2, 0, R[0, 0] / 7.0]
    )
    again = ph.AttitudeBody(**body.describe())
    assert again.describe() == body.describe()
    assert repr(1 / 3) in body.describe()["potential"]
    assert repr(0.1 + 0.2) in body.describe()["linear"][0]


@pytest.mark.parametrize(
    "formula",
    [
        "Piecewise((R33, R33), (0, True))",
        "Piecewise((R33, R33 > 0 and R11), (0, True))",
        "Piecewise((R33, (R33 > 0) & R11), (0, True))",
        "Piecewise((R33, 1), (0, True))",
        "R33 and 1",
        "R11 or R11",
    ],
)
def test_a_number_is_not_a_condition(formula: str) -> None:
    """For SymPy a symbol may be true or false: the first was an error of the compiler, the last two were numbers."""
    with pytest.raises(ph.InvalidInputError, match="comparisons such as a > b as conditions, not numbers"):
        ph.AttitudeBody([1, 2, 3], potential=formula)
