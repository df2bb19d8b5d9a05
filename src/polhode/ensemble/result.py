"""The result of an ensemble: the motion of all its members, with an axis for the members in front."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.facade import above
from ..core.layout import Layout
from ..core.method import Method
from ..core.system import State, System
from ..errors import InvalidInputError, PolhodeError
from ..simulation.records import Labelled, Stats
from ..simulation.trajectory import Trajectory
from .blocks import Failure, MemberWarning
from .members import Members

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Ensemble(Labelled):
    """Samples of many motions: `ens.t`, and the fields of the system by name, `ens.R` being member × time × 3 × 3.

    Members that failed are NaN from there on; `failures` says why. `warnings` are reasons to look at members again, from
    their samples and the first states. `inputs` are the numbers in which members differ, by
    name, where they are known; `reductions` what the functions of `reduce` returned. `method` is None where each member
    has chosen its own, to a tolerance.
    """

    members: Members
    method: Method | None
    form: str
    step: float | None
    t: Array
    states: Array
    initial: Array
    failures: tuple[Failure, ...] = ()
    warnings: tuple[MemberWarning, ...] = ()
    reductions: Mapping[str, Array] = field(default_factory=dict)
    inputs: Mapping[str, Array] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0

    def __len__(self) -> int:
        return len(self.states)

    def __repr__(self) -> str:
        name, failed = type(self.members.first.system).__name__, len(self.failures)
        span = f"t = {self.t[0]:g}" if len(self.t) == 1 else f"t = {self.t[0]:g} … {self.t[-1]:g}"
        how = "method chosen by each" if self.method is None else repr(self.method)
        return f"Ensemble({name}, {len(self)} members, {failed} failed, {how}, {len(self.t)} samples, {span})"

    def __getattr__(self, name: str) -> Array:
        if name.startswith("_"):
            raise AttributeError(name)
        system = self.members.first.system
        if name not in system.fields:
            known = ", ".join(system.fields)
            raise AttributeError(f"an ensemble of {type(system).__name__} has no {name!r}; its fields are {known}")
        return self._evaluate(lambda one, values: {name: one.derive(name, values)}, self.states)[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.members.first.system.fields]

    @property
    def layout(self) -> Layout:
        """The variables that the states are made of."""
        return self.members.first.system.representations[self.form].layout

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Which members failed."""
        mask = np.zeros(len(self), dtype=bool)
        mask[[failure.member for failure in self.failures]] = True
        return mask

    @property
    def values(self) -> dict[str, Array]:
        """The variables of the state, by name: views of `states`."""
        return named_views(self.layout, self.states)

    @property
    def final(self) -> State | list[State]:
        """The last states: one state with arrays where all members share their system, else a list. Another ensemble may
        start from it."""
        return self._states(self.states[:, -1], float(self.t[-1]))

    @property
    def start(self) -> State | list[State]:
        """The initial states, as `final`."""
        return self._states(self.initial, self.members.first.t)

    def _states(self, rows: Array, t: float) -> State | list[State]:
        values = named_views(self.layout, rows)
        shared = self.members.system
        if shared is not None:
            return State(shared, values, t)
        return [State(system, {n: v[i] for n, v in values.items()}, t) for i, system in enumerate(self.systems())]

    def systems(self) -> Iterator[System]:
        """The system of each member; where a member has none, that of another one stands in."""
        shared = self.members.system
        for i in range(len(self)):
            if shared is not None:
                yield shared
                continue
            try:
                yield self.members.state(i).system
            except Exception:  # the user's function makes no state for this number: the member has failed
                yield self.members.first.system

    def __getitem__(self, i: int) -> Trajectory:
        """The samples of member `i` as a trajectory; raises its error if it failed."""
        if isinstance(i, bool) or not isinstance(i, (int, np.integer)) or not -len(self) <= i < len(self):
            raise IndexError(f"member {i!r} of {len(self)}")
        i = int(i) % len(self)
        for failure in self.failures:
            if failure.member == i:
                raise PolhodeError(str(failure))
        if self.method is None:
            raise PolhodeError("each member has chosen its own method and step: take its samples from the arrays")
        system = self.members.state(i).system
        stats = Stats(round((self.t[-1] - self.members.first.t) / (self.step or np.inf)), 0.0, 0, 0.0, 0, 0.0)
        rest: dict[str, Any] = {"step": self.step or 1.0, "stats": stats, "provenance": dict(self.provenance)}
        return Trajectory.of(system, self.method, self.states[i], self.t.copy(), **rest)

    def invariants(self) -> dict[str, Array]:
        """The conserved quantities, (member, time, …), by name."""
        return self._evaluate(lambda system, values: system.invariants(values), self.states)

    def drift(self) -> dict[str, Array]:
        """For each conserved quantity, how far any component is from its initial value at most, (member,)."""
        first = self._evaluate(lambda system, values: system.invariants(values), self.initial[:, None])
        found = {}
        for name, array in self.invariants().items():
            deviation = np.abs(array - first[name]).reshape(len(self), -1)
            found[name] = np.max(deviation, axis=1)
        return found

    def _evaluate(
        self, function: Callable[[System, dict[str, Array]], dict[str, Array]], states: Array
    ) -> dict[str, Array]:
        """`function(system, values)` of rows (member, time, size), NaN where they are."""
        finite: Any = np.isfinite(states).all(axis=-1)
        if not finite.any():
            raise PolhodeError("no member of the ensemble has a valid sample")
        shared, layout = self.members.system, self.layout
        parts: list[tuple[Any, dict[str, Array]]] = []
        if shared is not None and finite.all():  # what is stored is not copied: there may be a million members
            whole = function(shared, named_views(layout, states.reshape(-1, layout.size)))
            return {name: array.reshape(finite.shape + array.shape[1:]) for name, array in whole.items()}
        if shared is not None:
            parts.append((finite, function(shared, named_views(layout, states[finite]))))
        else:
            for i, system in enumerate(self.systems()):
                if finite[i].any():
                    parts.append(((i, finite[i]), function(system, named_views(layout, states[i, finite[i]]))))
        found = {}
        for name, example in parts[0][1].items():
            array = np.full(finite.shape + np.shape(example)[1:], np.nan)
            for place, values in parts:
                array[place] = values[name]
            found[name] = array
        return found

    def quantiles(self, field: str, levels: Any = (0.05, 0.25, 0.5, 0.75, 0.95)) -> Array:
        """Quantiles over the members that did not fail, (level, time, …), of a field."""
        fields, good, wanted = self.members.first.system.fields, ~self.failed, np.asarray(levels)
        if not isinstance(field, str) or field not in fields:
            raise InvalidInputError("field", field, f"one of {', '.join(fields)}")
        if wanted.dtype.kind not in "fiu" or not np.all((wanted >= 0.0) & (wanted <= 1.0)):
            raise InvalidInputError("levels", levels, "numbers from 0 to 1")
        if not good.any():
            raise PolhodeError("all members of the ensemble failed")
        return np.asarray(np.quantile(getattr(self, field)[good], wanted, axis=0))

    def input(self, name: str) -> Array:
        """The numbers in which members differ, by name."""
        if not isinstance(name, str) or name not in self.inputs:
            raise InvalidInputError("input", name, f"one of {', '.join(self.inputs) or 'none: no inputs are known'}")
        return self.inputs[name]

    def to_xarray(self) -> xarray.Dataset:
        """Every field and conserved quantity as a dataset with the dimensions member, time, and those of the field.

        >>> import polhode as ph
        >>> body = ph.FreeRigidBody([1, 2, 3])
        >>> ens = ph.ensemble([body.state(omega=[1, 0, 0.1 * i]) for i in range(4)], step=0.1, steps=10, save=5)
        >>> ens.to_xarray().R.dims, ens.to_xarray().R.shape
        (('member', 'time', 'R_i', 'R_j'), (4, 3, 3, 3))
        """
        return above("ensemble_dataset")(self).to_xarray()

    def plot(self, figure: str = "fan", **options: Any) -> Figure:
        """A matplotlib figure: "fan" (quantiles over time), "histogram" (of final values) or "map" (over two inputs)."""
        return above("plot_ensemble")(self, figure, **options)

    def save(self, path: str | PathLike[str]) -> None:
        """Write a NetCDF file that `Ensemble.load` reads back bit for bit."""
        above("save_ensemble")(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str], system: System | None = None) -> Ensemble:
        """Read what `save` wrote. A file cannot hold functions: if the members' system has any, give `system`."""
        return above("load_ensemble")(path, system)  # type: ignore[no-any-return]


def named_views(layout: Layout, rows: Array) -> dict[str, Array]:
    """The variables in flat rows (..., size), as views."""
    lead = rows.shape[:-1]
    return {v.name: rows[..., layout.slices[v.name]].reshape(lead + v.manifold.shape) for v in layout.variables}
