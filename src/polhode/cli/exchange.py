"""`polhode export`: a result in the formats of other tools; `polhode schema`: the schema of scenarios, for editors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InvalidInputError
from .base import exit_on_error, main, say

if TYPE_CHECKING:
    from ..simulation.trajectory import Trajectory

Options = dict[str, Any]
REFERENCE = ("epoch", "frame", "centre", "km", "seconds", "time-system")


def _csv(trajectory: Trajectory, out: Path, given: Options) -> list[Path]:
    from ..io.exchange.csv import write_csv

    write_csv(trajectory, out, given.get("field"))
    return [out]


def _zarr(trajectory: Trajectory, out: Path, given: Options) -> list[Path]:
    from ..io.trajectory_file import to_dataset
    from ..io.zarr import write_zarr

    write_zarr(to_dataset(trajectory), out)
    return [out]


def _reference(trajectory: Trajectory, given: Options) -> Any:
    from ..io.exchange.epoch_and_frame import EpochAndFrame

    return EpochAndFrame.of(trajectory, **{name.replace("-", "_"): given[name] for name in REFERENCE if name in given})


def _body(trajectory: Trajectory, given: Options) -> int | None:
    """The number of the body to export, which is given by its number or its name."""
    text = given.get("body")
    if text is None:
        return None
    number = text.isdecimal() and text not in trajectory.system.body_labels
    return trajectory.system.body_number(int(text) if number else text, "--body")


def _kernels(**which: bool) -> Callable[[Trajectory, Path, Options], list[Path]]:
    def write(trajectory: Trajectory, out: Path, given: Options) -> list[Path]:
        from ..io.exchange.inertial_motion import motions
        from ..io.exchange.spice import write_spice

        number = {"id": given["id"]} if "id" in given else {}
        return write_spice(
            motions(trajectory, _body(trajectory, given)), out, _reference(trajectory, given), **number, **which
        )

    return write


def _message(kind: str) -> Callable[[Trajectory, Path, Options], list[Path]]:
    def write(trajectory: Trajectory, out: Path, given: Options) -> list[Path]:
        from ..io.exchange import ccsds
        from ..io.exchange.inertial_motion import motions

        writer = {"aem": ccsds.write_aem, "oem": ccsds.write_oem}[kind]
        writer(motions(trajectory, _body(trajectory, given)), out, _reference(trajectory, given))
        return [out]

    return write


def _meshes(kind: str) -> Callable[[Trajectory, Path, Options], list[Path]]:
    def write(trajectory: Trajectory, out: Path, given: Options) -> list[Path]:
        from ..view.scene.mesh_export import save_frames

        return save_frames(trajectory, out, kind, frames=given.get("frames"), body=_body(trajectory, given))

    return write


SPICE = ("body", "id", *REFERENCE)
# by format: the ending that replaces the result's suffix, the options it takes, and its writer
FORMATS: dict[str, tuple[str, tuple[str, ...], Callable[[Trajectory, Path, Options], list[Path]]]] = {
    "csv": (".csv", ("field",), _csv),
    "zarr": (".zarr", (), _zarr),
    "spice": (".tm", SPICE, _kernels()),
    "ck": (".bc", SPICE, _kernels(position=False)),
    "spk": (".bsp", SPICE, _kernels(attitude=False)),
    "aem": (".aem", ("body", *REFERENCE), _message("aem")),
    "oem": (".oem", ("body", *REFERENCE), _message("oem")),
    "obj": ("-obj", ("body", "frames"), _meshes("obj")),
    "ply": ("-ply", ("body", "frames"), _meshes("ply")),
}


OR_ELSE = "Default: the run's, or else"


def _option(flag: str, metavar: str, help: str) -> Any:
    return typer.Option(flag, metavar=metavar, help=help)


@main.command()
@exit_on_error
def export(
    result: Annotated[Path, typer.Argument(metavar="RESULT", help="A result that polhode wrote.")],
    to: Annotated[str, _option("--to", "FORMAT", f"One of {', '.join(FORMATS)}.")] = "",
    out: Annotated[
        Path | None,
        _option("--out", "FILE", "The file to write; a folder for obj and ply. Default: beside the result."),
    ] = None,
    body: Annotated[str | None, _option("--body", "N", "One body, by number from 0 or by name; default: all.")] = None,
    field: Annotated[
        list[str] | None, _option("--field", "NAME", "csv: a field to write. Repeatable; default: all.")
    ] = None,
    frames: Annotated[
        str | None,
        _option("--frames", "A:B:C", "obj, ply: every C-th sample from A to before B; default: 100, evenly spaced."),
    ] = None,
    epoch: Annotated[
        str | None, _option("--epoch", "DATE", f"The date of t = 0. {OR_ELSE} 2000-01-01T12:00:00.")
    ] = None,
    frame: Annotated[str | None, _option("--frame", "NAME", f"The inertial frame of the run. {OR_ELSE} J2000.")] = None,
    centre: Annotated[
        str | None, _option("--centre", "NAME", f"The body at its origin. {OR_ELSE} ORIGIN, a body of its own.")
    ] = None,
    km: Annotated[float | None, _option("--km", "X", f"The unit of length in kilometres. {OR_ELSE} 1.")] = None,
    seconds: Annotated[float | None, _option("--seconds", "X", f"The unit of time in seconds. {OR_ELSE} 1.")] = None,
    time_system: Annotated[
        str | None, _option("--time-system", "NAME", f"aem, oem: the time system of dates. {OR_ELSE} TDB.")
    ] = None,
    id: Annotated[int | None, _option("--id", "N", "SPICE's number of the origin; the first body is one less.")] = None,
) -> None:
    """Write a result in the format of another tool."""
    from ..io.scenario.validation import nearest
    from ..io.trajectory_file import load

    if to not in FORMATS:
        raise InvalidInputError("--to", to, f"one of {', '.join(FORMATS)}{nearest(to, FORMATS)}")
    suffix, takes, write = FORMATS[to]
    asked: Options = {"body": body, "field": field or None, "frames": frames, "id": id}
    asked |= dict(zip(REFERENCE, (epoch, frame, centre, km, seconds, time_system), strict=True))
    given = {name: value for name, value in asked.items() if value is not None}
    for name, value in given.items():
        if name not in takes:
            takers = ", ".join(kind for kind, (_, names, _) in FORMATS.items() if name in names)
            raise InvalidInputError(f"--{name}", value, problem=f"only {takers} take this option, not {to}")
    trajectory = load(result)
    paths = write(trajectory, out or result.with_name(result.stem + suffix), given)
    for path in paths if len(paths) < 10 else [paths[0], paths[-1]]:
        say(f"wrote {path}")
    if len(paths) >= 10:
        say(f"{len(paths)} files")


@main.command()
@exit_on_error
def schema() -> None:
    """Print the JSON Schema of scenario files."""
    import json

    from ..io.scenario.json_schema import scenario_schema

    say(json.dumps(scenario_schema(), indent=2, ensure_ascii=False))
