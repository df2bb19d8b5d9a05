"""`polhode export`: a result in the formats of other tools; `polhode schema`: what editors check scenarios by."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InvalidInputError
from .base import main, plainly

if TYPE_CHECKING:
    from ..simulation.trajectory import Trajectory

Options = dict[str, Any]
ANCHOR = ("epoch", "frame", "centre", "km", "seconds", "time-system")


def _csv(trajectory: Trajectory, out: Path, given: Options) -> list[Path]:
    from ..io.exchange.csv import write_csv

    write_csv(trajectory, out, given.get("field"))
    return [out]


def _zarr(trajectory: Trajectory, out: Path, given: Options) -> list[Path]:
    from ..io.zarr import write_zarr

    write_zarr(trajectory.to_xarray(), out)
    return [out]


def _anchor(given: Options) -> Any:
    from ..io.exchange.epoch_and_frame import Anchor

    return Anchor(**{name.replace("-", "_"): given[name] for name in ANCHOR if name in given})


def _kernels(**which: bool) -> Callable[[Trajectory, Path, Options], list[Path]]:
    def write(trajectory: Trajectory, out: Path, given: Options) -> list[Path]:
        from ..io.exchange.inertial_motion import motions
        from ..io.exchange.spice import write_spice

        number = {"id": given["id"]} if "id" in given else {}
        return write_spice(motions(trajectory, given.get("body")), out, _anchor(given), **number, **which)

    return write


def _message(kind: str) -> Callable[[Trajectory, Path, Options], list[Path]]:
    def write(trajectory: Trajectory, out: Path, given: Options) -> list[Path]:
        from ..io.exchange import ccsds
        from ..io.exchange.inertial_motion import motions

        writer = {"aem": ccsds.write_aem, "oem": ccsds.write_oem}[kind]
        writer(motions(trajectory, given.get("body")), out, _anchor(given))
        return [out]

    return write


def _meshes(kind: str) -> Callable[[Trajectory, Path, Options], list[Path]]:
    def write(trajectory: Trajectory, out: Path, given: Options) -> list[Path]:
        from ..view.scene.mesh_export import save_frames

        return save_frames(trajectory, out, kind, frames=given.get("frames"), body=given.get("body"))

    return write


SPICE = ("body", "id", *ANCHOR)
# format: what is added to the result's name, which options it takes, and its writer
FORMATS: dict[str, tuple[str, tuple[str, ...], Callable[[Trajectory, Path, Options], list[Path]]]] = {
    "csv": (".csv", ("field",), _csv),
    "zarr": (".zarr", (), _zarr),
    "spice": (".tm", SPICE, _kernels()),
    "ck": (".bc", SPICE, _kernels(position=False)),
    "spk": (".bsp", SPICE, _kernels(attitude=False)),
    "aem": (".aem", ("body", *ANCHOR), _message("aem")),
    "oem": (".oem", ("body", *ANCHOR), _message("oem")),
    "obj": ("-obj", ("body", "frames"), _meshes("obj")),
    "ply": ("-ply", ("body", "frames"), _meshes("ply")),
}


@main.command()
@plainly
def export(
    result: Annotated[Path, typer.Argument(metavar="RESULT", help="A result that polhode wrote.")],
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help=f"One of {', '.join(FORMATS)}.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Where to; a folder for obj and ply. Default: beside it."),
    ] = None,
    body: Annotated[int | None, typer.Option("--body", metavar="N", help="One body, from 1; default: all.")] = None,
    field: Annotated[
        list[str] | None, typer.Option("--field", metavar="NAME", help="csv: which field. Repeatable; default: all.")
    ] = None,
    frames: Annotated[
        str | None,
        typer.Option(
            "--frames", metavar="A:B:C", help="obj, ply: samples from A to before B, every C; default: 100 evenly."
        ),
    ] = None,
    epoch: Annotated[
        str | None, typer.Option("--epoch", metavar="DATE", help="The date of t = 0. Default: 2000-01-01T12:00:00.")
    ] = None,
    frame: Annotated[
        str | None, typer.Option("--frame", metavar="NAME", help="The inertial frame of the run. Default: J2000.")
    ] = None,
    centre: Annotated[
        str | None,
        typer.Option("--centre", metavar="NAME", help="The body at its origin. Default: ORIGIN, of its own."),
    ] = None,
    km: Annotated[
        float | None, typer.Option("--km", metavar="X", help="Kilometres in the run's unit of length. Default: 1.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="X", help="Seconds in the run's unit of time. Default: 1.")
    ] = None,
    time_system: Annotated[
        str | None, typer.Option("--time-system", metavar="NAME", help="Of dates in aem and oem. Default: TDB.")
    ] = None,
    id: Annotated[
        int | None, typer.Option("--id", metavar="N", help="SPICE's number of the origin; body 1 is one less.")
    ] = None,
) -> None:
    """Write a result in the format of another tool."""
    from ..io.scenario.validation import nearest
    from ..io.trajectory_file import load

    if to not in FORMATS:
        raise InvalidInputError("--to", to, f"one of {', '.join(FORMATS)}{nearest(to, FORMATS)}")
    suffix, takes, write = FORMATS[to]
    asked: Options = {"body": body, "field": field or None, "frames": frames, "id": id}
    asked |= dict(zip(ANCHOR, (epoch, frame, centre, km, seconds, time_system), strict=True))
    given = {name: value for name, value in asked.items() if value is not None}
    for name, value in given.items():
        if name not in takes:
            takers = ", ".join(kind for kind, (_, names, _) in FORMATS.items() if name in names)
            raise InvalidInputError(f"--{name}", value, f"this option only with {takers}")
    trajectory = load(result)
    paths = write(trajectory, out or result.with_name(result.stem + suffix), given)
    for path in paths if len(paths) < 10 else [paths[0], paths[-1]]:
        typer.echo(f"wrote {path}")
    if len(paths) >= 10:
        typer.echo(f"{len(paths)} files")


@main.command()
@plainly
def schema() -> None:
    """Print the JSON Schema of scenario files."""
    import json

    from ..io.scenario.json_schema import scenario_schema

    typer.echo(json.dumps(scenario_schema(), indent=2, ensure_ascii=False))
