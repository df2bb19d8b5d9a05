"""The command, called as a function."""

from __future__ import annotations

from click.testing import Result
from typer.testing import CliRunner

from polhode.cli import main

SHORT = ["--set", "run.steps=200"]


def polhode(*arguments: str, code: int = 0) -> Result:
    """What the command says, after its exit code was as expected and no exception came through."""
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def output_of(*arguments: str, code: int = 0) -> str:
    """The same as text: standard output and standard error."""
    return polhode(*arguments, code=code).output
