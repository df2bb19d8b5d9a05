"""Formulas that would never end, or end in a raw error, are refused in words; those of a usual size are not."""

from __future__ import annotations

import gc
import sys
import threading
import time

import pytest
import sympy

import polhode as ph
from polhode.io.scenario.build import build_plan
from polhode.io.scenario.document import scenario_from_text
from polhode.io.scenario.examples import find_example
from polhode.systems.inputs import limits
from polhode.systems.inputs.limits import MOST_OPERATIONS, check_size, limited
from polhode.systems.inputs.parser import parsed
from polhode.systems.inputs.sympy_kernels import known_symbols, statements, symbols

R = list(symbols())
REFUSED = {
    "exp(exp(exp(100)))": "numbers up to",
    "sin(exp(exp(100)))": "numbers up to",
    "exp(-exp(exp(20)))": "numbers up to",
    "Abs(exp(exp(exp(exp(100)))))": "numbers up to",
    "Max(exp(exp(exp(50))), exp(exp(exp(51))))": "numbers up to",
    "Heaviside(exp(exp(exp(100))) - 1)": "numbers up to",
    "(((9**64)**64)**64)*R11": "numbers up to",
    "cosh(1e4)": "numbers up to",
    "(R11*10**64)**64": "finite numbers",
    "((R11**64)**64)**64": "fewer operations",
    "((R11 + R12 + 1)**64)**64": "powers of at most 64",
    "((R11**64 + 1)**64 + 1)**64": "fewer operations",
    "Heaviside(" * 30 + "R11" + ")" * 30: "fewer operations",
    "sin(" * 200 + "R11" + ")" * 200: "fewer operations|nested",
    "R11" + "+R11" * 20_000: "at most 20,000 characters",
    "9" * 5000: "formula",
    "-" * 3000 + "R11": "formula",
    "(" * 5000 + "R11" + ")" * 5000: "formula",
}


PIECES = [(k * R[0], R[4] > k) for k in range(200)]


@pytest.mark.parametrize("given", [sympy.Piecewise(*PIECES, (0, True)), str(sympy.Piecewise(*PIECES, (0, True)))])
def test_more_pieces_than_python_reads_are_refused(given: object) -> None:
    with pytest.raises(ph.InvalidInputError, match="fewer operations"):
        ph.AttitudeBody([1, 2, 2.5], potential=given)


def test_a_table_as_pieces_is_taken() -> None:
    some = sympy.Piecewise(*PIECES[:60], (0, True))
    assert "59*R11" in ph.AttitudeBody([1, 2, 2.5], potential=some).describe()["potential"]


def endless() -> None:
    while True:
        pass


@pytest.mark.parametrize("text", REFUSED, ids=[text[:40] for text in REFUSED])
def test_formulas_without_end_are_refused_in_words(text: str) -> None:
    with pytest.raises(ph.InvalidInputError, match=f"(?s)^potential = .*({REFUSED[text]})"):
        ph.AttitudeBody([1, 2, 2.5], potential=text)


def test_a_refusal_is_short() -> None:
    with pytest.raises(ph.InvalidInputError) as refusal:
        ph.AttitudeBody([1, 2, 2.5], potential="(R11*10**64)**64")
    assert len(str(refusal.value)) < 500


@pytest.mark.parametrize("text", ["R11**64", "exp(R11)**32", "1e300*R11", "exp(700)*R33", "Max(Min(R11, R12), R13)"])
def test_large_ones_that_doubles_hold_are_taken(text: str) -> None:
    assert known_symbols("potential", text, R) == parsed("potential", text, R)


def test_what_takes_too_long_is_stopped() -> None:
    match = r"potential = 'R11': this formula takes too long to differentiate"
    with pytest.raises(ph.InvalidInputError, match=match), limited("potential", "R11"):
        endless()


def test_it_is_stopped_in_any_thread_and_only_there() -> None:
    caught: list[Exception] = []

    def work() -> None:
        try:
            with limited("potential", ["R11", "0", "0"]), limited("potential", "R11"):  # the outer one counts
                endless()
        except ph.InvalidInputError as error:
            caught.append(error)

    worker = threading.Thread(target=work)
    worker.start()
    worker.join()
    assert len(caught) == 1
    with limited("potential", "R11"):  # and nothing is left behind
        pass


def test_nothing_is_left_in_the_interpreter() -> None:
    """Python 3.11 would look for ever for an interruption that is called back, in a thread that is traced."""

    def work() -> None:
        sys.settrace(lambda *_: None)
        with pytest.raises(ph.InvalidInputError, match="takes too long"), limited("potential", "R11"):
            endless()

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    worker.join(60.0)
    assert not worker.is_alive()


