"""Which parameters of a test run at every change, and which in `make verify` only."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def later(parameters: Iterable[Any], when: Callable[[Any], bool], ids: Callable[[Any], str] | None = None) -> list[Any]:
    """The parameters, those of the long tests marked: the ones for which `when` holds."""
    return [
        pytest.param(
            *(each if isinstance(each, tuple) else (each,)),
            id=ids(each) if ids else None,
            marks=[pytest.mark.verify] if when(each) else [],
        )
        for each in parameters
    ]
