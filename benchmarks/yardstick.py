"""The yard-sticks: steps of the free body in C, compiled on the spot and called through ctypes."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

FOLDER = Path(__file__).parent
FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")
STRICT = "-ffp-contract=off"  # no fused multiply-add: every operation rounds, as it does in polhode
DOUBLES = np.ctypeslib.ndpointer(np.float64, ndim=1, flags="C_CONTIGUOUS")


class NoCompilerError(RuntimeError):
    """This machine has no C compiler."""


def compiler() -> str:
    """The C compiler's command: $CC if that is set, else the first of cc, gcc and clang."""
    for name in filter(None, (os.environ.get("CC"), "cc", "gcc", "clang")):
        if shutil.which(name):
            return name
    raise NoCompilerError("no C compiler: neither cc nor gcc nor clang is on the path, and CC is not set")


def compiled_library(name: str, *flags: str) -> ctypes.CDLL:
    """One of the C files here, compiled."""
    with TemporaryDirectory() as folder:
        library = Path(folder) / f"{name}.so"
        command = [compiler(), *FLAGS, *flags, str(FOLDER / f"{name}.c"), "-o", str(library)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
        return ctypes.CDLL(str(library))  # once loaded, the file is not needed any more


class Yardstick:
    """The compiled C program.

    `Yardstick()(y, p, step, steps)` takes `y` = (R by rows, Π) on by `steps` steps, in place; `p` are the six entries of
    the inertia and of its inverse. Returns the number of Newton iterations.
    """

    def __init__(self, *flags: str) -> None:
        self._call = compiled_library("free_body", *flags).free_body
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
        self._call = getattr(compiled_library("runge_kutta", *flags), name)
        self._call.argtypes = [DOUBLES, DOUBLES, ctypes.c_double, ctypes.c_int64]
        self._call.restype = None

    def __call__(self, y: NDArray[np.float64], p: NDArray[np.float64], step: float, steps: int) -> int:
        self._call(y, p, step, steps)
        return 0
