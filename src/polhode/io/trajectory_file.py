"""Result files: a trajectory is written to a NetCDF file or a Zarr folder and read back bit for bit.

A trajectory becomes a dataset (`to_dataset`): the time, every field of the system, the conserved quantities, the tangent
map if there is one, and in its attributes the units, the conventions, and all that is needed to repeat the run
(`Header`). `from_dataset` reads back the variables of the method's state (`Header.values`); the other fields follow from
them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._version import __version__
from ..core.method import known_methods
from ..core.system import System
from ..core.units import Units
from ..ensemble.result import Ensemble
from ..errors import InvalidInputError, PolhodeError
from ..simulation.records import Accuracy, Commands, Occurrence, Stats
from ..simulation.trajectory import Trajectory
from ..systems.inputs.limits import formulas_of_a_file
from ..systems.registry import known_systems
from .atomic_files import check_writable
from .dataset import Dataset, Variable
from .integrity import validate_trajectory
from .netcdf import read_netcdf, write_netcdf
from .zarr import is_zarr, read_zarr, write_zarr

Array = NDArray[np.float64]

# variables of the dataset that are not fields of the system
TIME, TANGENT, CARRY = "time", "tangent", "carry"
COMMAND, COMMAND_TIME = "command_", "command_time"
CF_TIMES = {
    1.0: "seconds",
    60.0: "minutes",
    3600.0: "hours",
    86400.0: "days",
    1e-3: "milliseconds",
    1e-6: "microseconds",
}
# names under which nobody looks for a NetCDF file, and what makes a file of that kind
PANDAS = "traj.to_pandas() gives a table that pandas can write"
OTHER_ENDINGS = {
    ".csv": "polhode.io.exchange.csv.write_csv and `polhode export --to csv` write tables",
    ".txt": "`polhode export --to csv` writes a table",
    **dict.fromkeys((".json", ".xlsx", ".parquet", ".pkl"), PANDAS),
    **dict.fromkeys((".mat", ".npz", ".npy"), "its fields are NumPy arrays, which SciPy and NumPy can write"),
}
# what reading a file raises whose attributes and arrays are not those of a trajectory
DAMAGED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
PREFIX = "polhode_"  # of the attributes that hold the header
OPTIONAL = ("tangent_of", "reached")  # fields that do not count for the checksum where they are empty
PLAIN = ("str", "int", "float")  # types of the header's fields that are not stored as JSON
CONVENTIONS = (
    "R maps body to inertial coordinates; omega and Pi in the body frame; quaternions scalar last [x, y, z, w]; "
    "where a variable's long_name says otherwise, that holds; units are the user's own consistent set"
)


@dataclass(frozen=True, kw_only=True)
class Header:
    """What the attributes of a result file hold: all of a trajectory except its arrays.

    Each field is one attribute with `polhode_` before its name: text and numbers as they are, all else as JSON. A field
    with a default may be missing in a file.
    """

    version: str = __version__
    system: str
    parameters: Mapping[str, Any]
    method: str
    method_options: Mapping[str, Any]
    step: float
    save_every: int = 1
    events: Sequence[Mapping[str, Any]] = ()
    accuracy: Mapping[str, Any] | None = None
    tangent_of: Sequence[str] = ()
    reached: float | None = None
    values: list[str]
    stats: Mapping[str, Any]
    provenance: Mapping[str, Any]
    conventions: str = CONVENTIONS
    checksum: str = ""

    @classmethod
    def of(cls, trajectory: Trajectory) -> Header:
        """The header of a trajectory."""
        system, method = trajectory.system, trajectory.method
        header = cls(
            system=type(system).__name__,
            parameters=system.describe(),
            method=type(method).__name__,
            method_options=method.options(),
            step=trajectory.step,
            save_every=trajectory.save_every,
            events=[event.describe() for event in trajectory.events],
            accuracy=None if trajectory.accuracy is None else asdict(trajectory.accuracy),
            tangent_of=list(trajectory.tangent_of),
            reached=trajectory.reached,
            values=list(trajectory.values),
            stats=asdict(trajectory.stats),
            provenance=dict(trajectory.provenance),
        )
        return replace(header, checksum=header.digest(trajectory))

    def digest(self, trajectory: Trajectory) -> str:
        """The SHA-256 of this header, except its checksum, and of every number of the trajectory."""
        arrays = {TIME: trajectory.t, **trajectory.values, TANGENT: trajectory.tangent, CARRY: trajectory.carry}
        return self.digest_of({name: None if a is None else (a.shape, [a]) for name, a in arrays.items()})

    def digest_of(self, arrays: Mapping[str, tuple[tuple[int, ...], Iterable[Array]] | None]) -> str:
        """The same, of arrays that are given by their shapes and parts one after another."""
        numbers = {"step": float(self.step), "save_every": int(self.save_every)}
        left_out = [*numbers, "checksum", *(name for name in OPTIONAL if not getattr(self, name))]
        others = [field.name for field in fields(self) if field.name not in left_out]
        plain = numbers | {name: _encode(name, getattr(self, name)) for name in others}
        found = hashlib.sha256(json.dumps(plain, sort_keys=True).encode())
        for name, array in arrays.items():
            found.update(f"{name} {None if array is None else array[0]}".encode())
            for part in () if array is None else array[1]:
                found.update(np.ascontiguousarray(part, dtype="<f8").data)
        return found.hexdigest()

    def to_attributes(self) -> dict[str, Any]:
        """The attributes of the file."""
        return {PREFIX + field.name: _encode(field.name, getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def from_attributes(cls, attributes: Mapping[str, Any]) -> Header:
        """The header that a file's attributes hold."""
        found = {}
        for field in fields(cls):
            if PREFIX + field.name in attributes:
                value = attributes[PREFIX + field.name]
                as_it_is = field.type in PLAIN or isinstance(value, float)
                found[field.name] = value if as_it_is else json.loads(value)
            elif field.default is MISSING:
                raise ValueError(f"the attribute {PREFIX}{field.name} is missing")
        return cls(**found)


