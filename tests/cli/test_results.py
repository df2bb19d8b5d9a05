"""What is done with a result: figures, the view in a page, pages that are served until they are stopped."""

from __future__ import annotations

import subprocess
import sys

import pytest

from .command import SHORT, polhode

pytestmark = pytest.mark.usefixtures("in_new_folder")


def test_view_writes_a_file_that_asks_for_nothing(tmp_path):
    polhode("run", "free_rigid_body", *SHORT, "--no-plots", "--no-report")
    assert polhode("view", "out/free_rigid_body.nc", "--html", "view.html").stdout == "wrote view.html\n"
    text = (tmp_path / "view.html").read_text()
    assert "polhodeView(" in text
    assert "http:" not in text
    assert "https:" not in text
    result = polhode("view", "out/free_rigid_body.nc", "--html", "nowhere/view.html", code=2)
    assert "does not exist" in result.stderr


def test_view_serves_until_it_is_stopped():
    polhode("run", "free_rigid_body", *SHORT, "--no-plots", "--no-report")
    serves_until_it_is_stopped("view", "out/free_rigid_body.nc")


@pytest.mark.verify
def test_studio_serves_until_it_is_stopped():
    serves_until_it_is_stopped("studio")
    assert "no file or example of this name" in polhode("studio", "nothing", code=2).stderr


def serves_until_it_is_stopped(*words):
    import re
    import signal
    from urllib.request import urlopen

    command = [sys.executable, "-m", "polhode.cli", *words, "--port", "0", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as served:
        try:
            line = served.stdout.readline()
            address = re.search(r"http://127\.0\.0\.1:\d+", line)
            assert address, line
            with urlopen(address[0], timeout=600) as answer:
                assert answer.status == 200
            served.send_signal(signal.SIGINT)
            out, err = served.communicate(timeout=600)
        finally:
            served.kill()
    assert served.returncode == 0
    assert out + err == ""


def test_plot_draws_beside_the_result_or_elsewhere(tmp_path):
    polhode("run", "free_rigid_body", *SHORT, "--no-plots", "--quiet")
    result = polhode("plot", "out/free_rigid_body.nc", "--figure", "rates")
    assert result.stdout == "wrote out/free_rigid_body-rates.png\n"
    polhode("plot", "out/free_rigid_body.nc", "--figure", "attitude", "--out", "pictures")
    assert [path.name for path in (tmp_path / "pictures").iterdir()] == ["free_rigid_body-attitude.png"]
    assert "one of invariants" in polhode("plot", "out/free_rigid_body.nc", "--figure", "cat", code=2).stderr
    assert "mean 'polhode'?" in polhode("plot", "out/free_rigid_body.nc", "--figure", "polhod", code=2).stderr
    assert "does not exist" in polhode("plot", "nothing.nc", code=2).stderr


@pytest.mark.parametrize("name", [".", "/", ""])
@pytest.mark.parametrize("command", ["info", "plot", "view", "movie"])
def test_a_folder_is_not_a_result(command: str, name: str) -> None:
    said = polhode(command, name, code=2).stderr
    assert said.count("\n") == 1
    assert "this is a folder, not a result file" in said
