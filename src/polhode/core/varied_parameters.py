"""Chosen parameters of a system, and how the numbers that its flows read depend on them.

A parameter is a number among the arguments that make a system, at any depth: "mass", "rho0[2]", "inertia[0, 1]",
"body1.semiaxes[0]", "rotors[0].speed", or "k" of a formula, whose name in full is "parameters.k". The numbers that flows
read (`System.parameters`) are smooth functions of these, computed in Python. Their derivatives come from central differences
of order 8 of systems near the given one, which are exact to about 1e-13; what follows from them is differentiated by dual
numbers. The differences begin with steps that are small beside the argument, and become finer where a number is much smaller,
as the least moment of inertia of a rod is, or may not change by so much.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInputError, PolhodeError
from .finite_differences import OFFSETS, Difference
from .system import System

Array = NDArray[np.float64]
Path = tuple[str | int, ...]

SIZE = 2.0**-8  # of the first differences, relative to the argument; powers of 2, so that few sums are rounded
FINER, LEVELS = 0.25, 9  # each step to the one before, and how many there are
ROUGH = 1e-6  # what is not smooth over the points of the differences, relative to the largest number
FALLS = 1.0 / 16.0  # by so much at least it becomes less with the next step, where there is no corner
CHOICES = ("gravity",)  # arguments that are whole numbers: no derivative by these


@dataclass(frozen=True)
class Parameter:
    """One number among the arguments, by its name and its place; `mirror` is the other place of the same number in a
    symmetric matrix. `scale` is the size of the argument that it belongs to."""

    name: str
    path: Path
    value: float
    scale: float
    mirror: Path | None = None


class VariedParameters:
    """The parameters `names` of a system, for derivatives by them; errors call these what `argument` says.

    >>> import polhode as ph
    >>> varied = VariedParameters(ph.Pendulum3D.example().system, ["mass", "rho0"])
    >>> varied.names
    ('mass', 'rho0[0]', 'rho0[1]', 'rho0[2]')
    >>> varied.derivatives(lambda system: system.parameters()).shape
    (35, 4)
    """

    def __init__(
        self,
        system: System,
        names: Sequence[str],
        *,
        argument: str = "tangent",
        parameters: Sequence[Parameter] | None = None,
    ) -> None:
        self.system = system
        self.parameters = list(_chosen(system, names, argument)) if parameters is None else list(parameters)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each parameter."""
        return tuple(parameter.name for parameter in self.parameters)

    @property
    def values(self) -> Array:
        """The value of each parameter."""
        return np.array([parameter.value for parameter in self.parameters])

    def __len__(self) -> int:
        return len(self.parameters)

    def part(self, columns: slice) -> VariedParameters:
        """Some of these parameters."""
        return VariedParameters(self.system, (), parameters=self.parameters[columns])

    def system_with(self, values: Sequence[float] | Array) -> System:
        """The system in which the parameters have these values."""
        changes = {p: float(value) for p, value in zip(self.parameters, values, strict=True)}
        return _rebuilt(self.system, changes)

    def derivatives(self, read: Callable[[System], Array]) -> Array:
        """The derivatives of `read(system)` by each parameter, along a last axis."""
        return np.stack([self._derivative(read, p) for p in self.parameters], axis=-1)

    def _derivative(self, read: Callable[[System], Array], parameter: Parameter) -> Array:
        """The derivative by one parameter: with finer steps until nothing is cut off, or until this gets no better."""
        found: Difference | None = None
        for level in range(LEVELS):
            try:
                systems = self._near(parameter, level)
            except PolhodeError:
                if level == LEVELS - 1 and found is None:
                    raise
                continue
            finer = _difference(parameter, read, systems, self.system, _step(parameter, level))
            if found is not None and found.roughness > ROUGH and finer.roughness > FALLS * found.roughness:
                break  # a corner, or a jump
            gains = found is None or bool(np.any(finer.error < 0.5 * found.error))
            found = finer if found is None else found.or_better(finer)
            if found.roughness <= ROUGH and (found.exact or not gains):
                break
        if found is None or found.roughness > ROUGH:
            raise PolhodeError(f"{parameter.name}: what the flows read does not depend on it smoothly")
        return found.slope

    def _near(self, parameter: Parameter, level: int) -> list[System]:
        """The systems at the points of the differences."""
        if (parameter, level) not in self._neighbours:
            h = _step(parameter, level)
            changed = [{parameter: parameter.value + offset * h} for offset in OFFSETS]
            self._neighbours[parameter, level] = [_rebuilt(self.system, each) for each in changed]
        return self._neighbours[parameter, level]

    @cached_property
    def _neighbours(self) -> dict[tuple[Parameter, int], list[System]]:
        return {}


def _step(parameter: Parameter, level: int) -> float:
    """The step of the differences by a parameter: a power of 2."""
    return float(2.0 ** np.round(np.log2(SIZE * parameter.scale))) * FINER**level


def _difference(
    parameter: Parameter, read: Callable[[System], Array], systems: Sequence[System], here: System, h: float
) -> Difference:
    """The derivative of what is read of a system, from its neighbours."""
    rows = [np.asarray(read(system), dtype=np.float64) for system in (*systems, here)]
    if len({row.shape for row in rows}) > 1:
        raise PolhodeError(f"{parameter.name}: how many numbers the flows read depends on it")
    values = np.stack(rows)
    values = np.where(np.isfinite(values), values, 0.0)  # a bound that is infinite depends on nothing
    return Difference.of(values[:-1], values[-1], h)


