"""Python functions called from compiled loops: their errors, and Ctrl-C during them.

Nothing can be raised through compiled code. An error in a callback is therefore noted, the callback leaves NaN, the loop
stops there, and whoever runs it raises the error afterwards. A signal that arrives while the loop runs is held back until it
has ended; a callback that follows leaves NaN too, so that a loop with slow callbacks ends soon.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class _Watch(threading.local):
    """What happened in the callbacks of this thread since `watch_callbacks` began."""

    active = False
    interrupted = False
    error: BaseException | None = None


_watch = _Watch()


def call(function: Callable[..., None], *arguments: Any) -> None:
    """Call a Python function from compiled code. If it is not called, or fails, the numbers that it writes stay as they
    are: the callback makes them NaN first."""
    if _watch.interrupted:
        return
    try:
        function(*arguments)
    except BaseException as error:
        if not _watch.active:
            raise  # ctypes prints it
        if _watch.error is None:
            _watch.error = error


@contextmanager
def watch_callbacks() -> Iterator[None]:
    """Note the first error of the callbacks in this block, for `raise_noted`."""
    outer = _watch.active, _watch.error
    _watch.active, _watch.error = True, None
    try:
        yield
    finally:
        _watch.active, _watch.error = outer


def raise_noted() -> None:
    """Raise the error that a callback has noted, if there is one."""
    if _watch.error is not None:
        error, _watch.error = _watch.error, None
        raise error


def treat_termination_as_interrupt() -> None:
    """From now on SIGTERM is as Ctrl-C, unless somebody handles it already."""
    alone = threading.current_thread() is threading.main_thread()
    if alone and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)


@contextmanager
def defer_signals() -> Iterator[None]:
    """Let the block finish: Ctrl-C, and SIGTERM where Python handles it, take effect after it.

    >>> import os
    >>> try:
    ...     with defer_signals():
    ...         os.kill(os.getpid(), signal.SIGINT)
    ...         print("to the end")
    ... except KeyboardInterrupt:
    ...     print("then interrupted")
    to the end
    then interrupted
    """
    if threading.current_thread() is not threading.main_thread():  # only the main thread receives signals
        yield
        return
    arrived: list[int] = []

    def note(number: int, frame: Any) -> None:
        arrived.append(number)
        if before[number] is signal.default_int_handler:  # which will end the run
            _watch.interrupted = True

    handlers = {int(number): signal.getsignal(number) for number in SIGNALS}
    before: dict[int, Any] = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in before:
        signal.signal(number, note)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        _watch.interrupted = False
    for number in arrived:
        before[number](number, None)
