"""How pytest and Hypothesis run here, and fixtures that several folders use."""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# the same cases each time, none against the clock
settings.register_profile("tests", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")

# compiling makes millions of objects that stay: looking for cycles among them as often as usual takes a tenth of the time
gc.set_threshold(50_000, 20, 100)


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> Iterator[None]:
    """Signals act as in a terminal. A process started in the background may have inherited that they are ignored or blocked,
    and would hand it on to the children of the tests."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler), signal.signal(signal.SIGTERM, signal.SIG_DFL)
    blocked = signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))
    yield
    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    signal.signal(signal.SIGINT, before[0])
    signal.signal(signal.SIGTERM, before[1])


@pytest.fixture
def short_legs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are stored after every 333 steps."""
    from polhode.simulation import checkpoints, findings

    monkeypatch.setattr(findings, "FIRST_LEG", 16)
    monkeypatch.setattr(checkpoints, "FIRST_LEG", 333)
    monkeypatch.setattr(checkpoints, "EVERY_LEG", 333)
    monkeypatch.setattr(checkpoints, "GROWTH", 1)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from .sharing import Shared

    return Shared(config, log)
