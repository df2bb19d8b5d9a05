"""A run that carries tangent vectors, which may be replaced by others on the way; no tangent map is stored.

The vectors are the partial derivatives of dual numbers, so that they follow the tangent map of the very steps that are
taken.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.callbacks import defer_signals, raise_noted, watch_callbacks
from ..core.method import Method, Run, Start
from ..core.scalar_packing import block_kind, blocks, tangent_columns
from ..core.system import State
from ..errors import PolhodeError
from ..simulation.arguments import check_arguments, check_start, check_step
from ..simulation.driver import run_without_warnings
from ..systems.stability.tangent_dynamics import tangent_dynamics

Array = NDArray[np.float64]


class TangentRun:
    """A method at work on a state and on as many tangent vectors as the phase space has dimensions.

    The vectors are columns, in the coordinates of the layout of the method's representation. They start as the tangent
    basis, each vector as long as its unit in `scale`: units in which the motion near the start is of one size. `rate` is
    its rate, or 0 where the system gives no equations to tell the units from.
    """

    def __init__(self, state: State, method: Method, step: float) -> None:
        check_arguments(state, method)
        method.check(state.system)
        check_start(state)
        self.system, self.method, self.step, self.t0 = state.system, method, check_step(step), state.t
        self.done = 0
        representation = self.system.representations[method.representation]
        self.layout = representation.layout
        self.dimension = self.layout.dimension
        self._directions = blocks(self.dimension)
        y = self.system.enter(method.representation, state)
        self.scale, self.rate = np.ones(self.dimension), 0.0
        if representation.rhs is not None:
            near = tangent_dynamics(representation, y, self.system.parameters(), state.t)
            self.scale, self.rate = near.scale, near.rate
        self._runs = self._start(y, np.diag(self.scale))

    @property
    def t(self) -> float:
        """The time reached."""
        return self.t0 + self.done * self.step

    def advance(self, count: int, every: int | None = None) -> tuple[Array, Array]:
        """Do `count` steps. Returns the states (n, size) and the tangent vectors (n, dimension, dimension) after every
        step whose number, counted from the last `restart`, is a multiple of `every`; by default after the last only."""
        before, first = self._runs[0].sample.copy(), self.done - self._origin
        kept = (first + count) // every - first // every if every else 0
        parts = []
        for run, d in zip(self._runs, self._directions, strict=True):
            samples = np.empty((kept, run.row_size))
            with watch_callbacks():
                with defer_signals():
                    status, _ = run.advance(first, count, every or first + count + 1, samples)
                raise_noted()
            samples = samples if every else run.row[None].copy()
            if status or not np.all(np.isfinite(samples)):
                raise self._failure(before, count)
            parts.append(tangent_columns(self.layout, run.states(samples), block_kind(d), d))
        self.done += count
        return parts[0][0], np.concatenate([part for _, part in parts], axis=-1)

    def scale_vectors(self, factor: float) -> None:
        """Multiply all vectors by a number. All that a run carries is linear in them; the motion stays as it is."""
        for run, d in zip(self._runs, self._directions, strict=True):
            sample = run.sample.copy()
            sample[: run.differentiated].reshape(-1, 1 + d.stop - d.start)[:, 1:] *= factor
            run.restore(sample)

    def restart(self, y: Array, vectors: Array) -> None:
        """Go on from the state `y` (size,), the one reached, with other vectors (dimension, dimension).

        A frame that is made orthogonal needs a fresh start: the parts of its vectors that rounding has put outside the
        tangent space would grow with every orthogonalisation.
        """
        self._runs = self._start(y, vectors)

    def _start(self, y: Array, vectors: Array) -> list[Run]:
        """A run for each block of vectors, from here."""
        self._origin = self.done
        state = State(self.system, self.layout.unpack(y), self.t)
        seeds, runs = self.layout.basis(y) @ vectors, []
        for d in self._directions:
            kind = block_kind(d)
            start = Start.of(state, self.step, self.method.representation, kind, d)
            start.y.reshape(self.layout.size, -1)[:, 1:] = seeds[:, d]
            with watch_callbacks():
                runs.append(self.method.run(start))
                raise_noted()
        return runs

    def _failure(self, sample: Array, count: int) -> PolhodeError:
        """Why these steps fail: what a plain run over them says, if it fails too."""
        run: Run = self._runs[0]
        run.restore(sample)
        states = run.states(run.row[None].copy())
        y, _ = tangent_columns(self.layout, states, block_kind(self._directions[0]), self._directions[0])
        values = {name: array[0] for name, array in self.layout.unpack(y).items()}
        try:
            run_without_warnings(State(self.system, values, self.t), step=self.step, steps=count, method=self.method)
        except PolhodeError as error:
            return error
        return PolhodeError(f"the tangent map of {self.method!r} is not finite after t = {self.t:g}")
