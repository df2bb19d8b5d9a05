"""Calls with wrong arguments: Python's error, and after it what the function takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def explain_calls(example: str, other_words: Mapping[str, str]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A decorator: the error of a call that the signature does not allow ends with an `example`, and with the name of the
    argument that is meant; `other_words` are names that people may think of."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        known = [name for name, one in inspect.signature(function).parameters.items() if one.kind == one.KEYWORD_ONLY]

        @wraps(function)
        def inner(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                return function(*args, **kwargs)
            except TypeError as error:
                if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                    raise  # from inside the function
                wrong = next((name for name in kwargs if name not in known), "")
                near = other_words.get(wrong) or next(iter(get_close_matches(wrong, known, n=1)), None)
                meant = f"; did you mean {near!r}?" if wrong and near else "."
                raise TypeError(f"{error}{meant} Use {example}; its arguments are {', '.join(known)}") from None

        return inner

    return decorate
