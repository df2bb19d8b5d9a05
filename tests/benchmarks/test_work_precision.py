"""The pieces of the work–precision page: the equations for others are those of our systems, and the table is what was
measured."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.work_problems import binary, dumbbells, error, free_body, heavy_top

import polhode as ph
from benchmarks import work_precision
from polhode.core.method import Method

ROWS = [
    {"solver": "a", "setting": "1", "seconds": 1.0, "error": 1e-4},
    {"solver": "a", "setting": "2", "seconds": 4.0, "error": 1e-8},
    {"solver": "b", "setting": "1", "seconds": 0.5, "error": 1e-3},
]


def rates_of(state: ph.State) -> dict[str, np.ndarray]:
    """d/dt of the body rates and velocities, by a difference of our own motion."""
    d = 1e-3
    ahead, behind = (ph.simulate(state, step=s * d, steps=1, method=ph.RK4()).final for s in (1, -1))
    names = [name for name in ("omega", "Omega1", "Omega2", "v1", "v2") if name in state.system.fields]
    return {name: (np.asarray(getattr(ahead, name)) - np.asarray(getattr(behind, name))) / (2 * d) for name in names}


@pytest.mark.parametrize("make", [free_body, heavy_top])
def test_the_equations_of_one_body_are_ours(make):
    problem = make()
    found = np.array(problem.rates(problem.start.tolist()))
    assert found[4:7] == pytest.approx(rates_of(problem.state)["omega"], rel=1e-4, abs=1e-4)
    assert error(problem.of_numbers(problem.start), problem.of_state(problem.state)) < 1e-12


@pytest.mark.parametrize("make", [dumbbells, binary])
def test_the_equations_of_two_bodies_are_ours(make):
    problem = make()
    found, ours = np.array(problem.rates(problem.start.tolist())), rates_of(problem.state)
    assert found[:3] == pytest.approx(np.subtract(problem.state.v1, problem.state.v2), abs=1e-12)
    for part, expected in (
        (found[3:6], ours["v1"] - ours["v2"]),
        (found[10:13], ours["Omega1"]),
        (found[17:20], ours["Omega2"]),
    ):
        assert np.abs(part - expected).max() < 1e-3 * np.abs(expected).max() + 1e-6
    assert error(problem.of_numbers(problem.start), problem.of_state(problem.state)) < 1e-12


def test_errors_are_angles_and_relative_lengths():
    turned = ph.so3.exp([0.0, 0.3, 0.0])
    assert error(([turned], []), ([np.eye(3)], [])) == pytest.approx(0.3)
    assert error(
        ([np.eye(3)], [np.array([2.0, 0.0, 0.02])]), ([np.eye(3)], [np.array([2.0, 0.0, 0.0])])
    ) == pytest.approx(0.01)


def test_runs_are_measured_with_their_errors(monkeypatch):
    problem = free_body()

    def few(problem):
        methods: list[tuple[str, Method, int]] = [
            ("rk4", ph.RK4(), 2000),
            ("rk4", ph.RK4(), 4000),
            ("exact", ph.Exact(), 1),
        ]
        for name, method, n in methods:
            steps = work_precision.Steps(problem, method, n)
            yield name, f"{n} steps", steps, steps.end

    monkeypatch.setattr(work_precision, "ours", few)
    monkeypatch.setattr(work_precision, "heyoka_runs", lambda problem: iter(()))
    monkeypatch.setattr(work_precision, "scipy_runs", lambda problem: iter(()))
    coarse, fine, exact = work_precision.measure(problem, share=0.0)
    assert coarse["error"] / fine["error"] == pytest.approx(16.0, rel=0.2)
    assert exact["error"] < 1e-14
    assert all(row["seconds"] >= 0.0 for row in (coarse, fine, exact))


def test_the_time_for_an_error_lies_between_two_runs():
    assert work_precision.time_for(ROWS, "a", 1e-6) == pytest.approx(2.0)
    assert work_precision.time_for(ROWS, "a", 1e-3) == 1.0
    assert work_precision.time_for(ROWS, "a", 1e-9) is None


def test_the_table_and_the_figure(tmp_path):
    found = {"lanes": 8, "problems": {f"problem {i}": ROWS for i in range(4)}}
    text = work_precision.table(found)
    assert text.splitlines()[2] == "| problem 0 | 1e-06 | **2,000** | – |"
    page = f"Before.\n{work_precision.BEGIN}\nold\n{work_precision.END}\nAfter.\n"
    assert work_precision.with_table(page, text).splitlines()[3] == text.splitlines()[0]
    assert "old" not in work_precision.with_table(page, text)
    pytest.importorskip("matplotlib")
    work_precision.draw(found, tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 10_000
