"""The scenario to begin with is, for every system, its example again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from polhode.errors import InvalidInputError
from polhode.io.scenario.build import build_plan
from polhode.io.scenario.document import load_scenario
from polhode.io.scenario.template import scenario_template
from polhode.systems.registry import known_systems

LIBRARY = [name for name, cls in known_systems().items() if cls.__module__.startswith("polhode.")]


@pytest.mark.parametrize("name", LIBRARY)
def test_it_gives_the_example_of_the_system(name: str, tmp_path: Path) -> None:
    file = tmp_path / "begin.toml"
    file.write_text(scenario_template(name))
    plan, example = build_plan(load_scenario(file)), known_systems()[name].example()
    assert type(plan.system) is type(example.system)
    np.testing.assert_allclose(plan.system.parameters(), example.system.parameters(), rtol=1e-13, atol=1e-15)
    for field in example.system.fields:
        if field != "q":  # of which two are the same attitude
            np.testing.assert_allclose(getattr(plan.state, field), getattr(example, field), rtol=1e-11, atol=1e-13)


def test_an_unknown_system_is_named() -> None:
    with pytest.raises(InvalidInputError, match="did you mean 'FreeRigidBody'"):
        scenario_template("FreeRigidBdy")
