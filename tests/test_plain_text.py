"""Text from files is printed without control characters."""

from polhode.plain_text import printable


def test_controls_bidirectional_marks_and_surrogates_are_escaped() -> None:
    every = "".join(chr(c) for c in [*range(0x300), 0x200B, 0x202A, 0x2028, 0xFEFF, 0xD800, 0xE0001])
    said = printable(every)
    assert all(c.isprintable() or c == "\n" for c in said)
    assert said.encode("utf-8")
    assert "\\x1b" in said
    assert "\\ud800" in said


def test_ordinary_text_stays() -> None:
    for text in ("Ω̇ = 3 µrad/s", "a\nb", "日本語 – “x”", ""):
        assert printable(text) == text