def save(trajectory: Trajectory, path: str | PathLike[str]) -> None:
    """Write a Zarr folder if `path` ends in ".zarr", else a NetCDF file; `polhode.load` reads it back bit for bit.

    >>> import tempfile, polhode as ph
    >>> body = ph.FreeRigidBody(inertia=[1, 2, 3])
    >>> traj = ph.simulate(body.state(omega=[0.7, -0.6, 0.5]), step=0.1, steps=10)
    >>> file = Path(tempfile.mkdtemp()) / "run.nc"
    >>> save(traj, file)
    >>> bool((load(file).R == traj.R).all())
    True
    """
    ending = Path(path).suffix.lower()
    if ending in OTHER_ENDINGS:
        problem = f"a result is a NetCDF file (.nc) or a Zarr folder (.zarr): {OTHER_ENDINGS[ending]}"
        raise InvalidInputError("path", str(path), problem=problem)
    if ending == ".zarr":
        write_zarr(to_dataset(trajectory), path)
    else:
        check_writable(path)
        write_netcdf(to_dataset(trajectory), path)


def load(path: str | PathLike[str], system: System | None = None) -> Trajectory:
    """Read a trajectory that `Trajectory.save` wrote.

    A file holds a Python function only by its name: a system with functions, such as a torque, has to be passed again.

    >>> load("nowhere.nc")
    Traceback (most recent call last):
    ...
    polhode.errors.InvalidInputError: path = 'nowhere.nc': this file does not exist
    """
    file = Path(path)
    try:
        there = file.exists()
    except OSError as error:  # the name is too long
        raise InvalidInputError("path", str(path), problem=str(error.strerror)) from None
    if not there:
        from .scenario.examples import example_scenarios

        example = f"; `polhode run {path}` makes a result of this example" if str(path) in example_scenarios() else ""
        raise InvalidInputError("path", str(path), problem=f"this file does not exist{example}")
    if file.suffix == ".toml":
        raise InvalidInputError("path", str(path), problem="this is a scenario: `polhode run` makes a result of it")
    if file.is_dir() and not is_zarr(file):
        raise InvalidInputError("path", str(path), problem="this is a folder, not a result file")
    dataset = read_zarr(file) if is_zarr(file) else read_netcdf(file)
    if PREFIX + "ensemble" in dataset.attrs:
        raise InvalidInputError(
            "path",
            str(path),
            problem="this file holds an ensemble: Ensemble.load, `polhode info` and `polhode plot` read it",
        )
    if PREFIX + "system" not in dataset.attrs:
        raise InvalidInputError("path", str(path), problem="this file does not hold a trajectory of polhode")
    try:
        return read_segment(dataset, system, validate_trajectory)
    except PolhodeError:
        raise
    except DAMAGED as error:
        raise InvalidInputError("path", str(path), problem=f"not a valid trajectory: {error}") from error


