"""The tables of systems and methods, and the names that call them up."""

from __future__ import annotations

import pickle
from io import StringIO
from types import SimpleNamespace

from rich.console import Console

import polhode as ph
from polhode.core.method import known_methods
from polhode.systems.registry import known_systems
from polhode.tables import Table, list_methods, list_systems

SMALL = Table("Small & few", [{"name": "a|b", "parts": ["<x>", 2]}, {"name": "longer", "parts": []}])


def test_every_system_is_in_the_table_with_its_own_data():
    rows = {row["system"]: row for row in list_systems()}
    assert list(rows) == list(known_systems())
    free = rows["FreeRigidBody"]
    assert free["what"] == ph.FreeRigidBody.summary
    assert free["state"] == list(ph.FreeRigidBody.fields)
    assert free["conserved"] == list(ph.FreeRigidBody.conserved)
    assert free["reference"] == ph.FreeRigidBody.reference


def test_the_methods_that_fit_a_system_are_those_that_accept_it():
    body = ph.FreeRigidBody([1, 2, 3])
    (row,) = (row for row in list_systems() if row["system"] == "FreeRigidBody")
    for name, cls in known_methods().items():
        assert (name in row["methods"]) == any(variant.why_not(body) is None for variant in cls.variants())


def test_every_method_is_in_the_table_with_all_its_settings():
    for name, cls in known_methods().items():
        rows = [row for row in list_methods() if row["method"] == name]
        listed = {(order, tuple(row["traits"])) for row in rows for order in row["order"] or [0]}
        claimed = {(v.order, tuple(trait for trait, has in v.traits().items() if has)) for v in cls.variants()}
        assert listed == claimed
        assert all(row["reference"] == cls.reference for row in rows)
        assert len({tuple(row["traits"]) for row in rows}) == len(rows)


def test_settings_that_differ_in_traits_have_rows_of_their_own(monkeypatch):
    class Fickle:
        summary, reference = "now this, now that", "nowhere"

        @classmethod
        def variants(cls):
            settings = ((2, True), (4, True), (5, False))
            return [SimpleNamespace(order=n, traits=lambda kept=kept: {"symplectic": kept}) for n, kept in settings]

    monkeypatch.setattr("polhode.tables.known_methods", lambda: {"Fickle": Fickle})
    assert [(row["order"], row["traits"]) for row in list_methods()] == [([2, 4], ["symplectic"]), ([5], [])]


def test_arguments_are_those_of_the_constructor():
    (lgvi,) = (row for row in list_methods() if row["method"] == "LGVI")
    assert lgvi["arguments"] == ["order=2", "form='hamiltonian'"]
    (exact,) = (row for row in list_methods() if row["method"] == "Exact")
    assert exact["arguments"] == []


def test_plain_text_is_aligned():
    assert repr(SMALL) == "name    parts\n------  ------\na|b     <x>, 2\nlonger  —"


def test_html_and_markdown_are_escaped():
    html = SMALL._repr_html_()
    assert "<td>&lt;x&gt;, 2</td>" in html
    assert "<caption>Small &amp; few</caption>" in html
    assert SMALL.to_markdown().splitlines()[2] == "| a\\|b | <x>, 2 |"


def test_for_a_terminal():
    console = Console(width=60, record=True, file=StringIO())
    console.print(SMALL.to_rich(console.width, leave_out=["parts"]))
    text = console.export_text()
    assert "a|b" in text
    assert "<x>" not in text


def test_packages_are_packages_and_objects_travel():
    assert repr(ph.list_systems()) == repr(list_systems())
    assert ph.systems.FreeRigidBody is ph.FreeRigidBody
    assert ph.methods.LGVI is ph.LGVI
    assert pickle.loads(pickle.dumps(ph.LGVI(4))) == ph.LGVI(4)
    assert repr(pickle.loads(pickle.dumps(ph.FreeRigidBody([1, 2, 3])))) == "FreeRigidBody(inertia=[1.0, 2.0, 3.0])"


def test_all_public_names_are_there():
    assert [name for name in ph.__all__ if not hasattr(ph, name)] == []


def test_a_table_that_is_too_wide_becomes_paragraphs():
    words = {"name": "spin", "what": "a long text " * 9, "number": "-0.077471177", "verdict": "a misprint " * 9}
    wide = Table("Wide", [words, words])
    assert wide.least_width() == 1 + (3 + 4) + (3 + 4) + (3 + 12) + (3 + 8)
    lines = wide.to_records(40).splitlines()
    assert max(map(len, lines)) <= 40
    assert lines[0] == "Wide"
    assert "  number   -0.077471177" in lines
    assert " ".join(lines).split().count("text") == 18
