"""What a compiled function is made of, in a few characters: when they change, its entry in the disk cache is stale.

Numba notices a change in the file of a cached function. It does not see that of a kernel which was inlined into it from
elsewhere, nor of a constant that it names; here both count, wherever they are and however they were imported.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba import types

LARGE = 10**6  # bytes of an array that Numba leaves where it is, and puts its address into the code
CONSTANTS = (bool, int, float, complex, str, bytes, type(None), np.generic, types.Type)


def plain(function: Any) -> Any:
    """The Python function of a kernel, or of what Numba compiled; a Python function is itself one."""
    return getattr(function, "function", getattr(function, "py_func", function))


def within(value: Any) -> Any:
    """The Python function behind a value: the one that it wraps, or the one that chooses among its forms (`overloads`)."""
    return plain(getattr(value, "__wrapped__", getattr(value, "forms", value)))


@cache
def scalar_layer() -> bytes:
    """The sources of the scalars: no other function names what they compile to."""
    return b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))


def code_text(code: CodeType) -> str:
    """A function's instructions, names and constants, those of functions within it too, and how many arguments it has."""
    inner = (code_text(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts)
    return f"{code.co_code.hex()} {code.co_argcount} {code.co_varnames} {code.co_names} {' '.join(inner)}"


def named(function: FunctionType) -> Iterator[Any]:
    """The values of the names that a function takes from outside, of the attributes that it takes from modules, also from
    those within others, and of arguments that are left out."""
    codes = [function.__code__]
    for code in codes:
        codes.extend(c for c in code.co_consts if isinstance(c, CodeType))
    names = [name for code in codes for name in code.co_names]
    values = [cell.cell_contents for cell in function.__closure__ or ()]
    values += [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    values += [function.__globals__.get(name) for name in names]
    read: list[ModuleType] = []
    for value in values:
        if not isinstance(value, ModuleType):
            yield value
        elif value not in read:
            read.append(value)
            values.extend(getattr(value, name, None) for name in names)


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
    return contents(function)[0]


def lasting_fingerprint(function: Any) -> str | None:
    """The same where it says all, so that a function with this fingerprint is this one in any process; None where the
    function names something that has no lasting name, such as the address of a Python function."""
    found, unread = contents(function)
    return found if all(map(_has_lasting_name, unread)) else None


def contents(function: Any) -> tuple[str, list[Any]]:
    """The fingerprint of a function, and the objects that it names of which the fingerprint has at most the name."""
    digest = hashlib.sha256(scalar_layer())
    unread: list[Any] = []
    functions = [function]  # all that were met; elsewhere each is told by its place here
    numbers = {id(function): 0}
    for current in functions:
        digest.update(code_text(current.__code__).encode())
        values = list(named(current))
        for value in values:
            inner = within(value)
            if isinstance(value, tuple):
                digest.update(f"tuple {len(value)}".encode())
                values.extend(value)
            elif isinstance(value, CONSTANTS):
                digest.update(repr(value).encode())
            elif isinstance(value, np.ndarray):
                digest.update(f"{value.dtype} {value.shape}".encode() + value.tobytes())
                if value.nbytes > LARGE:
                    unread.append(value)
            elif isinstance(inner, FunctionType) and inner is not value:
                if id(inner) not in numbers:
                    numbers[id(inner)] = len(functions)
                    functions.append(inner)
                digest.update(f"function {numbers[id(inner)]}".encode())
            else:
                names = (getattr(value, name, None) for name in ("__module__", "__qualname__", "_fields"))
                digest.update(" ".join(map(str, names)).encode())
                if isinstance(value, FunctionType):
                    digest.update(code_text(value.__code__).encode())
                unread.append(value)
    return digest.hexdigest(), unread


def _has_lasting_name(value: Any) -> bool:
    """Whether an object of this name is the same in any process: what Python, NumPy, Numba and the scalars bring along."""
    if not isinstance(value, (type, FunctionType, BuiltinFunctionType, np.ufunc)):
        return False
    module = str(getattr(value, "__module__", None) or "builtins")
    return module.startswith(f"{__package__}.") or module.partition(".")[0] in ("builtins", "math", "numpy", "numba")
