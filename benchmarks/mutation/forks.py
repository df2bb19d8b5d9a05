"""Runs of pytest in processes that are forked from one in which the libraries are imported already.

The package under test is not imported before the fork: each run imports it from its own copy of the tree.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

LIBRARIES = [
    "numba",
    "numba.np.ufunc",
    "numba.extending",
    "numpy",
    "scipy.integrate",
    "scipy.linalg",
    "scipy.optimize",
    "scipy.special",
    "scipy.spatial",
    "scipy.spatial.transform",
    "sympy",
    "mpmath",
    "xarray",
    "netCDF4",
    "pydantic",
    "hypothesis",
    "hypothesis.strategies",
    "_pytest.doctest",
    "lazy_loader",
    "typer",
    "rich.table",
]
USED_UP = 100  # what a run returns whose time is used up: nothing failed until then
MEMORY = 16 << 30  # bytes of addresses that a run may ask for
REWRITING = "ignore::pytest.PytestAssertRewriteWarning"  # of libraries that are imported already
OPTIONS = ["-q", "-x", "-p", "no:cacheprovider", "-o", "timeout=0", "--no-header", "--tb=no", "-W", REWRITING]


def load_libraries() -> None:
    """What every run would import; those that are not installed are left to the tests that skip without them."""
    for name in LIBRARIES:
        with suppress(ImportError):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()


class Watch:
    """Notes the first test that fails, ends one that goes on for ever, and stops before the whole takes too long."""

    def __init__(self, file: Path, seconds: float, longest: Callable[[str], float]) -> None:
        self.file, self.seconds, self.longest = file, seconds, longest
        self.passed = 0
        self.used_up = False

    def note(self, test: str, what: str) -> None:
        beside = self.file.with_suffix(".new")  # as a fault may end the process at any time
        beside.write_text(json.dumps({"test": test, "what": what, "passed": self.passed}))
        os.replace(beside, self.file)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.note(nodeid, "running")
        signal.setitimer(signal.ITIMER_PROF, self.longest(nodeid))

    def pytest_runtest_logfinish(self) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0.0)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.note(report.nodeid, "failed")
        self.passed += report.when == "call" and report.passed

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        if time.process_time() > self.seconds:
            self.used_up = True
            item.session.shouldstop = "the time is used up"


def fork(tree: Path, arguments: list[str], plugins: list[Any], after: Callable[[], None] = lambda: None) -> int:
    """Start pytest in a copy of the tree, in a process of its own group; returns its id. `after` runs there when it has ended."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        with suppress(OSError):  # both do it, so that neither is too late
            os.setpgid(child, child)
        return child
    status = 1
    try:
        os.setpgid(0, 0)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for stream in (1, 2):
            os.dup2(os.open(tree.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.chdir(tree)
        os.environ["PYTHONPATH"] = f"{tree / 'src'}"
        sys.path[:0] = [f"{tree / 'src'}"]
        status = int(pytest.main([*OPTIONS, *arguments], plugins=plugins))
        if any(isinstance(plugin, Watch) and plugin.used_up for plugin in plugins):
            status = USED_UP
        after()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def end(group: int) -> None:
    """End a run and what its tests have started."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
