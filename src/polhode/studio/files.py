"""The scenarios that the studio can open and write: the examples, and files in the folder in which it was started."""

from __future__ import annotations

from pathlib import Path

from ..errors import InvalidInputError, PolhodeError
from ..io.atomic_files import LONGEST_NAME, write_text
from ..io.scenario.document import load_scenario
from ..io.scenario.examples import example_scenarios, find_example

MOST_FILES = 200


def own_scenarios(folder: Path) -> list[str]:
    """The names of the TOML files in a folder that are scenarios."""
    found = []
    for file in sorted(folder.glob("*.toml"))[:MOST_FILES]:
        try:
            load_scenario(file)
        except PolhodeError:
            continue
        found.append(file.name)
    return found


def example_titles() -> list[tuple[str, str]]:
    """The name and the title of each example that is one run."""
    scenarios = {name: load_scenario(file).document for name, file in example_scenarios().items()}
    return [(name, document.title) for name, document in scenarios.items() if document.ensemble is None]


def read_scenario(folder: Path, name: str) -> str:
    """The text of an example or, if the name ends in .toml, of a file in the folder."""
    file = scenario_path(folder, name) if name.endswith(".toml") else find_example(name)
    return load_scenario(file).text


def scenario_path(folder: Path, name: str) -> Path:
    """The file of this name in the folder; an error if the name leads anywhere else.

    >>> scenario_path(Path("."), "../x.toml")
    Traceback (most recent call last):
    ...
    polhode.errors.InvalidInputError: file = '../x.toml': expected a name such as body.toml, without a folder
    """
    plain = isinstance(name, str) and name.isprintable() and name.endswith(".toml") and name[0] != "."
    if not plain or set(name) & set('/\\:*?"<>|') or len(name.encode()) > LONGEST_NAME:
        raise InvalidInputError("file", name, "a name such as body.toml, without a folder")
    path = folder / name
    if path.is_symlink():
        raise InvalidInputError("file", name, problem="this is a link to another place")
    return path


def save_scenario(folder: Path, name: str, text: str, *, overwrite: bool = False) -> Path:
    """Write a scenario into the folder; an error if the file exists, unless it may be overwritten."""
    path = scenario_path(folder, name)
    if path.exists() and not overwrite:
        raise InvalidInputError("file", name, problem="this file exists already")
    return write_text(path, text)
