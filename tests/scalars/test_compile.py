"""What the decorators promise: kernels in kernels, flows for every scalar, and a cache that knows when it is stale."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import polhode
from polhode.scalars import any_of, compiled, double, duals, flow, get, kernel, lanes, loop, on_duals, put, where
from polhode.scalars.fingerprint import fingerprint
from polhode.scalars.functions import overloads

PACKAGE = Path(polhode.__file__).parent

# --- kernels ----------------------------------------------------------------------------------------------------------


@kernel
def square(x):
    """x²."""
    return x * x


@kernel
def length2(a):
    return square(a[0]) + square(a[1])


@kernel
def shaped(a, b):
    return where(length2((a, b)) > 1.0, square(length2((a, b))), -a)


def test_a_kernel_remains_the_function_it_was():
    assert (square.__name__, square.__doc__, square.__module__) == ("square", "x².", __name__)
    assert square(3) == 9
    assert isinstance(square(3), int)
    assert np.array_equal(length2((np.array([3.0, 0.0]), 4.0)), [25.0, 16.0])


def test_kernels_call_kernels_in_compiled_code():
    @numba.njit
    def run(S, x):
        put(x, 2, S, shaped(get(x, 0, S), get(x, 1, S)))

    members = np.array([[0.3, 0.5], [2.0, 0.25]])
    expected = [shaped(a, b) for a, b in members.T]
    assert expected[0] > 1.0
    assert expected[1] == -0.5
    for member, result in zip(members.T, expected, strict=True):
        x = np.append(member, 0.0)
        run(double, x)
        assert x[2] == result
    x = np.append(members, [0.0, 0.0])
    run(lanes(2), x)
    assert np.array_equal(x[4:], expected)


def test_compiled_code_divides_by_zero_as_c_does():
    @kernel
    def inverse(x):
        return 1.0 / x

    @compiled
    def through(x):
        return inverse(x), -1.0 / x, x / x

    up, down, undefined = through(0.0)
    assert (up, down) == (np.inf, -np.inf)
    assert np.isnan(undefined)


def test_a_function_without_a_file_is_compiled_without_a_cache():
    names: dict[str, Any] = {}
    exec("def twice(x): return 2.0 * x", names)
    assert compiled(names["twice"])(1.5) == 3.0


# --- flows ------------------------------------------------------------------------------------------------------------

TOO_SMALL = 4


@flow
def shrink(S, y, p, t, h, out):
    """x ↦ h x²; refused where x ≤ 1 in any lane."""
    x = get(y, 0, S)
    if any_of(x <= 1.0):
        return TOO_SMALL
    put(y, 0, S, h * square(x))
    out[0] = t + p[0]
    return 0


@numba.njit
def _once(S, step, y, p, t, h, out):
    return step(S, y, p, t, h, out)


def test_a_flow_runs_on_every_scalar_and_reports_its_status():
    cases = {
        double: ([3.0], [4.5], [0.5]),
        lanes(2): ([3.0, 2.0], [4.5, 2.0], [3.0, 0.5]),
        duals(2): ([3.0, 1.0, 10.0], [4.5, 3.0, 30.0], [0.5, 1.0, 10.0]),
    }
    for kind, (start, expected, refused) in cases.items():
        y, out = np.array(start), np.zeros(1)
        assert _once(kind, shrink.on(kind), y, np.array([8.0]), 2.0, 0.5, out) == 0
        assert np.array_equal(y, expected)
        assert out[0] == 10.0
        y, out = np.array(refused), np.zeros(1)
        assert _once(kind, shrink.on(kind), y, np.array([8.0]), 2.0, 0.5, out) == TOO_SMALL
        assert np.array_equal(y, refused)
        assert out[0] == 0.0


def test_a_loop_is_compiled_once_for_all_flows_of_a_scalar():
    @flow
    def stay(S, y, p, t, h, out):
        return 5

    @numba.njit
    def loop(S, step, y):
        return step(S, y, y, 0.0, 0.5, y)

    statuses = [loop(double, step.on(double), np.array([0.0])) for step in (shrink, stay)]
    assert statuses == [TOO_SMALL, 5]
    assert len(loop.signatures) == 1
    assert shrink.on(double) is shrink.on(double)


# --- the cache --------------------------------------------------------------------------------------------------------

# prints, for every compiled function of the process, how often it was found in the cache and how often it was not
COUNT = """
import gc, json, sys
from numba.core.dispatcher import Dispatcher
found = [d for d in gc.get_objects() if issubclass(type(d), Dispatcher)]
hits, misses = {}, {}
for d in found:
    hits[d.__name__] = hits.get(d.__name__, 0) + sum(d.stats.cache_hits.values())
    misses[d.__name__] = misses.get(d.__name__, 0) + sum(d.stats.cache_misses.values())