def parameter_names(system: System) -> list[str]:
    """The names of all parameters of a system.

    >>> import polhode as ph
    >>> parameter_names(ph.PlanarPendulum.example().system)
    ['inertia', 'mass', 'length', 'g']
    """
    return [parameter.name for parameter in _all(system)]


def _chosen(system: System, names: Sequence[str], argument: str) -> Iterator[Parameter]:
    """The parameters that these names stand for: one, all of an array or a body, or with "parameters" all there are."""
    known = list(_all(system))
    for name in names:
        if name == "parameters":
            yield from (p for p in known if not _refuses(system, p))
            continue
        short = name.replace(" ", "")
        found = _at(known, short) or _at(known, f"parameters.{short}")  # a parameter that a formula names
        if not found:
            raise InvalidInputError(
                argument, name, f"'state', 'parameters', or some of {', '.join(p.name for p in known)}"
            )
        yield from found


def _at(known: list[Parameter], name: str) -> list[Parameter]:
    """The parameter of this name, or those of the array or body of this name."""
    places = [p.name.replace(" ", "") for p in known]
    return [p for p, at in zip(known, places, strict=True) if at == name or at.startswith((name + "[", name + "."))]


def _arguments(system: System) -> dict[str, Any]:
    """The arguments of the constructor by name: plain data, and functions as they were given."""
    arguments, named = system._arguments
    given = inspect.signature(type(system)).bind(*arguments, **named).arguments
    plain = system.describe()
    return {
        name: deepcopy(plain[name]) if name in plain and not callable(given.get(name)) else given[name]
        for name in plain.keys() | given.keys()
    }


def _all(system: System) -> Iterator[Parameter]:
    """Every parameter, in the order of the constructor's arguments."""
    arguments = _arguments(system)
    for name in inspect.signature(type(system)).parameters:
        if name in arguments and name not in CHOICES:
            yield from _leaves(system, name, (name,), arguments[name])


def _leaves(system: System, name: str, path: Path, value: Any) -> Iterator[Parameter]:
    """The numbers in an argument."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _leaves(system, f"{name}.{key}", (*path, key), part)
    elif isinstance(value, (list, tuple)) and value and (not _is_array(value) or np.ndim(value) > 2):
        for i, part in enumerate(value):
            yield from _leaves(system, f"{name}[{i}]", (*path, i), part)
    elif _is_array(value):
        yield from _entries(system, name, path, np.asarray(value, dtype=np.float64))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield Parameter(name, path, float(value), abs(float(value)) or 1.0)


def _entries(system: System, name: str, path: Path, array: Array) -> Iterator[Parameter]:
    """The numbers in an array; of a matrix that has to be symmetric, those on and above the diagonal."""
    scale = float(np.abs(array).max()) or 1.0
    symmetric = array.ndim == 2 and array.shape[0] == array.shape[1] and np.array_equal(array, array.T)
    if symmetric:
        symmetric = _refuses(system, Parameter(name, (*path, 0, 1), float(array[0, 1]), scale))
    for index in np.ndindex(array.shape):
        if symmetric and index[0] > index[1]:
            continue
        mirror = (*path, index[1], index[0]) if symmetric and index[0] != index[1] else None
        label = f"{name}[{', '.join(map(str, index))}]"
        yield Parameter(label, (*path, *index), float(array[index]), scale, mirror)


def _refuses(system: System, parameter: Parameter) -> bool:
    """Whether the constructor does not allow this number to change alone."""
    try:
        _rebuilt(system, {parameter: parameter.value + FINER * SIZE * parameter.scale})
    except PolhodeError:
        return True
    return False


def _is_array(value: Any) -> bool:
    """Whether a value is an array of numbers."""
    if not isinstance(value, (list, tuple, np.ndarray)) or not len(value):
        return False
    try:
        return np.asarray(value).dtype.kind in "fi"
    except ValueError:  # of parts with different shapes
        return False


def _rebuilt(system: System, changes: Mapping[Parameter, float]) -> System:
    """The system made anew, with other values of some parameters."""
    arguments = _arguments(system)
    for parameter, value in changes.items():
        for path in (parameter.path, parameter.mirror):
            if path is not None:
                _put(arguments, path, value)
    make: Any = type(system)
    if "allow_unphysical" in inspect.signature(make).parameters:
        arguments["allow_unphysical"] = True  # so that a body on the boundary of what mass can do has neighbours
    try:
        return make(**arguments)  # type: ignore[no-any-return]
    except InvalidInputError as error:
        name = ", ".join(parameter.name for parameter in changes)
        raise PolhodeError(
            f"{name}: no derivative by it, because a small change of it alone is refused: {error}"
        ) from error


def _put(arguments: dict[str, Any], path: Path, value: float) -> None:
    """Set the number at this place."""
    holder: Any = arguments
    for key in path[:-1]:
        if isinstance(holder[key], tuple):
            holder[key] = list(holder[key])
        holder = holder[key]
    holder[path[-1]] = value
