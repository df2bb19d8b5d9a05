"""Calls with wrong arguments: Python's error, and after it what the function takes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import wraps
from types import MappingProxyType
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
C = TypeVar("C", bound=type)

# names that people may think of: of the arguments of systems, states and bodies
OTHER_WORDS = {
    "w": "omega",
    "e": "eccentricity",
    "a": "semimajor",
    "i": "inclination",
    "time": "t",
    "times": "t",
    "angular_velocity": "omega",
    "rates": "omega",
    "L": "Pi",
    "angular_momentum": "Pi",
    "quaternion": "q",
    "rotation": "R",
    "attitude": "R",
    "position": "X",
    "velocity": "V",
    "I": "inertia",
    "J": "inertia",
    "moments": "inertia",
    "m": "mass",
    "gravity": "g",
    "color": "colour",
    "size": "sides",
    "dimensions": "sides",
    "length": "height",
}


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
                if _is_from_inside(error):
                    raise
                said = f"{error}{question(kwargs, known, other_words)} Use {example}; "
                raise TypeError(f"{said}its arguments are {', '.join(known)}") from None

        return inner

    return decorate


def explain_methods(cls: type, names: Iterable[str]) -> None:
    """The same for methods of a class of these names, which it defines itself: an error names the class and the arguments.

    >>> class Wheel:
    ...     def __init__(self, inertia, axis=None): ...
    >>> explain_methods(Wheel, ["__init__"])
    >>> Wheel(J=1.0)
    Traceback (most recent call last):
    ...
    TypeError: Wheel() got an unexpected keyword argument 'J'; did you mean 'inertia'? Its arguments are inertia, axis
    """
    for name in names:
        if name in cls.__dict__:
            setattr(cls, name, _explained(cls.__dict__[name]))


def explained(cls: C) -> C:
    """A class decorator: the same for what makes an object of the class."""
    explain_methods(cls, ["__init__"])
    return cls


def no_field(owner: str, name: str, fields: Iterable[str], conserved: Iterable[str]) -> str:
    """What to say where a state or a trajectory, the `owner`, has no field of this name.

    >>> no_field("a state of Top", "omgea", ["R", "omega"], ["energy"])
    "a state of Top has no 'omgea'; did you mean 'omega'? Its fields are R, omega"
    >>> no_field("a state of Top", "energy", ["R", "omega"], ["energy"])
    "a state of Top has no 'energy'; this is conserved: invariants()['energy']. Its fields are R, omega"
    """
    known = list(fields)
    where = f"; this is conserved: invariants()[{name!r}]." if name in conserved else ""
    return f"{owner} has no {name!r}{where or question([name], ['t', *known], OTHER_WORDS)} Its fields are {', '.join(known)}"


def _explained(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def inner(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except TypeError as error:
            if _is_from_inside(error):
                raise
            known = list(inspect.signature(method).parameters)[1:]
            name = type(self).__name__ + ("" if method.__name__ == "__init__" else f".{method.__name__}")
            said = re.sub(r"^\S+\(\)", f"{name}()", str(error))
            asked = question(kwargs, known, OTHER_WORDS)
            raise TypeError(f"{said}{asked} Its arguments are {', '.join(known)}") from None

    return inner


def _is_from_inside(error: TypeError) -> bool:
    """Whether the call itself was right, and something that it did was not."""
    return error.__traceback__ is None or error.__traceback__.tb_next is not None


def question(given: Iterable[str], known: Iterable[str], other_words: Mapping[str, str] = MappingProxyType({})) -> str:
    """Which of the `known` names is meant by the first that is not among them.

    >>> question(["Freerigidbody"], ["FreeRigidBody", "Gyrostat"])
    "; did you mean 'FreeRigidBody'?"
    """
    names = list(known)
    wrong = next((name for name in given if name not in names), "")
    lower = {name.lower(): name for name in names}
    near = other_words.get(wrong) or lower.get(wrong.lower())
    near = near or next((lower[word] for word in get_close_matches(wrong.lower(), lower, n=1)), None)
    return f"; did you mean {near!r}?" if wrong and near in names else "."