def read_segment(
    dataset: Dataset, system: System | None = None, validate: Callable[[Trajectory], object] = lambda _: None
) -> Trajectory:
    """The trajectory in a dataset, or a part of one, if it is valid and its checksum is right."""
    header = Header.from_attributes(dataset.attrs)
    trajectory = _trajectory(header, dataset, system)
    validate(trajectory)
    if header.checksum != header.digest(trajectory):
        raise ValueError("the checksum is wrong: the file is incomplete, damaged, or was changed after the run")
    return trajectory


def to_dataset(trajectory: Trajectory) -> Dataset:
    """Every field and conserved quantity as a dataset, with units, conventions and provenance in its attributes."""
    data: dict[str, Variable] = {}
    units = trajectory.units

    def add(name: str, array: Array, **attributes: str) -> None:
        data[name] = Variable((TIME, *_dimensions(trajectory.system, name, array.shape[1:])), array, attributes)

    with np.errstate(over="ignore", invalid="ignore"):  # the end of a failed run may be too large to square
        for name, info in trajectory.system.fields.items():
            array = trajectory.system.derive(name, trajectory.values)
            order = {"components": "x y z w"} if name == "q" else {}
            add(name, array, long_name=info.meaning, **unit_attribute(units, info.unit), **order)
        for name, array in trajectory.invariants().items():
            kept = trajectory.system.conserved[name]
            add(f"invariant_{name}", array, long_name=kept.meaning, **unit_attribute(units, kept.unit, "consistent"))
    if trajectory.tangent is not None:
        meaning = "tangent map from the first sample, in the left-trivialised tangent basis"
        add(TANGENT, trajectory.tangent, long_name=meaning, **unit_attribute(units, None))
    if trajectory.carry is not None:
        meaning = "what the method carried at the last step: a run continues from it"
        data[CARRY] = Variable(("carried",), trajectory.carry, {"long_name": meaning, **unit_attribute(units, None)})
    if trajectory.commands is not None:
        remarks = {"long_name": "times of commands", **time_attributes(trajectory)}
        data[COMMAND_TIME] = Variable((COMMAND_TIME,), trajectory.commands.t, remarks)
        for name, array in trajectory.commands.values.items():
            remarks = {"long_name": f"what a controller set {name} to", **unit_attribute(units, None)}
            data[f"{COMMAND}{name}"] = Variable((COMMAND_TIME, f"{name}_i")[: array.ndim], array, remarks)
    data[TIME] = Variable((TIME,), trajectory.t, {"long_name": "time", **time_attributes(trajectory), "axis": "T"})
    coordinates = tuple(name for name in (TIME, COMMAND_TIME) if name in data)
    return Dataset(data, attributes(trajectory), coordinates)


def unit_attribute(units: Units, dimension: str | None, unnamed: str | None = None) -> dict[str, str]:
    """The attribute `units` of a variable: UDUNITS where the run names its units, else its dimension, or `unnamed`. A variable
    of mixed dimensions has none."""
    if not units:
        return {"units": unnamed or ("consistent" if dimension is None else dimension or "1")}
    found = None if dimension is None else units.of(dimension)
    return {} if found is None else {"units": found}


def time_attributes(trajectory: Trajectory | Ensemble) -> dict[str, str]:
    """The attributes of times: with an epoch, those of the CF conventions, so that other tools show dates."""
    units, epoch = trajectory.units, trajectory.epoch
    word = CF_TIMES.get(units.size("time") or 0.0)
    if epoch is None or word is None:
        return unit_attribute(units, "time", "consistent")
    since = epoch.after(0)[:26].replace("T", " ")  # to microseconds, which all readers of dates understand
    named = {"standard_name": "time", "calendar": "proleptic_gregorian", "time_system": epoch.time_system}
    return {"units": f"{word} since {since}", **named}