print(json.dumps([hits, misses, "numba.np.linalg" in sys.modules]))
"""

SIMULATE = """
import polhode as ph
body = ph.FreeRigidBody(inertia=[1, 2, 3])
for method in (ph.LGVI(), ph.RK4()):
    ph.simulate(body.state(omega=[0.7, -0.6, 0.5]), step=0.1, steps=3, method=method)
"""


def python(code: str, folder: Path) -> str:
    """What `code` prints in a process of its own, with modules and the cache of machine code in `folder`."""
    own = {
        "PYTHONPATH": os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")])),
        "PYTHONDONTWRITEBYTECODE": "",
        "NUMBA_CACHE_DIR": str(folder / "cache"),
    }
    run = subprocess.run([sys.executable, "-c", code], env=os.environ | own, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_a_second_process_compiles_nothing_and_loads_no_compiler(tmp_path):
    hits, misses, has_compiler = json.loads(python(SIMULATE + COUNT, tmp_path))
    used = ("drift_kick_loop", "drift_matrix", "fused_runge_kutta")
    assert all(misses[name] == 1 for name in used)
    assert not any(hits.values())
    assert has_compiler
    hits, misses, has_compiler = json.loads(python(SIMULATE + COUNT, tmp_path))
    assert all(hits[name] == 1 for name in used)
    assert not any(misses.values())
    assert not has_compiler


MADE = """
from polhode.scalars import compiled, kernel

@kernel
def twice(x):
    return 2.0 * x

@kernel
def thrice(x):
    return 3.0 * x

def made(formula, shift):
    @compiled
    def shifted(x):
        return formula(x) + shift
    return shifted

def within(inner):
    @compiled
    def outer(x):
        return -inner(x)
    return outer
"""
USE = """
import own
first, second, third = own.made(own.twice, 1.0), own.made(own.thrice, 1.0), own.made(own.twice, 5.0)
all = first, second, third, own.within(first), own.within(second)
print(*(f(1.0) for f in all), *(len(f.stats.cache_hits) for f in all))
"""


def test_functions_made_at_one_place_do_not_drive_each_other_out_of_the_cache(tmp_path):
    (tmp_path / "own.py").write_text(MADE)
    values = [3.0, 4.0, 7.0, -3.0, -4.0]
    for hits in (0, 1, 1):
        found = [float(number) for number in python(USE, tmp_path).split()]
        assert found == values + [hits] * 5


@pytest.mark.parametrize("edited", ["polhode/formula.py", pytest.param("own.py", marks=pytest.mark.verify)])
def test_an_edit_is_seen_by_the_next_process(edited, tmp_path):
    """Kernels are inlined, so the file of the function that is cached is not the only one that matters."""
    shutil.copytree(PACKAGE, tmp_path / "polhode", ignore=shutil.ignore_patterns("__pycache__"))
    factor = "from polhode.scalars import compiled, kernel\n\n@kernel\ndef factor(x):\n    return {} * x\n"
    user = "\n@compiled\ndef scaled(x):\n    return factor(x)\n"
    (tmp_path / "own.py").write_text(
        "from polhode.formula import factor\nfrom polhode.scalars import compiled\n" + user
    )
    run = "import own; print(own.scaled(3.0), len(own.scaled.stats.cache_hits))"
    for number, found in ((2.0, 0), (2.0, 1), (12.5, 0)):  # a new length too, which Python's own cache goes by
        source = factor.format(number) + (user if edited == "own.py" else "")
        target = tmp_path / edited
        if not target.exists() or target.read_text() != source:
            target.write_text(source)
        assert python(run, tmp_path).split() == [str(3.0 * number), str(found)]


SPELLINGS = {
    "a name": ("from own import factor", "factor(x)"),
    "a module": ("import own", "own.factor(x)"),
    "a constant": ("from own import number", "number * x"),
    "a module's constant": ("import own", "own.number * x"),
    "one of several": ("from own import both", "both[1] * x"),
    "through another": ("from own import twice", "twice(x) / 2.0"),
    "an array": ("from own import array", "array[0] * x"),
}
OWN = """
import numpy as np
from polhode.scalars import kernel

