"""Limits of formulas, so that each is compiled or refused in words within seconds: how long, how deep, how large, how slow.

The size is counted on the expression, without writing it out: powers and functions of pieces repeat their argument in the
code, so nested ones grow exponentially. What the count does not foresee, such as SymPy's comparisons of many arguments, is
stopped by the processor time that it takes.
"""

from __future__ import annotations

import ctypes
import gc
import math
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import accumulate
from typing import Any

from ...errors import InvalidInputError

LONGEST_TEXT = 20_000  # characters
MOST_OPERATIONS = 20_000  # in the code that is written for one result
DEEPEST = 150  # parentheses inside each other, of which Python reads 200
LARGEST_WHOLE = int(sys.float_info.max)
LARGEST_POWER = 64  # of texts
SECONDS, SECONDS_TOGETHER = 1.6, 6.0  # of processor time, for one formula and for all of a file
REPEATS = {"sign": 2, "Heaviside": 2}  # how often code has the argument of a function
TOO_LONG = "a formula of fewer operations: this one is too long, or nested too deeply"

SAME_NAME = ("sqrt", "cbrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log")
# numbers as doubles, in the place of SymPy's, which may have more digits than there is memory
FLOATS: dict[str, Callable[..., float]] = {name: getattr(math, name) for name in (*SAME_NAME, "atan2")} | {
    "Abs": abs,
    "abs": abs,
    "Min": min,
    "min": min,
    "Max": max,
    "max": max,
}


def check_text(field: str, text: str) -> None:
    """Refuse a text that is too long to be read."""
    if len(text) > LONGEST_TEXT:
        raise InvalidInputError(field, text, f"a formula of at most {LONGEST_TEXT:,} characters, not {len(text):,}")


def float_of(operation: Callable[..., Any], *arguments: float | None) -> float | None:
    """The operation on doubles, to see how large its result is; None where that is not known.

    >>> import operator
    >>> float_of(operator.pow, 2.0, 10.0), float_of(operator.pow, 2.0, None)
    (1024.0, None)
    >>> float_of(operator.pow, 9.0, 4096.0)
    Traceback (most recent call last):
    ...
    OverflowError: (34, 'Numerical result out of range')
    """
    if None in arguments:
        return None
    try:
        found = operation(*arguments)
    except (ValueError, ZeroDivisionError, TypeError):  # outside its domain: SymPy says what it is
        return None
    return float(found) if isinstance(found, (int, float)) else None


def is_long(e: Any) -> bool:
    """Whether a number of SymPy is a fraction of whole numbers that are too large for doubles."""
    return bool(e.is_Rational) and max(abs(e.p), e.q) > LARGEST_WHOLE


def in_doubles(expression: Any) -> Any:
    """The expression with the nearest double for each number that `is_long`: its text would have more digits than Python reads,
    and what is computed with it ever more.

    >>> import sympy
    >>> in_doubles(sympy.Rational(3 * 10**400 + 1, 10**400)), in_doubles(sympy.Rational(1, 3))
    (3.00000000000000, 1/3)
    """
    import sympy

    return expression.replace(is_long, lambda e: sympy.Float(float(e)) if abs(e) <= LARGEST_WHOLE else e)


def check_size(field: str, given: Any, expressions: list[Any]) -> None:
    """Refuse expressions whose code would be too long."""
    counted: dict[Any, int] = {}

    def size(e: Any) -> int:
        if e not in counted:
            inner = sum(map(size, e.args))
            if e.is_Pow and e.exp.is_number:
                power = abs(e.exp)
                inner = size(e.base) * (math.ceil(power) if power <= MOST_OPERATIONS else MOST_OPERATIONS)
            counted[e] = min(1 + inner * REPEATS.get(e.func.__name__, 1), MOST_OPERATIONS + 1)
        return counted[e]

    try:
        total = sum(map(size, expressions))
    except RecursionError:
        raise InvalidInputError(field, given, TOO_LONG) from None
    if total > MOST_OPERATIONS:
        raise InvalidInputError(field, given, TOO_LONG)


