"""Trajectories as NetCDF files, or as Zarr folders: all that a run was, bit for bit.

A file holds what `Trajectory.to_xarray` shows: the time, every field of the system, the conserved quantities, the
tangent map if there is one, and in its attributes the units, the conventions, and how to make the run again.
`load` reads back the variables that the method carried (`polhode_values`); the others follow from them.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._version import __version__
from ..core.method import known_methods
from ..core.system import System
from ..errors import InvalidInputError, PolhodeError
from ..simulation.trajectory import Occurrence, Stats, Trajectory
from ..systems.registry import known_systems
from .atomic_files import check_writable, replacing
from .integrity import check_whole
from .zarr import is_zarr, read_zarr, write_zarr

if TYPE_CHECKING:
    import xarray

Array = NDArray[np.float64]

# Lossless; the checksum makes a damaged file an error instead of other numbers.
LOSSLESS = {"dtype": "f8", "_FillValue": None, "zlib": True, "complevel": 1, "shuffle": True, "fletcher32": True}


def save(trajectory: Trajectory, path: str | PathLike[str]) -> None:
    """Write `trajectory` to a NetCDF file, or to a Zarr folder if that is what the name ends in; `polhode.load` reads
    it back bit for bit.

    >>> import tempfile, polhode as ph
    >>> body = ph.FreeRigidBody(inertia=[1, 2, 3])
    >>> traj = ph.simulate(body.state(omega=[0.7, -0.6, 0.5]), step=0.1, steps=10)
    >>> file = Path(tempfile.mkdtemp()) / "run.nc"
    >>> save(traj, file)
    >>> bool((load(file).R == traj.R).all())
    True
    """
    if Path(path).suffix == ".zarr":
        write_zarr(to_dataset(trajectory), path)
        return
    check_writable(path)
    dataset = to_dataset(trajectory)
    encoding = {str(name): LOSSLESS for name in dataset.variables}
    with replacing(path) as beside:
        try:
            dataset.to_netcdf(beside, format="NETCDF4", engine="netcdf4", encoding=encoding)
        except RuntimeError as error:  # what the HDF5 library says, as when the disk is full
            raise PolhodeError(f"{path} could not be written: {error}") from error


def to_dataset(trajectory: Trajectory) -> xarray.Dataset:
    """Every field and conserved quantity as a dataset, with units, conventions and provenance in its attributes."""
    import xarray

    data: dict[str, Any] = {}

    def add(name: str, array: Array, **attributes: str) -> None:
        data[name] = (("time", *(f"{name}_{axis}" for axis in "ijk"[: array.ndim - 1])), array, attributes)

    with np.errstate(over="ignore", invalid="ignore"):  # the end of a run that failed may be too large to square
        for name, info in trajectory.system.fields.items():
            order = {"components": "x y z w"} if name == "q" else {}
            add(
                name,
                trajectory.system.derive(name, trajectory.values),
                long_name=info.meaning,
                units=info.unit or "1",
                **order,
            )
        for name, array in trajectory.invariants().items():
            add(f"invariant_{name}", array, long_name=trajectory.system.conserved[name].meaning, units="consistent")
    if trajectory.tangent is not None:
        add(
            "tangent",
            trajectory.tangent,
            long_name="tangent map from the first sample, in the left-trivialised tangent basis",
            units="consistent",
        )
    if trajectory.carry is not None:
        about = "what the method carried at the last step: a run goes on from it"
        data["carry"] = ("carried", trajectory.carry, {"long_name": about, "units": "consistent"})
    time = ("time", trajectory.t, {"long_name": "time", "units": "consistent", "axis": "T"})
    return xarray.Dataset(data, coords={"time": time}, attrs=attributes(trajectory))


def attributes(trajectory: Trajectory) -> dict[str, Any]:
    """Provenance and conventions, as text and numbers that any file format can hold."""

    def plain(field: str, value: Any) -> str:
        try:
            return json.dumps(value)
        except (TypeError, ValueError):
            raise InvalidInputError(field, value, "text, numbers, lists and mappings only") from None

    return {
        "Conventions": "CF-1.10",
        "title": f"{type(trajectory.system).__name__} by {trajectory.method!r}",
        "source": f"polhode {__version__}",
        "polhode_version": __version__,
        "polhode_system": type(trajectory.system).__name__,
        "polhode_parameters": plain("system", trajectory.system.describe()),
        "polhode_method": type(trajectory.method).__name__,
        "polhode_method_options": plain("method", trajectory.method.options()),
        "polhode_step": trajectory.step,
        "polhode_save_every": trajectory.save_every,
        "polhode_events": json.dumps([asdict(event) for event in trajectory.events]),
        "polhode_values": json.dumps(list(trajectory.values)),
        "polhode_stats": json.dumps(asdict(trajectory.stats)),
        "polhode_provenance": plain("provenance", dict(trajectory.provenance)),
        "polhode_conventions": (
            "R maps body to inertial coordinates; omega and Pi in the body frame; quaternions scalar last [x, y, z, w]; "
            "where a variable's long_name says otherwise, that holds; units are the user's own consistent set"
        ),
        "references": f"{trajectory.system.reference}; {trajectory.method.reference}",
    }


def load(path: str | PathLike[str], system: System | None = None) -> Trajectory:
    """Read a trajectory that `Trajectory.save` wrote.

    A file holds a function by its name only: a system with a torque, say, that is one has to be given anew.

    >>> load("nowhere.nc")
    Traceback (most recent call last):
    ...
    polhode.errors.InvalidInputError: path = 'nowhere.nc': expected a file that exists
    """
    dataset = _read(path)
    attributes = dataset.attrs
    if "polhode_system" not in attributes:
        raise InvalidInputError("path", str(path), "a trajectory that polhode wrote; this is some other file")
    try:
        said = {key.removeprefix("polhode_"): value for key, value in attributes.items()}
        return check_whole(_trajectory(dataset, said, system))
    except PolhodeError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        raise InvalidInputError(
            "path", str(path), f"a whole trajectory; in this file something is amiss: {error}"
        ) from error


def _trajectory(dataset: xarray.Dataset, said: dict[str, Any], system: System | None) -> Trajectory:
    """The trajectory of a file, from its variables and what its attributes say."""
    return Trajectory(
        system=_system(said["system"], said["parameters"], system),
        method=_rebuild("method", known_methods(), said["method"], said["method_options"]),
        step=float(said["step"]),
        t=_array(dataset, "time"),
        values={name: _array(dataset, name) for name in json.loads(said["values"])},
        stats=Stats(**json.loads(said["stats"])),
        tangent=_array(dataset, "tangent") if "tangent" in dataset else None,
        provenance=json.loads(said["provenance"]),
        save_every=int(said.get("save_every", 1)),
        events=tuple(Occurrence(**event) for event in json.loads(said.get("events", "[]"))),
        carry=_array(dataset, "carry") if "carry" in dataset else None,
    )


def _read(path: str | PathLike[str]) -> xarray.Dataset:
    """All of the file, in memory."""
    import xarray

    file = Path(path)
    if not file.exists():
        raise InvalidInputError("path", str(path), "a file that exists")
    if is_zarr(file):
        return read_zarr(file)
    if not file.is_file():
        raise InvalidInputError("path", str(path), "a file, but this is a folder")
    try:
        with xarray.open_dataset(file, engine="netcdf4", decode_cf=False) as dataset:
            return dataset.load()
    except PermissionError as error:
        raise InvalidInputError("path", str(path), "a file that may be read") from error
    except (OSError, RuntimeError, ValueError) as error:
        raise InvalidInputError("path", str(path), "a NetCDF file; this is none, or damaged or cut short") from error


def _array(dataset: xarray.Dataset, name: str) -> Array:
    array = dataset[name].to_numpy()
    array.flags.writeable = False
    return array


def _system(name: str, parameters: str, given: System | None) -> System:
    """The system of a file, or the one given in its place, if it is described alike."""
    if given is None:
        try:
            return _rebuild("system", known_systems(), name, parameters)
        except InvalidInputError as error:
            if error.field == "system":
                raise
            allowed = f"one that a file can hold; where it has functions give it anew, load(path, system=...) ({error})"
            raise InvalidInputError("system", name, allowed) from error
    said = {"system": name, **json.loads(parameters)}
    found = {"system": type(given).__name__, **json.loads(json.dumps(given.describe()))}
    for key in {**said, **found}:
        if said.get(key) != found.get(key):
            raise InvalidInputError("system", given, f"the system of the run, with {key} = {said.get(key)!r}")
    return given


def _rebuild(what: str, known: dict[str, Any], name: str, arguments: str) -> Any:
    """The system or method that the file names, from its arguments."""
    if name not in known:
        raise InvalidInputError(what, name, f"one that is known here: {', '.join(known)}")
    return known[name](**json.loads(arguments))