number, both, array = {0}, (1.0, {0}), np.array([{0}])

@kernel
def factor(x):
    return {0} * x

@kernel
def twice(x):
    return 2.0 * factor(x)
"""


@pytest.mark.verify
@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_a_users_edit_is_seen_however_it_is_imported(spelling, tmp_path):
    """Outside the package, where a user's flows are."""
    line, result = spelling
    (tmp_path / "user.py").write_text(
        f"{line}\nfrom polhode.scalars import compiled\n\n@compiled\ndef scaled(x):\n    return {result}\n"
    )
    run = "import user; print(user.scaled(3.0), len(user.scaled.stats.cache_hits))"
    for number, found in ((2.0, 0), (2.0, 1), (12.5, 0)):
        (tmp_path / "own.py").write_text(OWN.format(number))
        assert python(run, tmp_path).split() == [str(3.0 * number), str(found)]


def test_a_fingerprint_is_of_what_a_function_is_made_of():
    def made(factor, shift=1.0, form=1.0):
        @kernel
        def inner(x):
            return factor * x

        @on_duals
        @kernel
        def hidden(S, x):
            inner(x)

        def chosen(x):
            return x

        @overloads(chosen)
        def _chosen(x):
            return lambda x: form * x

        def outer(S, x):
            hidden(S, x)
            return [inner(y) for y in (x,)], shift, chosen(x)

        return fingerprint(outer)

    assert made(2.0) == made(2.0)
    others = made(3.0), made(2.0, shift=2.0), made(2.0, form=2.0), made((1.0, 2.0)), made((1.0, 3.0))
    assert len({made(2.0), *others}) == 6


# --- the cost of an import --------------------------------------------------------------------------------------------


def test_importing_leaves_the_heavy_packages_alone(tmp_path):
    heavy = {"scipy.optimize", "matplotlib", "xarray", "pandas"}
    loaded = python("import sys, polhode; print(*sys.modules)", tmp_path).split()
    assert "polhode.simulation.driver" in loaded
    assert not heavy.intersection(loaded)


def test_a_system_is_read_when_it_is_asked_for(tmp_path):
    code = """
import sys
import polhode as ph
def read():
    return {name.removeprefix("polhode.systems.") for name in sys.modules if name.startswith("polhode.systems.")}
assert "attitude.free" not in read(), read()
assert ph.FreeRigidBody([1, 2, 3]) and ph.FreeRigidBody is ph.systems.FreeRigidBody
assert "attitude.free" in read() and "full_body.inertial" not in read(), read()
assert "Gyrostat" in dir(ph) and not hasattr(ph, "Gyroscope")
assert {"FullBodyProblem", "Gyrostat"} <= set(ph.systems.known_systems())
from polhode import *
print(*(name for name in ph.__all__ if name not in globals()))
"""
    assert python(code, tmp_path).strip() == ""


@loop
def doubled_into(S, x, out):
    for i in range(x.shape[0]):
        out[i] = 2.0 * x[i]
    return x.shape[0]


def test_a_loop_looks_at_its_arguments_once_and_never_mistakes_a_stride():
    x, out = np.arange(4.0), np.zeros(4)
    for _ in range(2):
        assert doubled_into.on(double, x, out) == 4
        assert np.array_equal(out, 2.0 * x)
    assert len(doubled_into.dispatcher.signatures) == 1
    wide = np.zeros((4, 3))
    assert doubled_into.on(double, x, wide[:, 1]) == 4  # a column: its entries lie apart
    assert np.array_equal(wide[:, 1], 2.0 * x)
    assert not wide[:, [0, 2]].any()
