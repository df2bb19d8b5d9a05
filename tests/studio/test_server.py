"""The studio's server: every call needs the token and the own origin; runs go on beside it, can be stopped, and fail in words."""

from __future__ import annotations

import json
import os
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import polhode as ph
from polhode.io.scenario.examples import find_example
from polhode.studio.server import Studio

FREE = find_example("tumbling_middle_axis").read_text(encoding="utf-8")
LONG = [
    [["run", "t_end"], "1e9"],
    [["run", "step"], "0.05"],
    [["run", "save_every"], "1000000"],
    [["method", "type"], '"LGVI"'],
]
SHORT = [[["output", "plots"], '["rates"]']]


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    server = Studio(tmp_path_factory.mktemp("studio"), port=0)
    yield server
    server.close()


def call(studio: Studio, what: str, data: Any, **headers: str) -> tuple[int, Any]:
    given = {"Content-Type": "application/json", "X-Polhode-Token": studio.token} | headers
    request = urllib.request.Request(f"{studio.address}/api/{what}", json.dumps(data).encode(), given)
    try:
        with urllib.request.urlopen(request, timeout=600) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            text = error.read().decode()
        return error.code, json.loads(text)["error"] if text.startswith("{") else text


def messages(studio: Studio, job: int, pane: int = 0) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while True:
        status, news = call(studio, "news", {"pane": pane, "job": job, "after": len(found)})
        assert status == 200
        found += news["messages"]
        if news["ended"]:
            return found


def run(studio: Studio, changes: list[Any], pane: int = 0) -> int:
    status, answer = call(studio, "run", {"pane": pane, "text": FREE, "changes": changes})
    assert status == 200
    return int(answer["job"])


def test_a_run_gives_the_motion_what_was_conserved_and_figures(studio: Studio) -> None:
    plan, motion, figure = messages(studio, run(studio, SHORT))
    assert plan == {"kind": "plan", "steps": 3000}
    assert [row["quantity"] for row in motion["conserved"]] == ["energy", "spatial_momentum", "momentum_norm"]
    assert motion["headline"].startswith("FreeRigidBody by Exact()")
    assert len(motion["scene"]["objects"]) == 1
    assert (figure["kind"], figure["name"]) == ("figure", "rates")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ([["run", "step"], "fast"], "run.step = 'fast': expected a number"),
        ([["system", "inertia", 0], "-1"], "system.inertia"),
        ([["method", "type"], "LGVII"], "did you mean 'LGVI'?"),
        ([["run", "steps"], "7"], "give either t_end or steps, not both"),
        ([["state", "spin"], "1"], "state.spin is unknown"),
    ],
)
def test_what_is_wrong_is_said_in_the_words_of_the_library(studio: Studio, change: Any, said: str) -> None:
    *_, last = messages(studio, run(studio, [change]))
    assert last["kind"] == "failed"
    assert said in last["message"]
    assert "\n" not in last["message"].strip()


def test_a_run_is_stopped_and_the_next_one_works(studio: Studio) -> None:
    job = run(studio, LONG)
    assert call(studio, "open", {"name": "gyrostat"})[0] == 200  # the server answers meanwhile
    assert call(studio, "stop", {"pane": 0}) == (200, {})
    assert messages(studio, job)[-1] == {"kind": "failed", "message": "stopped"}
    assert [message["kind"] for message in messages(studio, run(studio, SHORT))] == ["plan", "motion", "figure"]


@pytest.mark.verify
def test_a_process_that_dies_is_reported_and_replaced(studio: Studio) -> None:
    job = run(studio, LONG)
    process = studio._workers[0]._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    assert "ended unexpectedly" in messages(studio, job)[-1]["message"]
    assert messages(studio, run(studio, SHORT))[-1]["kind"] == "figure"


def test_workers_end_with_the_server(tmp_path: Path) -> None:
    server = Studio(tmp_path, port=0)
    process = server._workers[0]._process
    assert process is not None
    server.close()
    assert process.poll() is not None
    for _ in range(600):
        try:
            urllib.request.urlopen(server.address, timeout=1)
        except OSError:
            break
        time.sleep(0.1)
    else:
        raise AssertionError("it still answers")


def test_nothing_is_done_without_the_token_or_for_a_foreign_page(studio: Studio) -> None:
    port = studio.address.rpartition(":")[2]
    save = {"name": "x.toml", "text": FREE, "changes": []}
    assert call(studio, "save", save, **{"X-Polhode-Token": "guess"})[0] == 403
    assert call(studio, "save", save, **{"X-Polhode-Token": ""})[0] == 403
    assert call(studio, "save", save, Origin="https://elsewhere.example")[0] == 403
    assert call(studio, "save", save, Origin="null")[0] == 403
    assert call(studio, "save", save, Host=f"elsewhere.example:{port}")[0] == 403
    assert call(studio, "save", save, **{"Content-Type": "text/plain"})[0] == 415
    assert list(studio.folder.glob("*")) == []
    with urllib.request.urlopen(studio.address, timeout=60) as answer:
        assert studio.token not in answer.read().decode()
        policy = answer.headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy


@pytest.mark.parametrize(
    ("what", "data"),
    [
        ("run", {"pane": 2, "text": FREE, "changes": []}),
        ("run", {"pane": "0", "text": FREE, "changes": []}),
        ("run", {"pane": 0}),
        ("news", {"pane": 0, "job": "x", "after": 0}),
        ("news", {"pane": 0, "job": 1, "after": None}),
        ("news", {"pane": 0, "job": float("inf"), "after": 0}),
        ("news", {"pane": 0, "job": 1, "after": float("inf")}),
        ("news", {"pane": [0], "job": 1, "after": 0}),
        ("open", {}),
        ("open", [1]),
    ],
    ids=str,
)
def test_what_no_page_sends_is_refused(studio: Studio, what: str, data: Any) -> None:
    assert call(studio, what, data)[0] == 400


def test_paths_and_unknown_scenarios(studio: Studio) -> None:
    for name in ("../../pyproject.toml", "/etc/passwd", "nothing", "nothing.toml"):
        assert call(studio, "open", {"name": name})[0] == 422
    assert call(studio, "everything", {})[0] == 404
    with pytest.raises(ph.PolhodeError):
        Studio(studio.folder, "nothing", 0)


def test_a_scenario_is_saved_on_request(studio: Studio) -> None:
    data = {"name": "mine.toml", "text": FREE, "changes": [[["run", "t_end"], "5"]]}
    status, answer = call(studio, "save", data)
    assert status == 200
    assert answer["files"] == ["mine.toml"]
    assert "t_end = 5" in (studio.folder / "mine.toml").read_text(encoding="utf-8")
    assert "exists" in call(studio, "save", data)[1]
    assert call(studio, "save", data | {"overwrite": True})[0] == 200
    (studio.folder / "mine.toml").unlink()