def test_an_interruption_that_comes_too_late_is_taken_in(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt = limits._raise_in

    def slowly(thread: int) -> None:
        time.sleep(0.2)
        interrupt(thread)

    monkeypatch.setattr(limits, "SECONDS", -1.0)
    monkeypatch.setattr(limits, "_raise_in", slowly)
    with limited("potential", "R11"):
        time.sleep(0.1)  # until the watcher is about to interrupt
    assert threading.get_ident() not in limits._watched
    assert gc.isenabled()


def test_no_interruption_follows_the_one_that_is_taken_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the last one may still be under way, the watcher sends no other."""
    sleep, calls, seen = time.sleep, list[int](), list[int]()

    def waiting(seconds: float) -> None:
        if seconds == 0.0 and not seen:
            seen.append(len(calls))
            sleep(0.3)
            seen.append(len(calls))

    monkeypatch.setattr(limits, "SECONDS", -1.0)
    monkeypatch.setattr(limits, "_raise_in", calls.append)
    with limited("potential", "R11"):
        while not calls:
            sleep(0.01)
        monkeypatch.setattr(time, "sleep", waiting)
    assert seen[0] == seen[1] >= 1


def test_wherever_an_interruption_comes_nothing_goes_on_watching(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may also come between the end of the formula and the place where it is taken in."""

    def interrupted(kind: type[BaseException]) -> None:
        raise kind

    monkeypatch.setattr(limits, "suppress", interrupted)
    before = threading.active_count()
    with pytest.raises(ph.InvalidInputError, match="takes too long"), limited("potential", "R11"):
        pass
    assert threading.get_ident() not in limits._watched
    assert threading.active_count() == before
    assert gc.isenabled()


def work(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_formulas_of_a_file_are_limited_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them may be quick enough."""

    def formulas(seconds: float, count: int) -> None:
        with limits.formulas_of_a_file():
            for _ in range(count):
                with limited("potential", "R11"):
                    work(seconds)

    monkeypatch.setattr(limits, "SECONDS_TOGETHER", 1.0)
    formulas(0.01, 5)
    formulas(0.3, 2)
    with pytest.raises(ph.InvalidInputError, match="the formulas together take too long"):
        formulas(0.3, 100)
    with limited("potential", "R11"):  # by itself, again
        work(1.2)


def test_a_scenario_of_many_slow_formulas_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def slow(*given: object) -> object:
        made.append(given)
        work(0.3)
        return parsed(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(limits, "SECONDS_TOGETHER", 1.0)
    monkeypatch.setattr("polhode.systems.inputs.sympy_kernels.parsed", slow)
    text = find_example("coupled_bodies").read_text()
    moments = [["omega1", "0", "0"], ["omega2", "0", "0"], ["omega3", "0", "0"]]
    scenario = scenario_from_text("bodies.toml", text, [f"system.moments={moments}"])
    with pytest.raises(ph.InvalidInputError, match="the formulas together take too long"):
        build_plan(scenario)
    assert 1 < len(made) < 6


def test_raw_errors_become_words_for_text_alone() -> None:
    with (
        pytest.raises(ph.InvalidInputError, match=r"cannot be differentiated \(OverflowError"),
        limited("potential", "R11"),
    ):
        raise OverflowError("too many digits")
    with pytest.raises(OverflowError), limited("potential", R[0]):
        raise OverflowError("too many digits")


def test_garbage_that_is_collected_afterwards_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left of earlier work may take longer to collect than any formula may take."""

    def collect_for_long() -> None:
        end = time.thread_time() + 0.5
        while time.thread_time() < end:
            pass

    monkeypatch.setattr("polhode.systems.inputs.limits.SECONDS", 0.1)
    monkeypatch.setattr("polhode.systems.inputs.limits.gc.enable", collect_for_long)
    try:
        with limited("potential", "R11"):
            pass
    finally:
        monkeypatch.undo()
        gc.enable()


def test_the_size_is_that_of_the_code() -> None:
    x = sympy.Symbol("x", real=True)
    check_size("f", x, [x**64])
    check_size("f", x, [(x + 1) ** (MOST_OPERATIONS // 4)])
    for large in ((x + 1) ** MOST_OPERATIONS, ((x + 1) ** 200 + 1) ** 200, (x + 1) ** sympy.Integer(10) ** 30):
        with pytest.raises(ph.InvalidInputError, match="fewer operations"):
            check_size("f", x, [large])


def test_the_derivative_counts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    x = sympy.Symbol("x", real=True)
    monkeypatch.setattr("polhode.systems.inputs.limits.MOST_OPERATIONS", 20)
    statements("f", [x])
    with pytest.raises(ph.InvalidInputError, match="fewer operations"):
        statements("f", [x**30])
