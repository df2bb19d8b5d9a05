"""What each test reaches: a plugin of pytest that notes, test by test, the functions of the package that run.

Python functions are seen by a trace function. Compiled ones are not; but what starts them is (`Compiled.__call__`,
`Compiled.on`, `Flow.on`), and what they are made of follows from the names that they use, as for the disk cache.
A function is told by its file and its name, `geometry/so3.py:exp_` or `systems/attitude/base.py:AttitudeSystem.state`; what is
made inside a function counts as that function.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest

STARTERS = ("Compiled.__call__", "Compiled.on", "Flow.on")
ENOUGH = 100_000  # calls without a function that is new, after which a test is no longer watched


def unwatched(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function without the trace, which would double the time of what calls much Python code."""

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        trace = sys.gettrace()
        sys.settrace(None)
        try:
            return function(*args, **options)
        finally:
            sys.settrace(trace)

    return call


class Reach:
    """Collects, for each test that passes, its seconds of processor time, the Python functions that it runs, and the compiled
    functions that it starts with what they are made of."""

    def __init__(self, root: Path) -> None:
        self.root = f"{root}/"
        self.tests: dict[str, dict[str, Any]] = {}
        self.codes: dict[int, CodeType] = {}
        self.started: dict[int, FunctionType] = {}
        self.stale = 0
        self.bad = set[str]()
        self.closures: dict[int, frozenset[str]] = {}

    def pytest_sessionstart(self) -> None:
        from numba.core import dispatcher

        changed: Any = dispatcher.Dispatcher
        changed.compile = unwatched(changed.compile)

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            code = frame.f_code
            if id(code) not in self.codes:
                self.codes[id(code)], self.stale = code, 0
            self.stale += 1
            if self.stale > ENOUGH:
                sys.settrace(None)
            if code.co_qualname in STARTERS and code.co_filename.startswith(self.root):
                function = frame.f_locals["self"].function
                self.started[id(function)] = function

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.codes, self.started, self.stale = {}, {}, 0
        begin = time.process_time()
        sys.settrace(self.note)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            seconds = time.process_time() - begin
            run = {name for name in map(self.name, self.codes.values()) if name}
            made = {id: self.closure(function) for id, function in self.started.items()}
            if item.nodeid not in self.bad:
                self.tests[item.nodeid] = {
                    "seconds": round(seconds, 3),
                    "python": sorted(run),
                    "compiled": [sorted(names) for names in made.values()],
                }

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            self.bad.add(report.nodeid)

    def name(self, code: CodeType) -> str | None:
        """The file and the name of a function of the package; None for others."""
        if not code.co_filename.startswith(self.root):
            return None
        function = code.co_qualname.partition(".<locals>")[0]
        return f"{code.co_filename.removeprefix(self.root)}:{function}" if function[0] != "<" else None

    def closure(self, function: FunctionType) -> frozenset[str]:
        """The functions of the package that a compiled one is made of."""
        from polhode.scalars.fingerprint import named, within

        if id(function) not in self.closures:
            pending, seen = [function], {id(function): function}
            for current in pending:
                values = list(named(current))
                for value in values:
                    if isinstance(value, tuple):
                        values.extend(value)
                    inner = within(value)
                    if isinstance(inner, FunctionType) and id(inner) not in seen:
                        seen[id(inner)] = inner
                        pending.append(inner)
            names = (self.name(each.__code__) for each in seen.values())
            self.closures[id(function)] = frozenset(name for name in names if name)
        return self.closures[id(function)]
