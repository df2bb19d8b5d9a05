"""What every method does on every system, claimed or not: `python -m tests.verification.table [part of a name ...]`."""

from __future__ import annotations

import sys

from .promises import MANY, PROMISES, pairs


def main(wanted: list[str]) -> None:
    """Print a line per system and method; ✓ and ✗ tell whether a claim holds, a number alone is not claimed."""
    for method, subject in pairs():
        if wanted and not any(word in f"{subject.name} {method!r}" for word in wanted):
            continue
        cells = []
        for name, promise in PROMISES.items():
            if promise.applies(method, subject.state.system):
                found = promise(method, subject, 1000 if method.adaptive else MANY)
                mark = ("✓ " if found.holds else "✗ ") if promise.claimed(method) else ""
                cells.append(f"{name} {mark}{found.text}")
        print(f"{subject.name}, {method!r}: {'; '.join(cells)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
