"""Text from files, made safe to print: a terminal obeys control characters, and no title may give it orders."""

from __future__ import annotations


def printable(text: str) -> str:
    """The text with every character that is not printable written as its escape; line breaks stay.

    >>> printable("red: \\x1b[31m, turned: \\u202e\\nnext")
    'red: \\\\x1b[31m, turned: \\\\u202e\\nnext'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode("ascii") for c in text)
