"""The [ensemble] table: which members it makes, and what is said of a wrong one."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import polhode as ph
from polhode.geometry import quaternion
from polhode.io.scenario.document import scenario_from_text
from polhode.io.scenario.ensemble import EnsemblePlan, build_ensemble
from polhode.io.scenario.validation import ScenarioError

BASE = """
[system]
type = "FreeRigidBody"
inertia = [1.0, 2.0, 2.5]
[state]
omega = [0.1, 1.0, 0.0]
q = [0.5, 0.5, 0.5, 0.5]
[run]
step = 0.1
t_end = 1.0
[ensemble]
"""


def plan(table: str) -> EnsemblePlan:
    return build_ensemble(scenario_from_text("body.toml", BASE + table))


def vary(key: str, **options: object) -> str:
    lines = [f"{name} = {value!r}".replace("'", '"') for name, value in {"key": key, **options}.items()]
    return "[[ensemble.vary]]\n" + "\n".join(lines) + "\n"


def test_a_grid_over_any_key() -> None:
    table = vary("system.inertia[2]", values=[2.2, 2.5, 2.8]) + vary("state.omega[0]", low=0.1, high=0.4, count=4)
    found = plan(table)
    assert len(found.members) == 12
    states = [found.members.state(i) for i in range(12)]
    assert [s.system.inertia.matrix[2, 2] for s in states] == [2.2] * 4 + [2.5] * 4 + [2.8] * 4
    np.testing.assert_allclose([s.omega[0] for s in states], np.tile([0.1, 0.2, 0.3, 0.4], 3), rtol=1e-14)
    ens = found.run()
    np.testing.assert_array_equal(ens.inputs["system.inertia[2]"], np.repeat([2.2, 2.5, 2.8], 4))
    np.testing.assert_array_equal(ens.R[5, -1], ph.simulate(states[5], step=0.1, t_end=1.0).final.R)


def test_distributions_about_the_values_of_the_file() -> None:
    found = plan("members = 500\nseed = 3\n" + vary("state.omega", distribution="normal", std=0.01))
    omega = np.array([found.members.state(i).omega for i in range(500)])
    np.testing.assert_allclose(omega.mean(axis=0), [0.1, 1.0, 0.0], atol=0.002)
    np.testing.assert_allclose(omega.std(axis=0), 0.01, rtol=0.15)
    assert found.members.system is not None  # which all share
    again = plan("members = 50\nseed = 3\n" + vary("state.omega", distribution="normal", std=0.01))
    np.testing.assert_array_equal(again.members.state(7).omega, omega[7])
    other = plan("members = 50\nseed = 4\n" + vary("state.omega", distribution="normal", std=0.01))
    assert (other.members.state(7).omega != omega[7]).all()


def test_a_grid_and_a_distribution() -> None:
    table = "members = 5\n" + vary("system.inertia[2]", values=[2.2, 2.5]) + vary("state.q", distribution="attitude")
    found = plan(table)
    assert len(found.members) == 10
    q = np.array([found.members.state(i).q for i in range(10)])
    assert len(np.unique(q[:, 0])) == 10
    near = plan("members = 5\n" + vary("state.q", distribution="attitude", std=0.01))
    assert quaternion.distance(near.members.state(3).q, [0.5, 0.5, 0.5, 0.5]) < 0.06


def test_members_go_to_other_processes() -> None:
    found = plan("members = 5\n" + vary("state.omega[2]", distribution="uniform", low=0.0, high=0.1)).members
    there = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(there.state(3).omega, found.state(3).omega)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("members = 3", r"ensemble\.vary is missing"),
        (vary("omega", distribution="normal", std=1.0), "key of"),
        (vary("state.omega[3]", values=[1.0]), "nothing at this place"),
        (vary(f"state.omega[{'9' * 5000}]", values=[1.0]), "a key of"),
        (vary("system.mess[0]", values=[1.0]), "nothing at this place"),
        (vary("system.mess", values=[1.0]), "unknown"),
        (vary("state.omega", distribution="normal"), "std is missing"),
        (vary("state.Pi", distribution="normal", std=0.1), "mean is missing"),
        (vary("state.omega", distribution="uniform", low=0.0), "high is missing"),
        (vary("state.omega", distribution="gauss"), "normal"),
        (vary("state.omega", distribution="sphere", std=1.0), "not an option"),
        (vary("state.omega", distribution="attitude"), "an attitude"),
        (vary("state.omega[0]", low=0.0, high=1.0), "count"),
        (vary("state.omega[0]", low=0.0, high=1.0, count=3, spacing="log"), "positive"),
        (vary("state.omega[0]", values=[1.0]) * 2, "twice"),
        ("members = 3\n" + vary("state.omega[0]", values=[1.0]), "the same"),
        ("save = 0\n" + vary("state.omega[0]", values=[1.0]), r"ensemble\.save = 0"),
        ("memers = 3\n" + vary("state.omega[0]", values=[1.0]), r"ensemble\.memers is unknown; did you mean 'members'"),
        (vary("state.omega[0]", value=[1.0]), r"ensemble\.vary\[0\]\.value is unknown; did you mean 'values'"),
        (vary("state.omega[0]", distribution="log_uniform", low=-1.0, high=1.0), "positive"),
    ],
)
def test_what_is_refused(table: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        plan(table)


def test_a_scenario_without_the_table() -> None:
    with pytest.raises(ScenarioError, match=r"no \[ensemble\] table"):
        build_ensemble(scenario_from_text("body.toml", BASE.replace("[ensemble]", "")))
