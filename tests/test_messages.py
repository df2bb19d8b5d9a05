"""Messages say what was refused, and what to take instead."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import polhode as ph
from polhode.bodies import Compound, Part, Sphere
from polhode.errors import NearContactWarning


def _tidal() -> ph.State:
    pair = ph.FullTwoBodyProblem(
        Sphere(1.0, 0.2), Sphere(1.0, 0.2), dissipation=[{"on": 0, "by": 1, "k2": 0.1, "radius": 0.2, "lag": 0.01}]
    )
    return pair.state(X=[1.0, 0.0, 0.0])


def _failing(x: np.ndarray) -> float:
    raise OSError("no table of the field")


CASES: dict[str, tuple[Callable[[], object], str]] = {
    "a ratio of moments": (
        lambda: ph.FreeRigidBody([1e-13, 1, 1]),
        r"none is below 1e-12 of another; the least is 1e-13 of the largest",
    ),
    "negative moments": (lambda: ph.FreeRigidBody([-1e-13, 1, 1]), "positive definite"),
    "a flat source": (
        lambda: ph.FieldBody([1, 1, 1], np.eye(3), sources=[1.0, 0.0, 0.0, 5.0]),
        r"sources = .*rows of four numbers, \[GM, x, y, z\]",
    ),
    "sources without places": (
        lambda: ph.FieldBody([1, 1, 1], np.eye(3), sources=[[1.0, 2.0]]),
        "rows of four numbers",
    ),
    "a field that fails": (
        lambda: ph.FieldBody([1, 1, 1], np.eye(3), potential=_failing),
        r"potential = <function _failing.*V\(x\) of three numbers.*OSError: no table of the field",
    ),
    "an unknown symbol": (lambda: ph.AttitudeBody([1, 2, 2.5], "R11 + stiffness*R22"), "stiffness is not among them"),
    "an unknown function": (lambda: ph.AttitudeBody([1, 2, 2.5], "R11 + gamma(R22)"), "gamma is not among them"),
    "every group of known symbols": (
        lambda: ph.AttitudeBody([1, 2, 2.5], moment=["omega4", "0", "0"]),
        "formula in omega1 … omega3, R11 … R33, t, .*omega4 is not among them",
    ),
    "the same method with other options": (
        lambda: ph.simulate(ph.FreeRigidBody.example(), step=0.1, steps=1, method=ph.Midpoint("split")),
        r"Midpoint\(representation='split'\) cannot .* Midpoint\(\) without options",
    ),
    "LGVI with tides": (lambda: ph.simulate(_tidal(), step=0.1, steps=1), "its tides .* ForcedLGVI is made"),
    "Splitting with tides": (
        lambda: ph.simulate(_tidal(), step=0.1, steps=1, method=ph.Splitting()),
        "its tides .* ForcedLGVI is made",
    ),
    "LGVI of a nonholonomic body": (
        lambda: ph.simulate(ph.NonTwistingBody.example(), step=0.1, steps=1),
        "nonholonomic, for which LagrangeDAlembert",
    ),
    "LGVI of directors": (
        lambda: ph.simulate(ph.DirectorBody.example(), step=0.1, steps=1, method=ph.LGVI()),
        "directors, for which EnergyMomentum",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_message_says_what_was_refused(name: str) -> None:
    make, words = CASES[name]
    with pytest.raises(ph.PolhodeError, match=words):
        make()


def _ensemble() -> ph.Ensemble:
    start = ph.FreeRigidBody.example()
    return ph.ensemble([start, start], step=0.1, steps=2)


def _run(provenance: object = None) -> ph.Trajectory:
    return ph.simulate(ph.FullTwoBodyProblem.example(), step=0.01, steps=2, provenance=provenance)  # type: ignore[call-overload, no-any-return]


def _moment(moment: object) -> ph.System:
    return ph.AttitudeBody([1, 2, 2.5], moment=moment)


def _pair(synchronous: object) -> ph.State:
    pair = ph.FullTwoBodyProblem.example().system
    return pair.state(elements={"a": 2.0, "e": 0.1}, synchronous=synchronous)  # type: ignore[attr-defined, no-any-return]


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "provenance that is text": (lambda: _run("x"), "provenance = 'x': expected a mapping"),
    "provenance that is a list": (lambda: _run([1, 2, 3]), "expected a mapping"),
    "quantiles of a function": (lambda: _ensemble().quantiles(print), "expected one of R, q, omega, Pi"),  # type: ignore[arg-type]
    "quantiles of an unknown field": (lambda: _ensemble().quantiles("v"), "expected one of R, q, omega, Pi"),
    "levels that are no shares": (lambda: _ensemble().quantiles("omega", [0.5, 1.5]), "numbers from 0 to 1"),
    "levels that are no numbers": (lambda: _ensemble().quantiles("omega", "x"), "numbers from 0 to 1"),
    "an input that is a list": (lambda: _ensemble().input(["x"]), "none: no inputs are known"),  # type: ignore[arg-type]
    "a figure that is a list": (lambda: _ensemble().plot(["fan"]), "expected one of 'fan'"),  # type: ignore[arg-type]
    "a side that is an array": (
        lambda: ph.RigidBodySOn([1, 2, 3], side=np.array([])),
        "side = .*one of 'left', 'right'",
    ),  # type: ignore[arg-type]
    "a time system that is an array": (
        lambda: ph.Epoch("2031-05-04", time_system=np.array([])),
        "one of 'GMST', 'GPS'",
    ),  # type: ignore[arg-type]
    "a profile that is a list": (
        lambda: _moment({"profile": [1], "coefficients": [1, 2, 3]}),
        "moment.profile = .*'triangle'",
    ),
    "a flag that is an array": (lambda: Compound([Part(Sphere(1, 1), [0, 0, 0])], recentre=np.eye(3)), "True or False"),  # type: ignore[arg-type]
    "a tolerance that is no double": (lambda: ph.DOP853(rtol=2**1100), "rtol = .*expected numbers"),
    "bodies that are one text": (lambda: ph.CoupledBodies(np.array("x")), "inertias = .*a list with the inertia"),  # type: ignore[arg-type]
    "couplings that are a number": (lambda: ph.CoupledBodies([[1, 2, 3]], couplings=3), "rows .i, j, C."),  # type: ignore[arg-type]
    "a synchronous body that is a list": (lambda: _pair([[1.0]]), "synchronous = .*one of body1, body2"),
    "a pair that is a number": (lambda: _run().orbit(3), "expected two bodies"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("case", REFUSED)
def test_arguments_of_another_kind_are_refused_in_words(case: str) -> None:
    call, words = REFUSED[case]
    with pytest.raises(ph.InvalidInputError, match=words):
        call()


@pytest.mark.parametrize("kind", [ph.PolhodeError, NearContactWarning])
def test_no_message_gives_orders_to_the_terminal(kind: type[Exception]) -> None:
    assert str(kind("\x1b]0;title\x07 could not be written")) == r"\x1b]0;title\x07 could not be written"
