"""The examples: each is listed, and fit to run."""

from __future__ import annotations

import tomllib

import pytest

from polhode.io.scenario.build import build_plan
from polhode.io.scenario.document import load_scenario
from polhode.io.scenario.examples import example_scenarios, find_example
from polhode.systems.registry import known_systems
from tests.tiers import later

from .command import polhode

pytestmark = pytest.mark.usefixtures("in_new_folder")


def test_examples_are_listed_each_with_a_line():
    listed = polhode("examples").stdout
    assert len(example_scenarios()) >= 4
    for name, file in example_scenarios().items():
        title = load_scenario(file).document.title
        assert title
        assert f"│ {name} " in listed
        assert title.split()[0] in listed


def _one_of_each_kind() -> set[str]:
    """The first example of each kind of mechanics, which is a sub-package of `systems`."""
    kinds: dict[str, str] = {}
    for name, file in example_scenarios().items():
        system = known_systems()[tomllib.loads(file.read_text())["system"]["type"]]
        kinds.setdefault(system.__module__.split(".")[2], name)
    return set(kinds.values())


SHORT = _one_of_each_kind()


@pytest.mark.parametrize("name", later(example_scenarios(), lambda name: name not in SHORT))
def test_every_example_is_fit_to_run(name):
    polhode("check", name)
    beginning = build_plan(load_scenario(find_example(name))).run(steps=400)
    assert all(row.relative < (1e-2 if row.kind == "energy" else 1e-10) for row in beginning.conservation())
