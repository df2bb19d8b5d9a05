"""The result of a run: the motion, the conserved quantities and their drift."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from ..core.call_help import explain_methods, no_field
from ..core.checks import check_finite
from ..core.dates import Epoch
from ..core.extras import extra
from ..core.facade import above
from ..core.method import Method
from ..core.system import State, System
from ..core.units import Units
from ..errors import InvalidInputError, PolhodeError, RunWarning
from ..geometry.array_api import doubles
from .dense_output import states_at
from .records import Accuracy, Commands, Conservation, Labelled, Occurrence, Stats, labels
from .run_warnings import run_warnings
from .tangent_columns import TangentColumns

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure
    from scipy.spatial.transform import Rotation


Array = NDArray[np.float64]


@dataclass(frozen=True)
class Trajectory(Labelled):
    """Samples of a motion, time first: `traj.t`, and the system's fields by name, as in `traj.R`, `traj.omega`.

    `events` lists the events in order of time. `carry` is everything that the method carried at the last step, from which
    `resume` continues bit for bit; None where it cannot. `commands` is what a controller commanded. `noted` are warnings about
    samples that went to disk. `reached` is the time up to which a run at chosen times is done, as long as it is under way.
    """

    system: System
    method: Method
    step: float
    t: Array
    values: Mapping[str, Array]
    stats: Stats
    tangent: Array | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)
    save_every: int = 1
    events: tuple[Occurrence, ...] = ()
    carry: Array | None = None
    accuracy: Accuracy | None = None
    tangent_of: tuple[str, ...] = ()
    commands: Commands | None = None
    noted: Mapping[str, RunWarning] = field(default_factory=dict, repr=False, compare=False)
    reached: float | None = field(default=None, repr=False)

    def labelled(
        self, units: Units | Mapping[str, str] | None = None, epoch: Epoch | str | Mapping[str, str] | None = None
    ) -> Trajectory:
        """The same numbers with names for their units, or with an epoch; what is left out stays as it is.

        >>> import polhode as ph
        >>> traj = ph.simulate(ph.FreeRigidBody.example(), step=0.1, steps=10)
        >>> traj.labelled({"time": "s", "length": "m", "mass": "kg"}).to_xarray().omega.attrs["units"]
        'rad s-1'
        """
        return replace(self, provenance=labels(self.provenance, units, epoch))

    @property
    def tangent_columns(self) -> TangentColumns | None:
        """What the columns of `tangent` are derivatives by; None where there are none."""
        return None if self.tangent is None else TangentColumns.of(self.system, self.tangent_of or True)

    @property
    def tangent_names(self) -> tuple[str, ...]:
        """The names of the columns of `tangent`: entries of the first state, and parameters.

        >>> import polhode as ph
        >>> traj = ph.simulate(ph.PlanarPendulum.example(), step=0.1, steps=10, tangent=["state", "mass"])
        >>> traj.tangent_names, traj.tangent.shape
        (('z[0]', 'p[0]', 'mass'), (11, 2, 3))
        """
        columns = self.tangent_columns
        return () if columns is None else columns.names(self.system.representations[self.method.representation].layout)

    def __getattr__(self, name: str) -> Array:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self.system.fields:
            owner = f"a trajectory of {type(self.system).__name__}"
            raise AttributeError(no_field(owner, name, self.system.fields, self.system.conserved))
        return self.system.derive(name, self.values)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.system.fields]

    def __len__(self) -> int:
        return len(self.t)

    @overload
    def __getitem__(self, i: int) -> State: ...
    @overload
    def __getitem__(self, i: slice | Sequence[int] | NDArray[Any]) -> Trajectory: ...
    def __getitem__(self, i: Any) -> State | Trajectory:
        """Sample `i` as a state; for a slice, a list of numbers or a mask, the trajectory with those samples.

        >>> import polhode as ph
        >>> traj = ph.simulate(ph.FreeRigidBody.example(), step=0.1, steps=100)
        >>> traj[-1].t, len(traj[10:20]), len(traj[traj.t < 1.0]), [state.t for state in traj[::50]]
        (10.0, 10, 10, [0.0, 5.0, 10.0])
        """
        if isinstance(i, int | np.integer):
            if not -len(self) <= i < len(self):
                raise IndexError(f"sample {i} of a trajectory that has {len(self)}, 0 to {len(self) - 1}")
            return self.state(int(i))
        if isinstance(i, float | str | tuple):
            hint = f"; traj.at({i!r}) is the state at that time" if isinstance(i, float) else ""
            raise TypeError(f"traj[{i!r}]: samples are chosen by a number, a slice, a list of numbers or a mask{hint}")
        t = self.t[i]
        if t.ndim != 1 or not len(t):
            raise InvalidInputError("samples", i, f"a choice of at least one of the {len(self)} samples")
        if len(t) == len(self) and np.array_equal(t, self.t):
            return self
        values = {name: value[i] for name, value in self.values.items()}
        tangent = None if self.tangent is None else self.tangent[i]
        # `resume` needs the end itself
        return replace(self, t=t, values=values, tangent=tangent, carry=None, reached=None)

    def __iter__(self) -> Iterator[State]:
        return (self.state(i) for i in range(len(self)))

    def between(self, start: float | str | None = None, end: float | str | None = None) -> Trajectory:
        """The samples from time `start` to time `end`; from the first, or to the last, where these are left out. Where the
        run names its unit of time, they may be quantities such as "3 days"."""
        low, high = self._bound("start", start, -np.inf), self._bound("end", end, np.inf)
        within = (self.t >= low) & (self.t <= high)
        if not within.any():
            first, last = sorted((float(self.t[0]), float(self.t[-1])))
            span = f"[{low:g}, {high:g}]"
            raise InvalidInputError("times", span, f"a span with samples; the run is from {first:g} to {last:g}")
        return self[within]

    def __repr__(self) -> str:
        span = f"t = {self.t[0]:g} … {self.t[-1]:g} {self.units.time or ''}".rstrip()
        return f"Trajectory({type(self.system).__name__}, {self.method!r}, step={self.step:g}, {len(self)} samples, {span})"

    def _repr_html_(self) -> str:
        return above("trajectory_html")(self)

    def _bound(self, field: str, given: Any, none: float) -> float:
        """A time, or `none`, which may be said."""
        if given is None or (isinstance(given, float) and given == none):
            return none
        return float(check_finite(field, self._time(field, given), ()))

    def _time(self, field: str, given: Any) -> Any:
        """A time that may be a quantity."""
        return self.units.number(field, given, "time") if isinstance(given, str) else given

    def plot(self, figure: str | None = None, *, ax: Any = None) -> Figure:
        """A matplotlib figure by its name (`polhode.view.figures.catalogue.figures_for`), or the most informative one. With
        `ax` it is drawn into axes that you have: one `Axes`, or a list with as many as the figure has panels."""
        return above("plot")(self, figure, ax)

    def view(self, height: int = 480) -> Any:
        """The animated view, in a notebook; `polhode view` shows a saved run without a notebook."""
        return above("view")(self, height)

    def movie(self, path: str | PathLike[str], *, seconds: float | None = None) -> None:
        """Write a movie of the view: a GIF or an MP4 file, by the name of `path`, that lasts `seconds` (default: at most 20)."""
        above("save_movie")(self, path, seconds=seconds)

    def state(self, i: int) -> State:
        """Sample `i` as a state."""
        return State(self.system, {n: v[i] for n, v in self.values.items()}, float(self.t[i]))

    @overload
    def at(self, t: float | str) -> State: ...
    @overload
    def at(self, t: Sequence[float] | Array) -> Trajectory: ...
    def at(self, t: Any) -> State | Trajectory:
        """The state at any time of the run, or for a list of times a trajectory with the states at those. One time may be a
        quantity such as "3 days", where the run names its unit of time.

        The method continues from the last sample before `t`, with a shorter last step that ends there. The result is as
        accurate as the samples, on the manifold, and continuous.

        >>> import polhode as ph
        >>> start = ph.FreeRigidBody.example()
        >>> traj = ph.simulate(start, step=0.1, steps=100, save_every=10)
        >>> traj.at(3.14159).t, traj.at([0.25, 0.5]).omega.shape
        (3.14159, (2, 3))
        """
        t = self._time("t", t)
        try:
            times = np.array(doubles(t))
        except (TypeError, ValueError):
            raise InvalidInputError("t", t, "a time, or a list of times") from None
        low, high = sorted((float(self.t[0]), float(self.t[-1])))
        if times.ndim > 1 or not times.size or not np.all((times >= low) & (times <= high)):
            raise InvalidInputError("t", t, f"times from {low:g} to {high:g}, one or a list of them")
        rows = states_at(self, np.atleast_1d(times))
        found = Trajectory.of(
            self.system,
            self.method,
            rows,
            np.atleast_1d(times),
            step=self.step,
            stats=self.stats,
            provenance=self.provenance,
        )
        return found if times.ndim else found.state(0)

    @property
    def final(self) -> State:
        """The last state; another run may start from it."""
        return self.state(-1)

    def rotations(self, body: int | str = 0) -> Rotation:
        """The attitudes of a body, by its number from 0 or its name, as SciPy's rotations from body to inertial coordinates. A state also
        accepts such a rotation as its `R`.

        >>> import polhode as ph
        >>> start = ph.FreeRigidBody.example()
        >>> found = ph.simulate(start, step=0.1, steps=10).rotations()
        >>> len(found), start.system.state(R=found[-1]).R.shape
        (11, (3, 3))
        """
        return above("body_rotations")(self, body)

    def orbit(self, pair: tuple[int | str, int | str] = (0, 1)) -> xarray.Dataset:
        """Osculating elements, distance and libration angles of two bodies, by their numbers from 0 or their names (see `analysis.orbits`)."""
        return above("orbit_dataset")(self, pair)

    def invariants(self) -> dict[str, Array]:
        """The conserved quantities over time, by name."""
        return self.system.invariants(self.values)

    def sizes(self) -> dict[str, float]:
        """For each conserved quantity, the size that its errors are compared with: what the system says, or else its first
        value, of a vector its length. Zero where there is none: such errors are absolute."""
        return error_sizes(self.state(0))

    def deviations(self) -> dict[str, Array]:
        """For each conserved quantity, the largest deviation of any component from its first value, at each time, relative
        to its size (see `sizes`)."""
        sizes = self.sizes()
        return {name: _deviation(v) / (sizes[name] or 1.0) for name, v in self.invariants().items()}

    def drift(self, *, relative: bool = False) -> dict[str, float]:
        """For each conserved quantity, the largest deviation of any component from its first value, in its own units, or
        `relative` to its size (see `sizes`)."""
        if relative:
            return {name: float(v.max()) for name, v in self.deviations().items()}
        return {name: float(_deviation(v).max()) for name, v in self.invariants().items()}

    def conservation(self) -> list[Conservation]:
        """For each conserved quantity: first value, largest deviation, and slope of its least-squares line."""
        rows, sizes = [], self.sizes()
        for name, v in self.invariants().items():
            components = v.reshape(len(v), -1)
            deviation = components - components[0]
            i = int(np.argmax(np.max(np.abs(deviation), axis=0)))
            slope = float(np.polyfit(self.t - self.t[0], deviation[:, i], 1)[0]) if len(v) > 2 else 0.0
            # a vector is compared with its length: a component that happens to be zero does not give the scale
            first = float(components[0, 0]) if v.ndim == 1 else float(np.linalg.norm(components[0]))
            kind = self.system.conserved[name].kind
            rows.append(Conservation(name, kind, first, float(np.max(np.abs(deviation))), slope, sizes[name]))
        return rows

    @cached_property
    def warnings(self) -> tuple[RunWarning, ...]:
        """What in this run gives reason to look again, with advice: steps that are too long, a drifting energy, bodies too
        near for their gravity (see `polhode.simulation.run_warnings`). `simulate` issues each of them once."""
        return tuple((run_warnings(self) | dict(self.noted)).values())

    def to_pandas(self, *, dates: bool = False) -> pandas.DataFrame:
        """A table with a row per sample, indexed by time, and a column per number: `omega_0`, `R_2_1`, `energy`.

        With `dates`, of a run with an epoch, it is indexed by dates. `table.attrs["units"]` has the units, if the run does.

        >>> import polhode as ph
        >>> table = ph.simulate(ph.FreeRigidBody.example(), step=0.1, steps=10).to_pandas()
        >>> table.shape[0], [name for name in table if name.startswith("omega")]
        (11, ['omega_0', 'omega_1', 'omega_2'])
        """
        pandas = extra("pandas")
        named = {name: getattr(self, name) for name in self.system.fields} | self.invariants()
        columns = {
            "_".join([name, *map(str, index)]): np.asarray(values)[(slice(None), *index)]
            for name, values in named.items()
            for index in np.ndindex(np.shape(values)[1:])
        }
        table = pandas.DataFrame(columns, index=pandas.Index(self._dates() if dates else self.t, name="time"))
        if self.units:
            dimensions: dict[str, str | None] = {name: info.unit for name, info in self.system.fields.items()}
            dimensions |= {name: info.unit for name, info in self.system.conserved.items()}
            table.attrs["units"] = {"time": self.units.of("time")} | {
                name: None if unit is None else self.units.of(unit) for name, unit in dimensions.items()
            }
        return table

    def _dates(self) -> NDArray[np.datetime64]:
        """The dates of the samples, to nanoseconds."""
        seconds = self.units.size("time")
        if self.epoch is None or seconds is None:
            raise InvalidInputError("dates", True, problem="dates need an epoch and a unit of time: see `labelled`")
        return np.array([self.epoch.after(t * seconds) for t in self.t.tolist()], dtype="datetime64[ns]")

    def to_xarray(self) -> xarray.Dataset:
        """Every field and conserved quantity as a dataset, with units, conventions and provenance in its attributes.

        >>> import polhode as ph
        >>> start = ph.FreeRigidBody.example()
        >>> data = ph.simulate(start, step=0.1, steps=10).to_xarray()
        >>> [name for name in data if not name.startswith("invariant_")]
        ['R', 'q', 'omega', 'Pi', 'carry']
        >>> data.R.dims, data.attrs["polhode_values"]
        (('time', 'row', 'column'), '["R", "Pi"]')
        """
        return above("to_dataset")(self).to_xarray()

    def attributes(self) -> dict[str, Any]:
        """Provenance and conventions, as text and numbers that any file format can hold."""
        return above("attributes")(self)  # type: ignore[no-any-return]

    def save(self, path: str | PathLike[str]) -> None:
        """Write a NetCDF file, or a folder "NAME.zarr", that `polhode.load` reads back bit for bit."""
        above("save")(self, path)

    @classmethod
    def of(cls, system: System, method: Method, states: Array, t: Array, **rest: Any) -> Trajectory:
        """A trajectory from rows of flat arrays in the method's representation."""
        values = system.representations[method.representation].layout.unpack(states)
        for array in (t, *values.values()):
            array.setflags(write=False)
        if not np.isfinite(states).all():
            raise PolhodeError("the trajectory contains numbers that are not finite")
        return cls(system=system, method=method, t=t, values=values, **rest)


explain_methods(Trajectory, ("plot", "view", "movie", "between", "at", "save", "drift", "to_pandas", "to_xarray"))


def error_sizes(state: State) -> dict[str, float]:
    """What errors of the conserved quantities of a run from `state` are compared with; zero where there is nothing."""
    magnitudes = state.system.magnitudes(state)
    lengths = {name: float(np.linalg.norm(np.ravel(value))) for name, value in state.invariants().items()}
    return {name: float(magnitudes.get(name, length)) for name, length in lengths.items()}


def _deviation(values: Array) -> Array:
    """The largest deviation of any component from its first value, at each time."""
    components = values.reshape(len(values), -1)
    return np.asarray(np.max(np.abs(components - components[0]), axis=1))
