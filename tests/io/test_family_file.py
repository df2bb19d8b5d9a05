"""Families in files: the states come back, and what is not such a file is refused in words."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import polhode as ph
from polhode.io.family_file import FORMAT, load_family_states

CODE = "__import__('os').abort()"


def family() -> dict[str, Any]:
    state = {"R": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "Pi": [1.0, 0.0, 0.0]}
    return {
        "format": FORMAT,
        "members": [{"system": {"type": "FreeRigidBody", "inertia": [1, 2, 3]}, "state": state, "t": 2.0}],
    }


def first(data: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = data["members"][0]
    return found


WRONG: dict[str, Callable[[dict[str, Any]], object]] = {
    "no members": lambda data: data.pop("members"),
    "members that are a number": lambda data: data.update(members=5),
    "members that are text": lambda data: data.update(members=["x"]),
    "no system": lambda data: first(data).pop("system"),
    "a system that there is not": lambda data: first(data)["system"].update(type="os"),
    "a type that is a list": lambda data: first(data)["system"].update(type=[]),
    "an unknown argument": lambda data: first(data)["system"].update(x=1),
    "code": lambda data: first(data)["system"].update(inertia=[[CODE, 0, 0], [0, 1, 0], [0, 0, 1]]),
    "a state that is a number": lambda data: first(data).update(state=5),
    "a state that is not finite": lambda data: first(data)["state"].update(Pi=[float("nan"), 0, 0]),
    "one number for a momentum": lambda data: first(data)["state"].update(Pi=[[1.0]]),
    "no momentum": lambda data: first(data)["state"].pop("Pi"),
    "an inertia that is text": lambda data: first(data)["system"].update(inertia="x"),
    "no rotation": lambda data: first(data)["state"].update(R=[[5, 0, 0], [0, 1, 0], [0, 0, 1]]),
    "a time that is text": lambda data: first(data).update(t="x"),
}


def test_states_come_back(tmp_path: Path) -> None:
    file = tmp_path / "family.json"
    file.write_text(json.dumps(family()))
    (state,) = load_family_states(file)
    assert state.t == 2.0
    assert state.Pi.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_is_refused(wrong: str, tmp_path: Path) -> None:
    data = family()
    WRONG[wrong](data)
    file = tmp_path / "family.json"
    file.write_text(json.dumps(data))
    with pytest.raises(ph.InvalidInputError, match=r"path = '.*family.json': not a valid family"):
        load_family_states(file)


@pytest.mark.parametrize("text", ["[" * 100_000, "", "[]", '{"format": ' + "1" * 5000 + "}"])
def test_what_is_no_family_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "family.json"
    file.write_text(text)
    with pytest.raises(ph.InvalidInputError, match="not a"):
        load_family_states(file)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes on this system")
def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "family.json")
    with pytest.raises(ph.InvalidInputError, match="pipe"):
        load_family_states(tmp_path / "family.json")
