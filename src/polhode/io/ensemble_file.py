"""Result files of ensembles: NetCDF with a member dimension, written whole or not at all and read back bit for bit.

The parameters in which members differ are variables of the file, if they are numbers of one shape, and text otherwise; from
them and from those that all share each member's system is made again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._version import __version__
from ..core.facade import above
from ..core.method import known_methods
from ..core.system import State, System
from ..ensemble.blocks import Failure, MemberWarning
from ..ensemble.members import Members
from ..ensemble.result import Ensemble, named_views
from ..errors import InvalidInputError, PolhodeError
from ..systems.registry import known_systems
from .atomic_files import check_writable
from .dataset import Dataset, Variable
from .integrity import check_provenance
from .netcdf import check_seal, opened, read_netcdf, write_netcdf
from .trajectory_file import CONVENTIONS, time_attributes, unit_attribute
from .zarr import check_metadata, is_zarr

Array = NDArray[np.float64]

MEMBER, TIME = "member", "time"
HEADER, CHECKSUM = "polhode_ensemble", "polhode_checksum"
STATE, START, PARAMETER, INPUT, REDUCTION = "state", "initial_state", "parameter_", "input_", "reduction_"


class DescribedMembers(Members):
    """Members of a file: each one's system is made from the parameters that all share and from its `own`; none where all
    share one system."""

    def __init__(
        self,
        kind: type[System],
        common: Mapping[str, Any],
        own: Sequence[Mapping[str, Any]],
        initial: Array,
        t: float,
        form: str,
    ) -> None:
        self.kind, self.common, self.own, self.initial, self.t, self.form = kind, common, own, initial, t, form
        self._shared = None if own else kind(**common)

    def __len__(self) -> int:
        return len(self.initial)

    @property
    def system(self) -> System | None:
        return self._shared

    def state(self, i: int) -> State:
        if not np.all(np.isfinite(self.initial[i])):
            raise PolhodeError(f"member {i} has no initial state")
        system = self._shared or self.kind(**{**self.common, **self.own[i]})
        values = named_views(system.representations[self.form].layout, self.initial[i])
        return State(system, values, self.t)


class GivenSystemMembers(DescribedMembers):
    """Members of a file whose system was passed again."""

    def __init__(self, system: System, initial: Array, t: float, form: str) -> None:
        self.initial, self.t, self.form, self._shared = initial, t, form, system


def ensemble_dataset(ensemble: Ensemble) -> Dataset:
    """Every field and conserved quantity with the dimensions member and time, inputs as coordinates, and who failed."""
    system, units = ensemble.members.first.system, ensemble.units
    data: dict[str, Variable] = {}

    def add(name: str, dims: tuple[str, ...], array: Any, **attributes: str) -> None:
        axes = (f"{name}_{axis}" for axis in "ijklm"[: np.ndim(array) - len(dims)])
        data[name] = Variable((*dims, *axes), np.asarray(array), attributes)

    if not ensemble.failed.all():
        for name, info in system.fields.items():
            add(
                name,
                (MEMBER, TIME),
                getattr(ensemble, name),
                long_name=info.meaning,
                **unit_attribute(units, info.unit),
            )
        for name, array in ensemble.invariants().items():
            kept = system.conserved[name]
            unit = unit_attribute(units, kept.unit, "consistent")
            add(f"invariant_{name}", (MEMBER, TIME), array, long_name=kept.meaning, **unit)
        for name, array in ensemble.drift().items():
            add(f"drift_{name}", (MEMBER,), array, long_name=f"largest deviation of {name} from its initial value")
    for name, array in ensemble.reductions.items():
        add(f"{REDUCTION}{name}", (MEMBER,), array)
    add("failed", (MEMBER,), ensemble.failed.astype(np.int8), long_name="1 where the member failed")
    coordinates = {MEMBER: Variable((MEMBER,), np.arange(len(ensemble), dtype=np.int32))}
    coordinates[TIME] = Variable((TIME,), ensemble.t, time_attributes(ensemble))
    for name, values in ensemble.inputs.items():
        coordinates[INPUT + name] = Variable((MEMBER, *([f"{name}_i"] * (values.ndim - 1))), values)
    attributes = {"Conventions": "CF-1.10", "title": repr(ensemble), "source": f"polhode {__version__}"}
    return Dataset(data | coordinates, attributes | {"polhode_conventions": CONVENTIONS}, tuple(coordinates))


def save_ensemble(ensemble: Ensemble, path: str | PathLike[str]) -> None:
    """Write a NetCDF file that `Ensemble.load` reads back bit for bit."""
    check_writable(path)
    dataset = ensemble_dataset(ensemble)
    common, own, text = member_parameters(ensemble)
    method = ensemble.method
    header = {
        "version": __version__,
        "system": type(ensemble.members.first.system).__name__,
        "common": common,
        "text": text,
        "method": None if method is None else [type(method).__name__, method.options()],
        "form": ensemble.form,
        "step": ensemble.step,
        "start": ensemble.members.first.t,
        "failures": [[f.member, f.kind, f.message, f.t] for f in ensemble.failures],
        "warnings": [[w.member, w.kind, w.message] for w in ensemble.warnings],
        "provenance": dict(ensemble.provenance),
        "seconds": ensemble.seconds,
    }
    dataset.variables[STATE] = Variable((MEMBER, TIME, "entry"), ensemble.states)
    dataset.variables[START] = Variable((MEMBER, "entry"), ensemble.initial)
    for name, array in own.items():
        axes = (f"{PARAMETER}{name}_{a}" for a in "ijklm"[: array.ndim - 1])
        dataset.variables[PARAMETER + name] = Variable((MEMBER, *axes), array)
    try:
        dataset.attrs[HEADER] = json.dumps(header)
    except (TypeError, ValueError):
        raise InvalidInputError(
            "ensemble", ensemble, problem="a file can hold only text, numbers, lists and mappings"
        ) from None
    dataset.attrs[CHECKSUM] = _digest(dataset)
    write_netcdf(dataset, path)


def holds_ensemble(path: str | PathLike[str]) -> bool:
    """Whether a result is an ensemble, in a NetCDF file or as the Zarr folder of a store."""
    file = Path(path)
    try:
        if is_zarr(file):
            return f"{HEADER}_store" in check_metadata(file)
        if not file.is_file():
            return False
        check_seal(file)
        with opened(file) as content:
            return HEADER in content.ncattrs()
    except (OSError, RuntimeError, AttributeError, ValueError):  # damaged, or no such file: who reads it says so
        return False


def load_ensemble(path: str | PathLike[str], system: System | None = None) -> Ensemble:
    """Read what `save_ensemble` wrote."""
    file = Path(path)
    if is_zarr(file) and system is None:
        return above("ensemble_store")(file).load()  # type: ignore[no-any-return]
    if not file.is_file():
        raise InvalidInputError("path", str(path), problem="this file does not exist")
    dataset = read_netcdf(file)
    if HEADER not in dataset.attrs:
        raise InvalidInputError("path", str(path), problem="this file does not hold an ensemble of polhode")
    try:
        if dataset.attrs.get(CHECKSUM) != _digest(dataset):
            raise ValueError("the checksum is wrong: the file is incomplete, damaged, or was changed after the run")
        return validate_ensemble(_ensemble(dataset, json.loads(dataset.attrs[HEADER]), system))
    except PolhodeError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError, RecursionError) as error:
        raise InvalidInputError("path", str(path), problem=f"not a valid ensemble: {error}") from error


def _ensemble(dataset: Dataset, header: Mapping[str, Any], system: System | None) -> Ensemble:
    initial, form, t = dataset[START], header["form"], float(header["start"])
    kind = known_systems().get(header["system"])
    if kind is None and system is None:
        raise InvalidInputError("system", header["system"], f"one of {', '.join(known_systems())}")
    members: Members
    if system is not None:
        members = GivenSystemMembers(system, initial, t, form)
    else:
        assert kind is not None
        own = {name: values.tolist() for name, values in dataset.named(PARAMETER).items()} | header["text"]
        each = [dict(zip(own, values, strict=True)) for values in zip(*own.values(), strict=True)]
        members = DescribedMembers(kind, header["common"], each, initial, t, form)
    method = None
    if header["method"] is not None:
        name, options = header["method"]
        method = known_methods()[name](**options)
    return Ensemble(
        members=members,
        method=method,
        form=form,
        step=header["step"],
        t=dataset[TIME],
        states=dataset[STATE],
        initial=initial,
        failures=tuple(Failure(*row) for row in header["failures"]),
        warnings=tuple(MemberWarning(*row) for row in header.get("warnings", ())),
        reductions=dataset.named(REDUCTION),
        inputs=dataset.named(INPUT),
        provenance=header["provenance"],
        seconds=header["seconds"],
    )


def validate_ensemble(ensemble: Ensemble) -> Ensemble:
    """`ensemble`, or a `ValueError` that says what in it contradicts the rest."""
    t, initial, count = ensemble.t, ensemble.initial, len(ensemble.initial)
    if t.ndim != 1 or not t.size or not np.all(np.isfinite(t)):
        raise ValueError("the times are not finite numbers")
    known = np.isfinite(initial).all(axis=-1)
    size = ensemble.layout.size if known.any() else initial.shape[-1]
    if initial.shape != (count, size) or ensemble.states.shape != (count, t.size, size):
        raise ValueError(f"{count} members at {t.size} times have samples of the shape {ensemble.states.shape}")
    told = [failure.member for failure in ensemble.failures] + [warning.member for warning in ensemble.warnings]
    if any(type(member) is not int or not 0 <= member < count for member in told):
        raise ValueError("members have failed, or have a warning, that there are not")
    if not (known & np.isfinite(ensemble.states).all(axis=(1, 2)) | ensemble.failed).all():
        raise ValueError("numbers are missing, of members that did not fail")
    if any(len(values) != count for values in (*ensemble.inputs.values(), *ensemble.reductions.values())):
        raise ValueError("inputs or reductions are not of all members")
    own = getattr(ensemble.members, "own", ())
    if len(own) not in (0, count):
        raise ValueError("parameters are not those of all members")
    if ensemble.step is not None and not (float(ensemble.step) and np.isfinite(float(ensemble.step))):
        raise ValueError("the step is not a finite length of time")
    check_provenance(ensemble.provenance)
    return ensemble


def member_parameters(ensemble: Ensemble) -> tuple[dict[str, Any], dict[str, Array], dict[str, list[Any]]]:
    """The constructor's arguments that all members share, those in which they differ as arrays with the members first, and
    those that are not numbers of one shape, as lists."""
    shared = ensemble.members.system
    if shared is not None:
        return shared.describe(), {}, {}
    described = [system.describe() for system in ensemble.systems()]
    first, own, text = described[0], {}, {}
    for name in first:
        values = [each.get(name) for each in described]
        if all(value == values[0] for value in values[1:]):
            continue
        try:
            array = np.array(values, dtype=np.float64)
            exact = array.tolist() == values
        except (TypeError, ValueError):
            exact = False
        if exact:
            own[name] = array
        else:
            text[name] = values
    return {name: value for name, value in first.items() if name not in {*own, *text}}, own, text


def _digest(dataset: Dataset) -> str:
    """The SHA-256 of the header and of all numbers that an ensemble is read back from."""
    found = hashlib.sha256(str(dataset.attrs[HEADER]).encode())
    kept = (PARAMETER, INPUT, REDUCTION)
    for name in sorted(dataset.variables):
        if name in (STATE, START, TIME) or name.startswith(kept):
            array = np.ascontiguousarray(dataset[name], dtype="<f8")
            found.update(f"{name} {array.shape}".encode())
            found.update(array.data)
    return found.hexdigest()
