"""Flows around functions that a user gives, and what is said when Numba cannot compile one."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any, Protocol

from numba import types
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError

from ...errors import InvalidInputError
from ...scalars import Dual, Flow, Rate, double
from ...scalars.aligned import FlowCompiler
from ...scalars.compile import BoundFlow, cached_dispatcher, dispatcher_of
from ...scalars.fingerprint import lasting_fingerprint
from ...scalars.protocol import SUCCESS
from .user_functions import remembered


class GivenFunction(Protocol):
    """What a user gave, where it is a function, as a flow asks for it."""

    given: Any

    def compile(self, kind: types.Type = ..., time: types.Type = ...) -> Any:
        """Compile it for this scalar: where that fails, Numba says why."""


class UserFlow(Flow):
    """A flow around a user's function or formula. The disk cache knows it by its content; one that calls back into Python,
    at an address that the next process does not know, is compiled in every process.

    `given` are the functions that a user gave, by field, each what was `given` with a method `compile(kind, time)`: one
    that does not work on the scalar asked for is named.
    """

    fusible = False

    def __init__(self, function: Callable[..., int], **given: GivenFunction | None) -> None:
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
                    raise InvalidInputError(field, user.given, _works_on(kind, error)) from None
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


def check_differentiable(field: str, given: Any, function: Any, *arguments: types.Type) -> None:
    """Compile the user's function, the kernel `function`, on these dual numbers, from which its derivatives come."""
    try:
        function.dispatcher.compile(arguments)
    except (NumbaError, AttributeError, TypeError) as error:
        raise InvalidInputError(field, given, _works_on(None, error)) from error


def _works_on(kind: types.Type | None, error: Exception) -> str:
    """What is asked of a function that Numba cannot compile on this scalar (None: on the dual numbers of a derivative)."""
    what = str(kind)
    if kind is None or isinstance(kind, Dual):
        what = "dual numbers, as " + ("its derivatives come from" if kind is None else "tangent maps are made of")
    works = (
        f"a function that works on {what}: of + - * / and the functions of polhode.scalars, such as sin, sqrt, absolute"
    )
    return f"{works} ({reason(error)})"


def reason(error: Exception) -> str:
    """What Numba objects to; the first lines only say where it gave up."""
    lines = re.sub(r"\x1b\[\d+m", "", str(error)).strip().splitlines()
    said = [line.strip() for line in lines if line.strip() and not line.strip().startswith("Failed in nopython mode")]
    first = (said or ["an unknown error"])[0].removesuffix(" found for signature:").strip()
    if "<class 'bool'>" in first:
        return "it branches on a value, by if, and, or or not: take polhode.scalars.where(condition, one, other)"
    if plain := re.match(r"Untyped global name '(\w+)'.*<class 'function'>", first):
        return f"it calls the Python function {plain[1]}: mark that @polhode.scalars.kernel"
    if first.startswith("Cannot unify"):
        return "its branches give values of different types: let each be computed from the arguments"
    return first
