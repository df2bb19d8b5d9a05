"""Python functions called from compiled loops: their errors, and Ctrl-C during them.

Nothing can be raised through compiled code. An error in a callback is therefore noted, the callback leaves NaN, the loop
stops there, and whoever runs it raises the error afterwards. A signal that arrives while the loop runs is held back until it
has ended; a callback that follows leaves NaN too, so that a loop with slow callbacks ends soon.
"""

from __future__ import annotations

import _signal
import _thread
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import ContextDecorator
from functools import partial
from typing import Any

MOMENT = 0.01  # seconds
SIGNALS = (int(signal.SIGINT), int(signal.SIGTERM))
# without the wrappers of `signal`, which look for the name of every handler: that takes longer than a hundred steps
get_handler, set_handler = _signal.getsignal, _signal.signal


class _Watch(threading.local):
    """What happened in the callbacks of this thread since `watch_callbacks` began."""

    active = False
    interrupted = False
    stops = False  # whether nothing is called after an error
    error: BaseException | None = None

    def __init__(self) -> None:
        self.outer: list[tuple[bool, BaseException | None]] = []  # of the blocks around


_watch = _Watch()


def call(function: Callable[..., None], *arguments: Any) -> None:
    """Call a Python function from compiled code. If it is not called, or fails, the numbers that it writes stay as they
    are: the callback makes them NaN first."""
    if _watch.interrupted or (_watch.error is not None and (_watch.stops or not isinstance(_watch.error, Exception))):
        return  # nothing is called any more once the program is to end
    try:
        function(*arguments)
    except BaseException as error:
        if not _watch.active:
            raise  # ctypes prints it
        if _watch.error is None:
            _watch.error = error


class watch_callbacks(ContextDecorator):
    """Note the first error of the callbacks in this block, for `raise_noted`. What is to end the program, as Ctrl-C, is raised
    at the end of the block in any case."""

    def __enter__(self) -> None:
        _watch.outer.append((_watch.active, _watch.error))
        _watch.active, _watch.error = True, None

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        noted = _watch.error
        _watch.active, _watch.error = _watch.outer.pop()
        if kind is None and noted is not None and not isinstance(noted, Exception):
            raise noted


class nothing_after_an_error:
    """Callbacks in this block leave NaN from the first error on: a method that then tries a shorter step must not go on."""

    def __enter__(self) -> None:
        _watch.stops = True

    def __exit__(self, *raised: object) -> None:
        _watch.stops = False


def raise_stop() -> None:
    """Raise what a callback has noted if it is to end the program, as Ctrl-C or `sys.exit`, and no error of a trial."""
    if not isinstance(_watch.error, Exception):
        raise_noted()


def raise_noted() -> None:
    """Raise the error that a callback has noted, if there is one."""
    if _watch.error is not None:
        error, _watch.error = _watch.error, None
        raise error


def error_noted() -> bool:
    """Whether a callback has noted an error that is not raised yet."""
    return _watch.error is not None


def treat_termination_as_interrupt() -> None:
    """From now on SIGTERM has the effect of Ctrl-C, unless it has a handler already; and neither is lost where Python cannot
    raise anything, as in the callbacks and destructors of the compiler."""
    alone = threading.current_thread() is threading.main_thread()
    if alone and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        sys.unraisablehook = partial(_interrupt_again, sys.unraisablehook)


def _interrupt_again(before: Callable[[Any], Any], lost: Any) -> None:
    """Interrupt once more, a moment later, if what could not be raised is an interruption."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        threading.Timer(MOMENT, _thread.interrupt_main, (signal.SIGTERM,)).start()
    else:
        before(lost)


class defer_signals:
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

    def __enter__(self) -> None:
        self._arrived: list[int] = []
        self._before: dict[int, Any] = {}
        if threading.current_thread() is threading.main_thread():  # which alone receives signals
            handlers = {number: get_handler(number) for number in SIGNALS}
            self._before = {number: handler for number, handler in handlers.items() if callable(handler)}
        for number in self._before:
            set_handler(number, self._note)

    def _note(self, number: int, frame: Any) -> None:
        self._arrived.append(number)
        if self._before[number] is signal.default_int_handler:  # which will end the run
            _watch.interrupted = True

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        for number, handler in self._before.items():
            set_handler(number, handler)
        _watch.interrupted = False
        for number in self._arrived if kind is None else ():
            self._before[number](number, None)
