"""Families of motions in JSON files: the parameter, and of each member its system, state, spectrum and stability."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..analysis.family import Family
from ..analysis.periodic import PeriodicMotion
from ..core.checks import check_ends
from ..core.representation import Form
from ..core.system import State
from ..errors import InvalidInputError, PolhodeError
from ..geometry.array_api import NEAR
from ..systems.inputs.limits import formulas_of_a_file
from ..systems.registry import known_systems
from .atomic_files import write_text
from .trajectory_file import DAMAGED

FORMAT = "polhode family 1"


def save_family(result: Family, path: str | Path) -> Path:
    """Write a family; `load_family_states` reads the states."""
    members = []
    for value, member, spectrum in zip(result.values, result.members, result.spectra, strict=True):
        state = member.state
        row: dict[str, Any] = {
            "value": float(value),
            "system": {"type": type(state.system).__name__, **state.system.describe()},
            "state": {name: array.tolist() for name, array in state.values.items()},
            "t": state.t,
            "stability": member.verdict,
            "spectrum": [[x.real, x.imag] for x in spectrum.tolist()],
        }
        if isinstance(member, PeriodicMotion):
            row |= {"period": member.period, "symmetry": member.symmetry.tolist()}
        members.append(row)
    events = [{"kind": e.kind, "member": e.index, "value": e.value} for e in result.events]
    data = {
        "format": FORMAT,
        "parameter": result.parameter,
        "ended": result.ended,
        "events": events,
        "members": members,
    }
    return write_text(path, json.dumps(data, indent=1, default=_plain))


def load_family_states(path: str | Path) -> list[State]:
    """The states of the members of a saved family, each of its own system."""
    try:
        data = json.loads(check_ends("path", path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInputError("path", str(path), problem=f"not a readable family file: {error}") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InvalidInputError("path", str(path), problem=f"not a family file ({FORMAT!r})")
    try:
        return [_state(member) for member in data["members"]]
    except (PolhodeError, *DAMAGED) as error:
        why = error if isinstance(error, PolhodeError) else repr(error)
        raise InvalidInputError("path", str(path), problem=f"not a valid family: {why}") from error


def _state(member: Mapping[str, Any]) -> State:
    """The state of a member, if it is one: finite, and its attitudes rotations."""
    arguments = dict(member["system"])
    with formulas_of_a_file():
        system = known_systems()[arguments.pop("type")](**arguments)
    state = State(system, member["state"], float(member["t"]))
    form = state.system.representations[Form.DEFAULT]
    for variable in form.layout.variables:  # one number would stand for all of them
        shape = np.shape(state.values.get(variable.name, np.zeros(variable.manifold.shape)))
        if shape != variable.manifold.shape:
            raise ValueError(f"{variable.name} has the shape {shape} instead of {variable.manifold.shape}")
    row = state.system.enter(Form.DEFAULT, state)
    if not np.all(np.isfinite([*row, state.t])) or not form.layout.defect(row) <= NEAR:
        raise ValueError("a state is not finite, or its attitudes are not rotations")
    return state


def _plain(value: Any) -> Any:
    """Arrays and numbers of NumPy as plain data."""
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else str(value)
