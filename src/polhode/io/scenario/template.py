"""A scenario to begin with: the example of a system as a commented TOML file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, get_type_hints

import numpy as np

from ...core.method import known_methods
from ...core.system import State, System
from ...errors import InvalidInputError
from ...systems.registry import known_systems
from ...tables import fits
from .bodies import body_key
from .document import RunTable
from .validation import arguments_table, nearest

LINE = 100  # characters, beyond which a list is written in several lines


def find_system(name: str) -> type[System]:
    """The system class called `name`."""
    systems = known_systems()
    if name in known_methods():
        raise InvalidInputError(
            "system", name, problem="this is a method, not a system: `polhode methods` lists what each method conserves"
        )
    if name not in systems:
        raise InvalidInputError("system", name, f"one of {', '.join(systems)}{nearest(name, systems)}")
    return systems[name]


def scenario_template(name: str) -> str:
    """The example of the system called `name` as the text of a scenario.

    >>> print(scenario_template("FreeRigidBody").partition("[state]")[0])
    # rigid body with no forces. Everything after a # is a remark.
    title = "FreeRigidBody"
    <BLANKLINE>
    [system]
    type = "FreeRigidBody"
    inertia = [[1.0, 0.1, -0.05], [0.1, 2.0, 0.2], [-0.05, 0.2, 2.5]]
    <BLANKLINE>
    <BLANKLINE>
    """
    cls = find_system(name)
    start = cls.example()
    lines = [f"# {cls.summary}. Everything after a # is a remark.", f'title = "{name}"', ""]
    lines += ["[system]", f'type = "{name}"', *_entries(_arguments(start.system))]
    lines += ["", "[state]", f"# {', '.join(_state_keys(start))}: give what is known", *_state(start)]
    lines += ["", "[run]", "t_end = 10.0"]
    lines += _remarks((key, field.description) for key, field in RunTable.model_fields.items() if key != "t_end")
    fitting = [method for method, cls in known_methods().items() if fits(cls, start.system)]
    lines += ["", "# [method]  # chosen for the tolerance if left out", f"# type: one of {', '.join(fitting)}"]
    return "\n".join(lines) + "\n"


def toml(value: Any) -> str:
    """A value as TOML, in one line.

    >>> toml({"a": [1, 2.5], "b": True, "c": 'say "x"'})
    '{a = [1, 2.5], b = true, c = "say \\\\"x\\\\""}'
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {toml(part)}" for key, part in value.items() if part is not None) + "}"
    if isinstance(value, list | tuple | np.ndarray):
        return "[" + ", ".join(toml(part) for part in value) + "]"
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        number = float(value)
        short = float(f"{number:.14g}")  # without the last digits where they are rounding errors
        return repr(short if abs(short - number) <= 1e-15 * abs(number) else number)
    return json.dumps(str(value), ensure_ascii=False)


def _arguments(system: System) -> dict[str, Any]:
    """The arguments that make a system, under the keys of a scenario."""
    hints = get_type_hints(type(system).__init__)
    return {
        (body_key(name, hints.get(name)) or name) if isinstance(value, Mapping) else name: value
        for name, value in system.describe().items()
    }


def _entries(table: Mapping[str, Any], remarks: Mapping[str, str] | None = None) -> list[str]:
    lines = []
    for key, value in table.items():
        if value is None:
            continue
        text = toml(value)
        if len(text) > LINE and isinstance(value, list | tuple):
            text = "[\n" + "".join(f"    {toml(part)},\n" for part in value) + "]"
        remark = (remarks or {}).get(key)
        lines.append(f"{key} = {text}" + (f"  # {remark}" if remark else ""))
    return lines


def _remarks(pairs: Iterable[tuple[str, str | None]]) -> list[str]:
    return [f"# {key}: {meaning}" for key, meaning in pairs if meaning]


def _state_keys(start: State) -> list[str]:
    return list(arguments_table(type(start.system).state).model_fields)


def _state(start: State) -> list[str]:
    """The fewest arguments of `state` that give this state again, velocities rather than momenta."""
    system, last = start.system, ("Pi", "p", "M", "m", "gamma")
    keys = [key for key in _state_keys(start) if key in system.fields and key not in ("q", "directors")]
    chosen: dict[str, Any] = {}
    for key in sorted(keys, key=lambda key: key in last):
        given = np.asarray(getattr(start, key)).tolist()
        if not _gives(start, chosen) and _gives(start, chosen | {key: given}) is not None:
            chosen[key] = given
    for key in list(chosen):
        fewer = {name: value for name, value in chosen.items() if name != key}
        if _gives(start, fewer):
            chosen = fewer
    return _entries(chosen, {key: system.fields[key].meaning for key in chosen})


def _gives(start: State, given: dict[str, Any]) -> bool | None:
    """Whether the system makes this state from these arguments; None if they contradict each other."""
    try:
        found = start.system.state(**given)
    except TypeError:  # one is missing
        return False
    except InvalidInputError:
        return None
    names = ["R" if name == "q" else name for name in start.values]  # of quaternions two are the same attitude
    return all(np.allclose(getattr(found, name), getattr(start, name), rtol=1e-12, atol=1e-14) for name in names)
