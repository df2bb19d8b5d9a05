"""TOML within bounds: what is nested too deeply, and whole numbers of more than 64 bits, are refused before anything walks them."""

from __future__ import annotations

import tomllib

import pytest

from polhode.io.scenario.toml_reader import DEEPEST, read_toml


def nested(levels: int) -> str:
    return "x = " + "[" * levels + "]" * levels


@pytest.mark.parametrize(
    "text",
    [
        'title = "a.b.c"\n[state]\nomega = [0.1, 0.2, 0.3]\n',
        "a.b.'c d'.e = 1\n",
        nested(DEEPEST),
        ".".join("x" * (DEEPEST - 1)) + " = 1\n",
        f"x = {2**63 - 1}\ny = {-(2**63)}\nz = true\n",
        'text = """\n' + "One. Two. Three.\n" * 20 + '"""\n',
    ],
)
def test_what_is_within_bounds_is_read_as_tomllib_reads_it(text: str) -> None:
    assert read_toml(text) == tomllib.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        nested(DEEPEST + 1),
        nested(5000),
        "x = " + "{x = " * 50 + "1" + "}" * 50,
        ".".join("x" * 300_000) + " = 1",  # which tomllib alone would read for hours
        " . ".join(["'x'"] * 100_000) + " = 1",
        "[" + ".".join("x" * 100_000) + "]",
        "\n".join(f"[[{'.'.join('x' * n)}]]" for n in range(1, 60)),
    ],
    ids=["one too many", "lists", "inline tables", "a long key", "quoted", "a header", "tables of tables"],
)
def test_what_is_nested_too_deeply_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        read_toml(text)


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**4000])
def test_whole_numbers_have_64_bits(number: int) -> None:
    with pytest.raises(ValueError, match="64 bits"):
        read_toml(f"[run]\nlist = [1, [{number}]]")


def test_whole_numbers_that_python_does_not_read() -> None:
    """Python's own message names a setting of its interpreter."""
    with pytest.raises(ValueError, match=r"^a whole number of more than 64 bits$"):
        read_toml("[run]\nstep = 1" + "0" * 5000)
