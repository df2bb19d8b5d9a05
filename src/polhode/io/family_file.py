"""Families of motions in JSON files: the parameter, and of each member its system, state, spectrum and stability."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ..analysis.family import Family
from ..analysis.periodic import PeriodicMotion
from ..core.system import State
from ..errors import InvalidInputError
from ..systems.registry import known_systems
from .atomic_files import write_text

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
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInputError("path", str(path), problem=f"not a readable family file: {error}") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InvalidInputError("path", str(path), problem=f"not a family file ({FORMAT!r})")
    found = []
    for member in data["members"]:
        arguments = dict(member["system"])
        make = known_systems()[arguments.pop("type")]
        found.append(State(make(**arguments), member["state"], member["t"]))
    return found


def _plain(value: Any) -> Any:
    """Arrays and numbers of NumPy as plain data."""
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else str(value)
