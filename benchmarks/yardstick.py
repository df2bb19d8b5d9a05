"""The yard-stick: the order-2 variational step of the free body in C, compiled on the spot and called through ctypes."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

SOURCE = Path(__file__).with_name("free_body.c")
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


class Yardstick:
    """The compiled C program.

    `Yardstick()(y, p, step, steps)` takes `y` = (R by rows, Π) on by `steps` steps, in place; `p` are the six entries of
    the inertia and of its inverse. Returns the number of Newton iterations.
    """

    def __init__(self, *flags: str) -> None:
        with TemporaryDirectory() as folder:
            library = Path(folder) / "free_body.so"
            command = [compiler(), *FLAGS, *flags, str(SOURCE), "-o", str(library)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
            self._call = ctypes.CDLL(str(library)).free_body  # once loaded, the file is not needed any more
        self._call.argtypes = [DOUBLES, DOUBLES, ctypes.c_double, ctypes.c_int64]
        self._call.restype = ctypes.c_int64

    def __call__(self, y: NDArray[np.float64], p: NDArray[np.float64], step: float, steps: int) -> int:
        iterations = self._call(y, p, step, steps)
        if iterations < 0:
            raise RuntimeError(f"the discrete equation has no solution at step {-1 - iterations}")
        return iterations