def _dimensions(system: System, name: str, shape: tuple[int, ...]) -> list[str]:
    """The names of the dimensions of a field after time: vectors and rotations share theirs, so that datasets can be
    computed with; of everything else each field has its own."""
    own = [f"{name}_{axis}" for axis in "ijk"[: len(shape)]]
    rotation = system.fields["R"].shape if "R" in system.fields else ()
    bodies = ["body"] if len(rotation) == 3 else []
    if shape == (3,) and name != TANGENT:
        return ["xyz"]
    if rotation[-1:] != (3,):
        return own
    if len(shape) == len(rotation) - 1 and shape[-1] == 3:
        return [*bodies, "xyz"]
    return [*bodies, "row", "column"] if len(shape) == len(rotation) and shape[-2:] == (3, 3) else own


def from_dataset(dataset: Dataset, system: System | None = None) -> Trajectory:
    """The trajectory of a dataset that `to_dataset` made; its numbers are not validated here."""
    return _trajectory(Header.from_attributes(dataset.attrs), dataset, system)


def _trajectory(header: Header, dataset: Dataset, system: System | None) -> Trajectory:
    system = _rebuild_system(header) if system is None else _check_same_system(header, system)
    return Trajectory(
        system=system,
        method=_rebuild("method", known_methods(), header.method, header.method_options),
        step=float(header.step),
        t=_array(dataset, TIME),
        values={name: _array(dataset, name) for name in header.values},
        stats=Stats(**header.stats),
        tangent=_array(dataset, TANGENT) if TANGENT in dataset else None,
        provenance=header.provenance,
        save_every=int(header.save_every),
        events=tuple(Occurrence.described(system, event) for event in header.events),
        carry=_array(dataset, CARRY) if CARRY in dataset else None,
        accuracy=None if header.accuracy is None else Accuracy(**header.accuracy),
        tangent_of=tuple(header.tangent_of),
        reached=None if header.reached is None else float(header.reached),
        commands=_commands(dataset),
    )


def _commands(dataset: Dataset) -> Commands | None:
    """What a controller commanded, if the file holds it."""
    if COMMAND_TIME not in dataset:
        return None
    names = [name for name in dataset.variables if name.startswith(COMMAND) and name != COMMAND_TIME]
    values = {name.removeprefix(COMMAND): _array(dataset, name) for name in names}
    return Commands(_array(dataset, COMMAND_TIME), values)


def attributes(trajectory: Trajectory) -> dict[str, Any]:
    """Provenance and conventions, as text and numbers that any file format can hold."""
    return {
        "Conventions": "CF-1.10",
        "title": f"{type(trajectory.system).__name__} by {trajectory.method!r}",
        "source": f"polhode {__version__}",
        **Header.of(trajectory).to_attributes(),
        "references": f"{trajectory.system.reference}; {trajectory.method.reference}",
    }


def _encode(name: str, value: Any) -> Any:
    if isinstance(value, (str, int, float)):
        return value
    try:
        return json.dumps(value)
    except (TypeError, ValueError):
        problem = "a file can hold only text, numbers, lists and mappings"
        raise InvalidInputError(name, value, problem=problem) from None


def _array(dataset: Dataset, name: str) -> Array:
    array = dataset[name]
    array.flags.writeable = False
    return array


def _rebuild_system(header: Header) -> System:
    try:
        with formulas_of_a_file():
            system: System = _rebuild("system", known_systems(), header.system, header.parameters)
    except InvalidInputError as error:
        if error.field == "system":
            raise
        problem = f"cannot be rebuilt from the file ({error}); if it has functions, use load(path, system=...)"
        raise InvalidInputError("system", header.system, problem=problem) from error
    return system


def _rebuild(field: str, known: Mapping[str, Any], name: str, arguments: Mapping[str, Any]) -> Any:
    """The system or method that a file names, made from its arguments."""
    if name not in known:
        raise InvalidInputError(field, name, f"one of {', '.join(known)}")
    return known[name](**arguments)


def _check_same_system(header: Header, system: System) -> System:
    """`system`, if it has the same description as that of the file."""
    stored = {"system": header.system, **header.parameters}
    given = {"system": type(system).__name__, **json.loads(json.dumps(system.describe()))}
    for key in {**stored, **given}:
        if stored.get(key) != given.get(key):
            raise InvalidInputError("system", system, f"the system of the run, with {key} = {stored.get(key)!r}")
    return system
