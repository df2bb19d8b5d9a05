"""The yard-sticks: steps of the free body in C and C++, compiled on the spot and called through ctypes."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from ..scalars import compiled, multiply_add

FOLDER = Path(__file__).parent / "c_code"
COMPILERS = {".c": ("CC", "cc", "gcc", "clang"), ".cpp": ("CXX", "c++", "g++", "clang++")}
FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")
STRICT = "-ffp-contract=off"  # no fused multiply-add: every operation rounds
FUSED = "-DFUSED"  # but those that say so
DOUBLES = np.ctypeslib.ndpointer(np.float64, ndim=1, flags="C_CONTIGUOUS")


@compiled
def rounding_error(x: float) -> float:
    """The rounding error of x², if `multiply_add` rounds once; else zero."""
    return multiply_add(x, x, -(x * x))


def as_polhode() -> tuple[str, ...]:
    """The flags with which every operation of the programs rounds as in polhode on this processor."""
    return (STRICT, FUSED) if rounding_error(0.1) else (STRICT,)


class NoCompilerError(RuntimeError):
    """This machine has no compiler for a file."""


def compiler(suffix: str = ".c") -> str:
    """The compiler's command: $CC (for C++ $CXX) if that is set, else the first of the usual ones that there is."""
    variable, *usual = COMPILERS[suffix]
    for name in filter(None, (os.environ.get(variable), *usual)):
        if shutil.which(name):
            return name
    language = "C" if suffix == ".c" else "C++"
    raise NoCompilerError(
        f"no {language} compiler: none of {', '.join(usual)} is on the path, and {variable} is not set"
    )


def compiled_library(file: str, *flags: str) -> ctypes.CDLL:
    """One of our C or C++ files, compiled."""
    source = FOLDER / file
    with TemporaryDirectory() as folder:
        library = Path(folder) / f"{source.stem}.so"
        command = [compiler(source.suffix), *FLAGS, *flags, str(source), "-o", str(library)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise NoCompilerError(f"{' '.join(command)} failed:\n{done.stderr}")
        return ctypes.CDLL(str(library))  # once loaded, the file is not needed any more


class Yardstick:
    """The compiled C program.

    `Yardstick()(y, p, step, steps)` takes `y` = (R by rows, Π) on by `steps` steps, in place; `p` are the six entries of
    the inertia and of its inverse. Returns the number of Newton iterations.
    """

    def __init__(self, *flags: str) -> None:
        self._call = compiled_library("free_body.c", *flags).free_body
        self._call.argtypes = [DOUBLES, DOUBLES, ctypes.c_double, ctypes.c_int64]
        self._call.restype = ctypes.c_int64

    def __call__(self, y: NDArray[np.float64], p: NDArray[np.float64], step: float, steps: int) -> int:
        iterations = self._call(y, p, step, steps)
        if iterations < 0:
            raise RuntimeError(f"the discrete equation has no solution at step {-1 - iterations}")
        return iterations


class ExplicitYardstick:
    """The same for an explicit Runge–Kutta method, "rk4" or "midpoint"; nothing is solved."""

    def __init__(self, name: str, *flags: str) -> None:
        self._call = getattr(compiled_library("runge_kutta.c", *flags), name)
        self._call.argtypes = [DOUBLES, DOUBLES, ctypes.c_double, ctypes.c_int64]
        self._call.restype = None

    def __call__(self, y: NDArray[np.float64], p: NDArray[np.float64], step: float, steps: int) -> int:
        self._call(y, p, step, steps)
        return 0


class LaneYardstick:
    """Steps of many free bodies in C++, `width` of them side by side in vectors.

    `LaneYardstick(8)(y, p, step, steps)` takes the blocks `y` (block, entry, lane) on by `steps` steps, in place; `p` are the
    parameters of each member in the same order. Returns the number of Newton iterations of all blocks.
    """

    def __init__(self, width: int, *flags: str) -> None:
        self.width = width
        self._call = compiled_library("free_body_lanes.cpp", f"-DW={width}", *flags).free_body_lanes
        self._call.argtypes = [DOUBLES, DOUBLES, ctypes.c_double, ctypes.c_int64, ctypes.c_int64]
        self._call.restype = ctypes.c_int64

    def __call__(self, y: NDArray[np.float64], p: NDArray[np.float64], step: float, steps: int) -> int:
        iterations = self._call(y.reshape(-1), p.reshape(-1), step, steps, len(y))
        if iterations < 0:
            raise RuntimeError("the discrete equation of a member has no solution")
        return iterations
