"""Flows around functions that a user gives, and what is said when Numba cannot compile one."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import cached_property
from typing import Any

from numba import njit, types
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError

from ...errors import InvalidInputError
from ...geometry.vectors import Matrix, Vector
from ...scalars import Dual, Flow, Rate, double, kernel
from ...scalars.aligned import AlignedCompiler
from ...scalars.compile import BoundFlow
from ...scalars.fingerprint import plain


class TransientFlow(Flow):
    """A flow around a user's function: compiled in every process, since the disk cache cannot recognise the function.

    `given` are the functions that a user gave, by field: one that does not work on the scalar asked for is named.
    """

    lasting = False

    def __init__(self, function: Callable[..., int], **given: Any) -> None:
        super().__init__(function)
        self._given = {field: each for field, each in given.items() if callable(each)}

    def on(self, kind: types.Type, time: types.Type = double) -> BoundFlow:
        """The flow compiled for this scalar, in this process; `time` is the type of t."""
        try:
            return super().on(kind, time)
        except NumbaError:
            for field, function in self._given.items():
                user: Any = kernel(of_state(plain(function)))
                try:
                    user.dispatcher.compile((time, types.UniTuple(kind, 9), types.UniTuple(kind, 3)))
                except NumbaError as error:
                    what = "dual numbers, as tangent maps are made of" if isinstance(kind, Dual) else str(kind)
                    allowed = (
                        f"a function that works on {what}: of + - * / and the functions of polhode.scalars, such as "
                    )
                    allowed += f"sin, sqrt, absolute ({reason(error)})"
                    raise InvalidInputError(field, function, allowed) from None
            raise

    @cached_property
    def dispatcher(self) -> Dispatcher:
        """Numba's dispatcher, without the disk cache."""
        return njit(nogil=True, error_model="numpy", pipeline_class=AlignedCompiler)(self.function)


class TransientRate(TransientFlow, Rate):
    """The derivative of the state, around a user's function."""


def of_state(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function (t, R, omega), from itself or from one of time alone."""
    try:
        alone = len(inspect.signature(function).parameters) == 1
    except (TypeError, ValueError):
        return function
    if not alone:
        return function
    of_time: Any = kernel(function)

    def with_state(t: Any, R: Matrix, omega: Vector) -> Vector:
        return of_time(t)  # type: ignore[no-any-return]

    return with_state


def reason(error: Exception) -> str:
    """What Numba objects to; its first line only says where it gave up."""
    lines = re.sub(r"\x1b\[\d+m", "", str(error)).strip().splitlines()
    return lines[min(1, len(lines) - 1)].removesuffix(" found for signature:").strip()