def check_powers(field: str, text: str, expression: Any) -> None:
    """Refuse powers that SymPy has put together beyond what a text may have: what it writes could not be read again."""
    import sympy

    if any(x.exp.is_number and abs(x.exp) > LARGEST_POWER for x in expression.atoms(sympy.Pow)):
        raise InvalidInputError(field, text, f"powers of at most {LARGEST_POWER}, also where they are put together")


def check_depth(field: str, given: Any, codes: Iterable[str]) -> None:
    """Refuse code that Python would not read: the pieces of a formula stand inside each other."""
    for code in codes:
        if max(accumulate((c == "(") - (c == ")") for c in code), default=0) > DEEPEST:
            raise InvalidInputError(field, given, TOO_LONG)


class _TooSlow(BaseException):
    """Raised in a thread that works too long; no handler of errors inside catches it."""


@contextmanager
def limited(field: str, given: Any) -> Iterator[None]:
    """Refuse a formula in words if the block, which differentiates it and writes its code, takes too long or fails.

    Only text is limited, since it may come from a file. What a user has made in SymPy may take its time. Another thread
    watches the processor time of this one, so that it works in every thread and with every handler of signals. A block
    inside another is covered by the outer one.
    """
    thread = threading.get_ident()
    if thread in _watched or not _has_text(given):
        yield
        return
    try:
        with _watching(thread):
            yield
    except _TooSlow:
        which = "this formula takes" if _shared.left is None or _shared.left > 0.0 else "the formulas together take"
        problem = f"{which} too long to differentiate; simplify it, or give a SymPy expression, which is not limited"
        raise InvalidInputError(field, given, problem=problem) from None
    except RecursionError:
        raise InvalidInputError(field, given, TOO_LONG) from None
    except InvalidInputError:
        raise
    except (ArithmeticError, ValueError, TypeError, NotImplementedError, MemoryError) as error:
        problem = f"a formula that cannot be differentiated ({type(error).__name__}: {error})"
        raise InvalidInputError(field, given, problem=problem) from error


class _Shared(threading.local):
    """The processor time that is left for the formulas of a file; None where they are not limited together."""

    left: float | None = None


_shared = _Shared()


@contextmanager
def formulas_of_a_file() -> Iterator[None]:
    """Limit the time of all formulas in this block together: a file may hold many, each of which is slow."""
    before, _shared.left = _shared.left, SECONDS_TOGETHER
    try:
        yield
    finally:
        _shared.left = before


@contextmanager
def _watching(thread: int) -> Iterator[None]:
    """Raise `_TooSlow` in this thread when it has worked for too long.

    What does not belong to the formula does not count: SymPy is imported before, and no garbage is collected meanwhile, which
    in a process that has much in memory takes longer than the formula itself.
    """
    import sympy  # noqa: F401  (so that its import does not count)

    if not hasattr(time, "pthread_getcpuclockid"):  # Windows
        yield
        return
    clock = time.pthread_getcpuclockid(thread)
    begin, left = time.clock_gettime(clock), _shared.left
    end = begin + (SECONDS if left is None else min(SECONDS, left))
    lock, over, raised = threading.Lock(), threading.Event(), threading.Event()

    def watch() -> None:
        while not over.wait(0.05):
            with lock:
                if not over.is_set() and time.clock_gettime(clock) > end:
                    raised.set()
                    _raise_in(thread)

    watcher = threading.Thread(target=watch, daemon=True)
    _watched.add(thread)
    collects = gc.isenabled()
    gc.disable()
    watcher.start()
    try:
        try:
            yield
        finally:
            # one that is under way arrives here: calling it back would leave the interpreter looking for it
            with suppress(_TooSlow):
                with lock:
                    over.set()
                for _ in range(100 if raised.is_set() else 0):
                    time.sleep(0.0)
    finally:  # wherever it arrived
        over.set()
        if left is not None:
            _shared.left = left - (time.clock_gettime(clock) - begin)
        _watched.discard(thread)
        watcher.join()
        if collects:  # not before: what it collects now is nobody's formula
            gc.enable()


def _has_text(given: Any) -> bool:
    return isinstance(given, str) or (isinstance(given, (list, tuple)) and any(map(_has_text, given)))


_watched: set[int] = set()


def _raise_in(thread: int) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(_TooSlow))
