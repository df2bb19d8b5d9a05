"""Flows around functions that a user gives, and what is said when Numba cannot compile one."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any

from numba import types
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError

from ...errors import InvalidInputError
from ...scalars import Dual, Flow, Rate, double
from ...scalars.aligned import FlowCompiler
from ...scalars.compile import BoundFlow, cached_dispatcher, dispatcher_of
from ...scalars.fingerprint import lasting_fingerprint
from ...scalars.protocol import SUCCESS
from .user_functions import StateFunction, remembered


class UserFlow(Flow):
    """A flow around a user's function or formula. The disk cache knows it by its content; one that calls back into Python,
    at an address that the next process does not know, is compiled in every process.

    `given` are the functions that a user gave, by field: one that does not work on the scalar asked for is named.
    """

    fusible = False

    def __init__(self, function: Callable[..., int], **given: StateFunction | None) -> None:
        super().__init__(function)
        self.given = {field: each for field, each in given.items() if each is not None}

    def on(self, kind: types.Type, time: types.Type = double) -> BoundFlow:
        """The flow compiled for this scalar; `time` is the type of t."""
        try:
            return super().on(kind, time)
        except NumbaError:
            for field, user in self.given.items():
                try:
                    user.compile(kind, time)
                except NumbaError as error:
                    what = "dual numbers, as tangent maps are made of" if isinstance(kind, Dual) else str(kind)
                    allowed = (
                        f"a function that works on {what}: of + - * / and the functions of polhode.scalars, such as "
                    )
                    allowed += f"sin, sqrt, absolute ({reason(error)})"
                    raise InvalidInputError(field, user.given, allowed) from None
            raise

    @cached_property
    def dispatcher(self) -> Dispatcher:
        """Numba's dispatcher, with aligned arrays."""
        content = lasting_fingerprint(self.function)
        if content is None:
            return dispatcher_of(self.function, pipeline_class=FlowCompiler)
        return cached_dispatcher(self.function, content, pipeline_class=FlowCompiler)


class UserRate(UserFlow, Rate):
    """The derivative of the state, around a user's function."""


@remembered
def potential_force(write: Any) -> UserFlow:
    """The moments of a user's potential, whose kernel `write(S, y, p)` puts them into the slots."""

    def force(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        write(S, y, p)
        return SUCCESS

    return UserFlow(force)


def reason(error: Exception) -> str:
    """What Numba objects to; the first lines only say where it gave up."""
    lines = re.sub(r"\x1b\[\d+m", "", str(error)).strip().splitlines()
    said = [line.strip() for line in lines if line.strip() and not line.strip().startswith("Failed in nopython mode")]
    first = (said or ["an unknown error"])[0].removesuffix(" found for signature:").strip()
    if "<class 'bool'>" in first:
        return "it branches on a value, by if, and, or or not: take polhode.scalars.where(condition, one, other)"
    return first
