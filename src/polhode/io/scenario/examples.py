"""The example scenarios that come with polhode."""

from __future__ import annotations

from pathlib import Path

from .validation import ScenarioError, nearest


def example_scenarios() -> dict[str, Path]:
    """The scenario files, by name.

    >>> "free_rigid_body" in example_scenarios()
    True
    """
    package = Path(__file__).parents[2]
    # inside an installed package, or at the root of a working copy
    folders = (package / "examples", package.parents[1] / "examples")
    folder = next((folder for folder in folders if folder.is_dir()), None)
    return {file.stem: file for file in sorted(folder.glob("*.toml"))} if folder else {}


def find_example(name: str) -> Path:
    """The scenario file of the example called `name`."""
    known = example_scenarios()
    if name not in known:
        hint = nearest(name, known) or "; `polhode examples` lists all examples"
        raise ScenarioError(name, "example", message=f"no file or example of this name{hint}")
    return known[name]
