"""The studio reads and writes scenarios in its own folder only, and replaces nothing unasked."""

from __future__ import annotations

from pathlib import Path

import pytest

import polhode as ph
from polhode.io.scenario.examples import find_example
from polhode.studio.files import example_titles, own_scenarios, read_scenario, save_scenario

TEXT = find_example("free_rigid_body").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name",
    [
        "../x.toml",
        "/tmp/x.toml",
        "a/b.toml",
        "x.txt",
        ".x.toml",
        "x\n.toml",
        "",
        "C:x.toml",
        "..\\x.toml",
        "x" * 300 + ".toml",
    ],
)
def test_names_that_lead_elsewhere_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ph.InvalidInputError, match="a name such as"):
        save_scenario(tmp_path, name, TEXT)
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "x.toml", tmp_path / "x.toml"
    link.symlink_to(target)
    for overwrite in (False, True):
        with pytest.raises(ph.InvalidInputError, match="link"):
            save_scenario(tmp_path, "x.toml", TEXT, overwrite=overwrite)
    assert not target.exists()


def test_a_file_is_replaced_only_when_asked(tmp_path: Path) -> None:
    save_scenario(tmp_path, "x.toml", TEXT)
    with pytest.raises(ph.InvalidInputError, match="exists"):
        save_scenario(tmp_path, "x.toml", "other")
    assert read_scenario(tmp_path, "x.toml") == TEXT
    save_scenario(tmp_path, "x.toml", TEXT + "# more\n", overwrite=True)
    assert read_scenario(tmp_path, "x.toml").endswith("# more\n")


def test_only_scenarios_are_listed(tmp_path: Path) -> None:
    save_scenario(tmp_path, "x.toml", TEXT)
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'a'\n")
    assert own_scenarios(tmp_path) == ["x.toml"]
    names = dict(example_titles())
    assert "two_dumbbells" in names
    assert "tumbling_ensemble" not in names
