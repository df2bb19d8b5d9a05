"""What a run finds in its folder is replaced only by the same run, or with --overwrite; titles give a terminal no orders."""

from __future__ import annotations

import json
import os
from pathlib import Path

import netCDF4
import pytest

import polhode as ph
from polhode.io import existing_result
from polhode.io.scenario.document import load_scenario
from polhode.io.scenario.examples import find_example

from .command import output_of

pytestmark = pytest.mark.usefixtures("in_new_folder")

QUICK = ("--no-plots", "--no-report")


def run(steps: int, *options: str, code: int = 0, name: str = "free_rigid_body") -> str:
    return output_of("run", name, "--set", f"run.steps={steps}", *QUICK, *options, code=code)


def steps_of(file: str = "out/free_rigid_body.nc") -> int:
    return ph.load(file).stats.steps


def test_the_same_run_replaces_its_own_result() -> None:
    run(20)
    before = Path("out/free_rigid_body.nc").stat().st_mtime_ns
    run(20)
    assert Path("out/free_rigid_body.nc").stat().st_mtime_ns > before


def test_another_run_is_refused_before_it_starts_and_nothing_is_lost() -> None:
    run(20)
    said = run(10, code=2)
    assert said.startswith("polhode: path = 'out/free_rigid_body.nc': the result of another run")
    assert "--overwrite" in said
    assert said.count("\n") == 1
    assert steps_of() == 20
    run(10, "--overwrite")
    assert steps_of() == 10
    run(20, "--out", "other")
    assert (steps_of(), steps_of("other/free_rigid_body.nc")) == (10, 20)


def test_another_scenario_of_the_same_name_is_refused() -> None:
    text = find_example("free_rigid_body").read_text()
    Path("free_rigid_body.toml").write_text(text)
    run(20, name="free_rigid_body.toml")
    Path("free_rigid_body.toml").write_text(text + "\n# changed\n")
    assert "another run" in run(20, code=2, name="free_rigid_body.toml")


def test_a_file_that_is_no_result_is_refused() -> None:
    Path("out").mkdir()
    for content in (b"mine", b"\x89HDF\r\n\x1a\n", b""):
        Path("out/free_rigid_body.nc").write_bytes(content)
        assert "not a readable result is there already" in run(20, code=2)
        assert Path("out/free_rigid_body.nc").read_bytes() == content
    run(20, "--overwrite")
    assert steps_of() == 20


@pytest.mark.parametrize("name", ["free_rigid_body.nc", "free_rigid_body.partial.nc"])
@pytest.mark.parametrize("device", [None, "/dev/full", "/dev/zero"])
def test_a_pipe_or_a_device_in_the_place_of_a_result_is_refused_unread(
    name: str, device: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading it would wait, or fill the memory, for ever."""
    monkeypatch.setattr(existing_result, "check_seal", lambda path: pytest.fail("it was read"))
    Path("out").mkdir()
    place = Path("out", name)
    if device is None:
        os.mkfifo(place)
    else:
        place.symlink_to(device)
    said = run(20, code=2)
    assert said == f"polhode: path = 'out/{name}': this is a pipe or a device, not a file\n"
    assert place.is_symlink() or place.is_fifo()


@pytest.mark.parametrize("overrides", [5, None, {"a": 1}, "x"])
def test_a_result_that_tells_of_odd_changes_is_another_run(overrides: object) -> None:
    run(20)
    file, scenario = Path("out/free_rigid_body.nc"), load_scenario(find_example("free_rigid_body"), ["run.steps=20"])
    told = {"scenario": scenario.text, "overrides": overrides}
    with netCDF4.Dataset(file, "a") as data:
        data.polhode_provenance = json.dumps(told)
    assert "another run" in run(20, code=2)


def test_the_samples_of_an_interrupted_run_are_kept() -> None:
    run(20)
    Path("out/free_rigid_body.nc").rename("out/free_rigid_body.partial.nc")
    assert "partial.nc" in run(30, code=2)
    run(30, "--from", "out/free_rigid_body.partial.nc")
    assert (steps_of(), steps_of("out/free_rigid_body.partial.nc")) == (30, 20)


@pytest.mark.parametrize("hidden", ["\x1b]0;owned\x07", "\x1b[2J", "\x9b31m", "\u202e", "a\rb", "\x08" * 5])
def test_no_text_gives_orders_to_a_terminal(hidden: str) -> None:
    text = find_example("free_rigid_body").read_text()
    escaped = "".join(f"\\u{ord(c):04x}" for c in hidden)
    Path("x.toml").write_text(text.replace("title = ", f'title = "{escaped}"\n#', 1))
    printed = run(5, name="x.toml")
    Path("y.toml").write_text(f'"{escaped}" = 1\n{text}')
    printed += run(5, code=2, name="y.toml")
    assert all(c.isprintable() or c == "\n" for c in printed)


def report(name: str, *options: str, code: int = 0) -> str:
    return output_of("run", name, "--set", "run.t_end=", "--set", "run.steps=3", "--no-plots", *options, code=code)


def test_the_report_of_another_result_stays() -> None:
    report("free_rigid_body")
    first = Path("out/report.html").read_text()
    assert "wrote out/pendulum3d.report.html" in report("pendulum3d")
    assert Path("out/report.html").read_text() == first
    for name in ("pendulum3d", "free_rigid_body"):
        report(name)  # which replaces its own
    assert {page.name for page in Path("out").glob("*.html")} == {"report.html", "pendulum3d.report.html"}
    assert "free_rigid_body.nc" in Path("out/report.html").read_text()


@pytest.mark.parametrize("content", [b"<p>mine</p>", b"\xff\xfe", b""])
def test_a_page_of_somebody_else_stays(content: bytes) -> None:
    Path("out").mkdir()
    Path("out/report.html").write_bytes(content)
    report("pendulum3d")
    assert Path("out/report.html").read_bytes() == content
    Path("out/pendulum3d.report.html").write_bytes(content)
    assert "another page is there already; --overwrite" in report("pendulum3d", code=2)
    assert Path("out/pendulum3d.report.html").read_bytes() == content
    report("pendulum3d", "--overwrite")
    assert Path("out/pendulum3d.report.html").read_bytes() != content


def test_a_scenario_in_the_place_of_the_copy_stays() -> None:
    Path("out").mkdir()
    Path("out/pendulum3d.scenario.toml").write_text("mine")
    assert "another scenario is there already; --overwrite" in report("pendulum3d", code=2)
    assert [path.name for path in Path("out").iterdir()] == ["pendulum3d.scenario.toml"]
    report("pendulum3d", "--overwrite")
    copy = Path("out/pendulum3d.scenario.toml").read_text()
    report("pendulum3d")
    assert Path("out/pendulum3d.scenario.toml").read_text() == copy != "mine"
