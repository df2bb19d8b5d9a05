"""Flows around functions that a user gives, and what is said when Numba cannot compile one."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any

from numba import njit, types
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError

from ...errors import InvalidInputError
from ...scalars import Dual, Flow, Rate, double
from ...scalars.aligned import AlignedCompiler
from ...scalars.compile import BoundFlow
from ...scalars.protocol import SUCCESS
from .user_functions import StateFunction, remembered


class TransientFlow(Flow):
    """A flow around a user's function: compiled in every process, since the disk cache cannot recognise the function.

    `given` are the functions that a user gave, by field: one that does not work on the scalar asked for is named.
    """

    lasting = False

    def __init__(self, function: Callable[..., int], **given: StateFunction | None) -> None:
        super().__init__(function)
        self.given = {field: each for field, each in given.items() if each is not None}

    def on(self, kind: types.Type, time: types.Type = double) -> BoundFlow:
        """The flow compiled for this scalar, in this process; `time` is the type of t."""
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
        """Numba's dispatcher, without the disk cache."""
        return njit(nogil=True, error_model="numpy", pipeline_class=AlignedCompiler)(self.function)


class TransientRate(TransientFlow, Rate):
    """The derivative of the state, around a user's function."""


@remembered
def potential_force(write: Any) -> TransientFlow:
    """The moments of a user's potential, whose kernel `write(S, y, p)` puts them into the slots."""

    def force(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        write(S, y, p)
        return SUCCESS

    return TransientFlow(force)


def reason(error: Exception) -> str:
    """What Numba objects to; the first lines only say where it gave up."""
    lines = re.sub(r"\x1b\[\d+m", "", str(error)).strip().splitlines()
    said = [line.strip() for line in lines if line.strip() and not line.strip().startswith("Failed in nopython mode")]
    return (said or ["an unknown error"])[0].removesuffix(" found for signature:").strip()
