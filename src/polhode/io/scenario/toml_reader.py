"""TOML read within bounds: what is nested too deeply is refused before time or the stack of calls runs out, and so are whole
numbers that no double can hold."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

DEEPEST = 30  # tables and lists inside each other
BIGGEST = 1 << 63
TOO_DEEP = f"tables and lists are nested too deeply: more than {DEEPEST} inside each other"
# a key of so many parts, for which tomllib takes a time that grows as the square of their number
LONG_KEY = re.compile(rf"""(?<![\w"'-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){{{DEEPEST}}}""")


def read_toml(text: str) -> dict[str, Any]:
    """The tables of a text; `ValueError` says what is wrong with it.

    >>> read_toml("a.b = 1")
    {'a': {'b': 1}}
    """
    if LONG_KEY.search(text):
        raise ValueError(TOO_DEEP)
    try:
        document = tomllib.loads(text)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # of Python, which reads whole numbers of a few thousand digits only
        raise ValueError("a whole number of more than 64 bits") from None
    check_bounds(document)
    return document


def check_bounds(document: dict[str, Any]) -> None:
    """`ValueError` if tables and lists are nested too deeply for functions that walk them, or if a whole number has more than
    the 64 bits that TOML has."""
    level: list[tuple[str, Any]] = [("", document)]
    for _ in range(DEEPEST + 1):
        inner = [(place, *each) for place, part in level for each in _entries(part)]
        for place, key, value in inner:
            if isinstance(value, int) and not -BIGGEST <= value < BIGGEST:
                raise ValueError(f"{(place + key).lstrip('.')} is a whole number of more than 64 bits")
        level = [(place + key, value) for place, key, value in inner if isinstance(value, dict | list)]
    if level:
        raise ValueError(TOO_DEEP)


def _entries(part: Any) -> Iterator[tuple[str, Any]]:
    """The entries of a table or a list, with what names them."""
    if isinstance(part, dict):
        return ((f".{key}", value) for key, value in part.items())
    return ((f"[{i}]", value) for i, value in enumerate(part))
