"""What a compiled function is made of, in a few characters: when they change, its entry in the disk cache is stale.

Numba notices a change in the file of a cached function. It does not see that of a kernel which was inlined into it from
elsewhere, nor of a constant that it names; here both count, wherever they are and however they were imported.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba import types

CONSTANTS = (bool, int, float, complex, str, bytes, type(None), np.generic, types.Type)


def plain(function: Any) -> Any:
    """The Python function of a kernel, or of what Numba compiled; a Python function is itself one."""
    return getattr(function, "function", getattr(function, "py_func", function))


def within(value: Any) -> Any:
    """What stands for a name in compiled code: what `value` wraps, or what chooses among its forms (`overloads`)."""
    return plain(getattr(value, "__wrapped__", getattr(value, "forms", value)))


@cache
def scalar_layer() -> bytes:
    """The sources of the scalars: no other function names what they compile to."""
    return b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))


def code_text(code: CodeType) -> str:
    """A function's instructions, names and constants, those of functions within it too."""
    inner = (code_text(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts)
    return f"{code.co_code.hex()} {code.co_names} {' '.join(inner)}"


def named(function: FunctionType) -> Iterator[Any]:
    """The values of the names that a function takes from outside, and of the attributes that it takes from modules."""
    cells = function.__closure__ or ()
    yield from (cell.cell_contents for cell in cells)
    codes = [function.__code__]
    for code in codes:
        codes.extend(c for c in code.co_consts if isinstance(c, CodeType))
        for name in code.co_names:
            value = function.__globals__.get(name)
            if isinstance(value, ModuleType):
                yield from (getattr(value, attribute, None) for attribute in code.co_names)
            else:
                yield value


def made_from(function: FunctionType) -> str:
    """What tells apart functions that were made at one place in a file: what they close over, kernels by their names and
    by what those close over."""
    parts = []
    for cell in function.__closure__ or ():
        inner = plain(cell.cell_contents)
        if isinstance(inner, FunctionType):
            parts.append(f"{inner.__module__}.{inner.__qualname__}({made_from(inner)})")
        else:  # what has no lasting text is told apart by its type alone
            parts.append(repr(inner) if isinstance(inner, (tuple, *CONSTANTS)) else type(inner).__qualname__)
    return " ".join(parts)


def fingerprint(function: FunctionType) -> str:
    """The fingerprint of a function and of all kernels and constants that it names, directly or not."""
    digest = hashlib.sha256(scalar_layer())
    pending, seen = [function], {id(function)}
    while pending:
        current = pending.pop()
        digest.update(f"{code_text(current.__code__)} {current.__defaults__}".encode())
        values = list(named(current))
        for value in values:
            if isinstance(value, tuple):
                values.extend(value)
            elif isinstance(value, CONSTANTS):
                digest.update(repr(value).encode())
            elif isinstance(value, np.ndarray):
                digest.update(f"{value.dtype} {value.shape}".encode() + value.tobytes())
            elif isinstance(value, FunctionType) and within(value) is value:
                digest.update(code_text(value.__code__).encode())
            else:
                inner = within(value)
                if isinstance(inner, FunctionType) and id(inner) not in seen:
                    seen.add(id(inner))
                    pending.append(inner)
    return digest.hexdigest()
