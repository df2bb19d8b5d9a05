"""A hundred files that try to run code, never to end, or to write to the terminal: each is refused in one clear line.

No clock is used: a formula is refused by its size, before work is done, so that these tests end, or none of them does.
"""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest

from polhode.errors import PolhodeError
from polhode.io.scenario.build import build_plan
from polhode.io.scenario.document import scenario_from_text

MARK = "attack-was-here"
CODE = [
    f"__import__('os').mkdir('{MARK}')",
    f"eval(\"__import__('os').mkdir('{MARK}')\")",
    f"exec(\"import os; os.mkdir('{MARK}')\")",
    f"open('{MARK}', 'w')",
    f"().__class__.__base__.__subclasses__()[0]('{MARK}')",
    f"(lambda: __import__('os').mkdir('{MARK}'))()",
    f"[__import__('os').mkdir('{MARK}') for _ in (1,)][0]",
    "R.__class__",
    "getattr(R, 'tofile')",
    "globals()",
    "breakpoint()",
    "x := 1",
    "`id`",
    "$(id)",
    "R11; import os",
    "yield 1",
    "await x",
    "f'{1}'",
    "b'1'",
    "\x00",
]
ENDLESS = [
    "9**9**9**9",
    "R11**(9**9**9)",
    "exp(exp(exp(100)))",
    "exp(exp(exp(exp(exp(R11)))))**99999",
    "(" * 5000 + "1" + ")" * 5000,
    "-" * 20000 + "1",
    "+".join(["R11"] * 50000),
    "(R11+R22+R33)**5000",
    "sin(" * 400 + "R11" + ")" * 400,
    "1" * 100000,
    "1e999999999",
    "factorial(10**9)",
    "Piecewise(Piecewise((R11, R22 > 0), (0, True)), (0, True))",
    "R11**R12**R13**R21**R22**R23**R31**(99**99)",
]
PLACES = {
    "potential": 'type = "AttitudeBody"\ninertia = [1.0, 2.0, 2.5]\npotential = {value}',
    "linear": 'type = "AttitudeBody"\ninertia = [1.0, 2.0, 2.5]\nlinear = [{value}, "0", "0"]',
    "linear in a list": 'type = "AttitudeBody"\ninertia = [1.0, 2.0, 2.5]\nlinear = [[{value}], "0", "0"]',
    "magnetic": 'type = "ChargedPoints"\ninertia = [1.0, 2.0, 2.5]\ncharges = [1.0]\npositions = [[0.1, 0.0, 0.0]]\n'
    'magnetic = [{value}, "0", "0"]',
}
TABLES = '\n[state]\nomega = [0.1, 0.2, 0.3]\n[method]\ntype = "LGVI"\n[run]\nstep = 0.01\nsteps = 1\n'
OTHERS = [
    '[system]\ntype = "../../etc/passwd"',
    '[system]\ntype = "__import__"',
    '[system]\ntype = "System"',
    '[system]\ntype = "FreeRigidBody"\ninertia = [1.0, 2.0, 2.5]\n__class__ = "x"',
    '[system]\ntype = "FreeRigidBody"\ninertia = "/etc/passwd"',
    '[system]\ntype = "FreeRigidBody"\ninertia = [1.0, 2.0, 2.5]\n[output]\nfile = "../../out.nc"',
    '[system]\ntype = "FreeRigidBody"\ninertia = [1.0, 2.0, 2.5]\n[output]\nfile = "/elsewhere/out.nc"',
    "a = " + "[" * 5000 + "]" * 5000,
    "\x1b]0;title\x07 = 1",
    "x" * 100000,
]


def quoted(text: str) -> str:
    """Text as a string of TOML."""
    escapes = {'"': '\\"', "\\": "\\\\", "\x00": "\\u0000"}
    return '"' + "".join(escapes.get(c, c) for c in text) + '"'


FORMULAS = [f"[system]\n{PLACES[p].format(value=quoted(a))}{TABLES}" for p, a in itertools.product(PLACES, CODE)]
FORMULAS += [f"[system]\n{PLACES['potential'].format(value=quoted(a))}{TABLES}" for a in ENDLESS]
ATTACKS = [*FORMULAS, *(other + TABLES for other in OTHERS)]


def test_there_are_a_hundred() -> None:
    assert len(set(ATTACKS)) >= 100


@pytest.mark.parametrize(("place", "formula"), [("potential", "R11*R22"), ("linear", "R11"), ("magnetic", "x*y")])
def test_the_same_with_an_honest_formula_is_accepted(place: str, formula: str) -> None:
    text = f"[system]\n{PLACES[place].format(value=quoted(formula))}{TABLES}"
    assert build_plan(scenario_from_text("honest.toml", text)).steps == 1


@pytest.mark.parametrize("text", ATTACKS, ids=range(len(ATTACKS)))
def test_it_is_refused_in_one_line(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PolhodeError) as refusal:
        build_plan(scenario_from_text("attack.toml", text))
    said = str(refusal.value)
    assert said.strip()
    assert "\n" not in said
    assert "Traceback" not in said
    assert "\x1b" not in said
    assert "\x00" not in said
    assert len(said) < 2000
    assert not os.listdir(tmp_path)
