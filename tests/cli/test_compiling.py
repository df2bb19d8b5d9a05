"""The line that tells of compiling."""

from __future__ import annotations

import pytest
from numba import njit

from polhode.cli.compiling import COMPILING, say_when_compiling
from polhode.simulation.progress import Bar


def compile_something() -> None:
    @njit
    def inner(x):
        return x + 1

    @njit
    def outer(x):
        return inner(x) + 1

    assert outer(1) == 3


def test_it_is_said_once_in_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    with say_when_compiling():
        assert capsys.readouterr().err == ""
        compile_something()
        compile_something()
    compile_something()
    captured = capsys.readouterr()
    assert captured.err == COMPILING + "\n"
    assert captured.out == ""


def test_it_is_not_said_if_not_wanted_or_beside_a_bar(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with say_when_compiling(False):
        compile_something()
    monkeypatch.setattr(Bar, "shown", True)
    with say_when_compiling():
        compile_something()
    assert capsys.readouterr().err == ""


def test_a_terminal_gets_a_spinner_that_leaves_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with say_when_compiling():
        compile_something()
        during = capsys.readouterr().err
    assert COMPILING in during
    assert during.rstrip("\n").endswith("\x1b[2K") or "\x1b[2K" in during.rpartition(COMPILING)[2]
