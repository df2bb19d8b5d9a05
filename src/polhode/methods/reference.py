"""References to compare with: an adaptive solver at a tolerance, and the closed form where there is one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.method import Array, Method, Report, Run, Start, one_of
from ..core.representation import Form
from ..core.system import System
from ..errors import IncompatibleMethodError, InvalidInputError
from ..scalars import double
from ..scalars.protocol import EVALUATIONS, TOLERANCE_NOT_MET
from .loops import RightHandSide

if TYPE_CHECKING:
    from numba import types


def _only_doubles(method: Method, kind: types.Type) -> None:
    if kind != double:
        raise IncompatibleMethodError(f"{method!r} runs on plain doubles only, not on {kind}")


class DOP853(Method):
    """Dormand and Prince's adaptive method of order 8, from SciPy, stopping exactly at every step's end.

    `rtol`, `atol`: relative and absolute tolerance. `step` only says where samples may be taken. `form="lagrangian"`
    integrates the equations in velocities instead of momenta, for systems that offer both.
    """

    summary = "adaptive Runge–Kutta (SciPy)"
    reference = "E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I (1993)"
    order = 8
    adaptive = True

    def __init__(self, rtol: float = 1e-12, atol: float = 1e-14, form: str = "hamiltonian") -> None:
        for name, value in (("rtol", rtol), ("atol", atol)):
            if not (isinstance(value, (int, float, np.number)) and np.isfinite(value) and value > 0):
                raise InvalidInputError(name, value, "a positive number")
        self.rtol, self.atol = float(rtol), float(atol)
        self.form = one_of("form", form, ("hamiltonian", "lagrangian"))
        self.representation = Form.LAGRANGIAN if form == "lagrangian" else Form.DEFAULT

    def options(self) -> dict[str, Any]:
        tolerances = {"rtol": self.rtol, "atol": self.atol}
        return tolerances if self.form == "hamiltonian" else tolerances | {"form": self.form}

    def why_not(self, system: System) -> str | None:
        representation = system.representations.get(self.representation)
        return None if representation is not None and representation.rhs is not None else "it offers no right-hand side"

    def run(self, start: Start) -> Run:
        _only_doubles(self, start.kind)
        return _AdaptiveRun(self, start)


class _AdaptiveRun(Run):
    def __init__(self, method: DOP853, start: Start) -> None:
        self.layout = start.representation.layout
        self.report = Report()
        self.y = start.y
        self.carried = self.y.size
        self.t0, self.step = start.state.t, start.step
        self._derivative = RightHandSide(start)
        self._tolerances = {"rtol": max(method.rtol, 3e-14), "atol": method.atol}
        self._solver: Any = None

    def restore(self, sample: Array) -> None:
        super().restore(sample)
        self._solver = None

    def advance(self, first: int, count: int, every: int, samples: Array) -> tuple[int, int]:
        from scipy.integrate import DOP853 as Solver

        row = 0
        stops = [k for k in range(first + 1, first + count + 1) if k % every == 0 or k == first + count]
        for k in stops:
            target = self.t0 + k * self.step
            if self._solver is None:
                start = self.t0 + first * self.step
                self._solver = Solver(self._derivative, start, self.y, target, **self._tolerances)
            # the same solver goes on from stop to stop, so that its step size is not lost
            self._solver.t_bound, self._solver.status = target, "running"
            while self._solver.status == "running":
                self._solver.step()
            if self._solver.status == "failed":
                reached = math.floor((self._solver.t - self.t0) / self.step)
                return TOLERANCE_NOT_MET, max(first, min(k - 1, reached)) - first
            self.y = self._solver.y.copy()
            if k % every == 0:
                samples[row] = self.y
                row += 1
        self.report.numbers[EVALUATIONS] = self._solver.nfev if self._solver else 0
        return 0, count


class Exact(Method):
    """The closed form of the motion, for systems that have one: every trait to rounding, at any step."""

    summary = "closed form"
    reference = "the system's own"
    order = 0
    symplectic = True
    symmetric = True
    preserves_momentum = True
    preserves_energy = True
    preserves_group = True

    def why_not(self, system: System) -> str | None:
        return None if system.has_exact else "no closed form of its motion is known here"

    def run(self, start: Start) -> Run:
        _only_doubles(self, start.kind)
        return _ExactRun(self, start)


class _ExactRun(Run):
    def __init__(self, method: Exact, start: Start) -> None:
        self.layout = start.representation.layout
        self.report = Report()
        self.y = start.y
        self.carried = self.y.size
        self._motion = start.state.system.closed_form(start.state)  # once, for all chunks
        self._t0, self._step = start.state.t, start.step

    def advance(self, first: int, count: int, every: int, samples: Array) -> tuple[int, int]:
        last = first + count
        numbers = np.arange((first // every + 1) * every, last + 1, every)
        wanted = numbers if numbers.size and numbers[-1] == last else np.append(numbers, last)
        values = self._motion(np.asarray(self._t0 + wanted * self._step, dtype=np.float64))
        rows = np.concatenate([values[v.name].reshape(len(wanted), -1) for v in self.layout.variables], axis=1)
        samples[: len(numbers)] = rows[: len(numbers)]
        self.y = rows[-1]
        return 0, count
