"""Prints the table of promises after the tests."""

from __future__ import annotations

from typing import Any

from .promises import PROMISES


def pytest_terminal_summary(terminalreporter: Any) -> None:
    reports = [r for group in ("passed", "failed") for r in terminalreporter.stats.get(group, [])]
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for report in reports:
        for name, entry in getattr(report, "user_properties", []):
            if name == "promise":
                system, method, promise, text = entry
                cells.setdefault((system, method), {})[promise] = text
    if not cells:
        return
    terminalreporter.section("what each method promises on each system (✓ promised and kept)")
    rows = [["system", "method", *PROMISES]]
    rows += [[*pair, *(found.get(promise, "not run") for promise in PROMISES)] for pair, found in sorted(cells.items())]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        terminalreporter.write_line("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)))
