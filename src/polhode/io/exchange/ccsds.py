"""CCSDS messages as text: attitudes (AEM, 504.0-B-2) and orbits (OEM, 502.0-B-3), written and read.

A message holds one segment per body. Numbers have 17 significant digits, which is every bit of a double, and dates twelve
decimals. An attitude is the quaternion Q1 Q2 Q3 QC, scalar last, of the rotation from REF_FRAME_A, the inertial frame,
to REF_FRAME_B, the body: `v_B = M(Q) v_A` with `M = Rᵀ`; that is polhode's `q`, unchanged. Angular
velocities are in the body frame, in degrees per second; positions in kilometres.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from ..._version import __version__
from ...core.checks import check_ends
from ...core.dates import seconds_past_j2000
from ...errors import InvalidInputError, PolhodeError
from ...geometry import quaternion
from ..atomic_files import replacing
from .epoch_and_frame import DEFAULT, EpochAndFrame
from .inertial_motion import Motion

Array = NDArray[np.float64]

FRAMES = {"J2000": "EME2000"}  # the names of one frame in SPICE and in CCSDS
BODY_FRAME = "SC_BODY_1"
DEGREE = np.pi / 180.0

# columns of the attitude types that can be read
ATTITUDE_COLUMNS = {"QUATERNION": 4, "QUATERNION/ANGVEL": 7}
NEEDED = {
    "AEM": ("OBJECT_NAME", "REF_FRAME_A", "REF_FRAME_B", "TIME_SYSTEM", "START_TIME", "STOP_TIME", "ATTITUDE_TYPE"),
    "OEM": ("OBJECT_NAME", "CENTER_NAME", "REF_FRAME", "TIME_SYSTEM", "START_TIME", "STOP_TIME"),
}
VERSIONS = {"AEM": ("1.0", "2.0"), "OEM": ("1.0", "2.0", "3.0")}


def write_aem(motions: Sequence[Motion], path: str | PathLike[str], reference: EpochAndFrame = DEFAULT) -> None:
    """Write the attitudes and angular velocities of bodies."""
    blocks = []
    for motion in motions:
        q, omega = motion.q, motion.need_rates() / (reference.seconds * DEGREE)
        metadata = {
            "OBJECT_NAME": motion.ascii_name,
            "OBJECT_ID": motion.ascii_name,
            "CENTER_NAME": reference.centre,
            "REF_FRAME_A": FRAMES.get(reference.frame, reference.frame),
            "REF_FRAME_B": BODY_FRAME,
            **_span(motion, reference),
            "ATTITUDE_TYPE": "QUATERNION/ANGVEL",
            "ANGVEL_FRAME": BODY_FRAME,
        }
        lines = _rows(motion, reference, np.hstack([q, omega]))
        blocks.append(f"{_block(metadata)}DATA_START\n{lines}DATA_STOP\n")
    _write(path, "AEM", "2.0", blocks)


def write_oem(motions: Sequence[Motion], path: str | PathLike[str], reference: EpochAndFrame = DEFAULT) -> None:
    """Write the positions and velocities of bodies."""
    blocks = []
    for motion in motions:
        x, v = motion.need_position()
        metadata = {
            "OBJECT_NAME": motion.ascii_name,
            "OBJECT_ID": motion.ascii_name,
            "CENTER_NAME": reference.centre,
            "REF_FRAME": FRAMES.get(reference.frame, reference.frame),
            **_span(motion, reference),
        }
        if len(motion) >= 2:
            degree = 2 * min(len(motion), 4) - 1
            metadata |= {"INTERPOLATION": "HERMITE", "INTERPOLATION_DEGREE": str(degree)}
        data = np.hstack([x * reference.km, v * (reference.km / reference.seconds)])
        blocks.append(f"{_block(metadata)}{_rows(motion, reference, data)}")
    _write(path, "OEM", "2.0", blocks)


def read_ccsds(path: str | PathLike[str], reference: EpochAndFrame = DEFAULT) -> list[Motion]:
    """The motions in an AEM or OEM file, in the units and from the epoch of `reference`, with the file's metadata.

    Attitudes must be quaternions, with or without angular velocities, in either version of the standard.
    """
    try:
        text = check_ends("path", path).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not plain text"
        raise InvalidInputError("path", str(path), problem=f"not a readable CCSDS message ({reason})") from error
    lines = [(i, line.strip()) for i, line in enumerate(text.splitlines(), 1)]
    lines = [(i, line) for i, line in lines if line and line.split()[0] != "COMMENT"]
    reader = _Reader(str(path), iter(lines))
    kind = reader.kind()
    try:
        found = [_motion(kind, segment, reference) for segment in reader.segments(kind)]
    except InvalidInputError as error:
        if error.field.startswith(str(path)):
            raise
        raise InvalidInputError("path", str(path), problem=f"not a valid message: {error}") from error
    if not found:
        raise InvalidInputError("path", str(path), f"an {kind} with at least one segment")
    return found


@dataclass(frozen=True)
class _Segment:
    metadata: dict[str, str]
    dates: list[str]
    data: Array


@dataclass(frozen=True)
class _Reader:
    """Reads a message line by line; every error names the line."""

    path: str
    lines: Iterator[tuple[int, str]]

    def error(self, line: int, text: str, allowed: str) -> InvalidInputError:
        return InvalidInputError(f"{self.path}, line {line}", text, allowed)

    def kind(self) -> str:
        line, text = next(self.lines, (1, ""))
        key, value = self.pair(line, text)
        kind = key.removeprefix("CCSDS_").removesuffix("_VERS")
        if kind not in VERSIONS or value not in VERSIONS[kind]:
            raise self.error(line, text, "CCSDS_AEM_VERS = 2.0 or CCSDS_OEM_VERS = 2.0")
        return kind

    def pair(self, line: int, text: str) -> tuple[str, str]:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not value:
            raise self.error(line, text, "KEYWORD = value")
        return key, value.rsplit(" [", 1)[0]

    def segments(self, kind: str) -> Iterator[_Segment]:
        for line, text in self.lines:
            if text == "META_START":
                break
            self.pair(line, text)  # the rest of the header
        else:
            return
        more = True
        while more:
            metadata = self.metadata(kind)
            columns = 6 if kind == "OEM" else ATTITUDE_COLUMNS[metadata["ATTITUDE_TYPE"]]
            rows, more = self.rows(columns)
            yield _Segment(metadata, [row[0] for row in rows], np.array([row[1:] for row in rows], dtype=np.float64))

    def metadata(self, kind: str) -> dict[str, str]:
        found: dict[str, str] = {}
        line = 0
        for line, text in self.lines:
            if text == "META_STOP":
                break
            key, value = self.pair(line, text)
            found[key] = value
        else:
            raise self.error(line, "end of file", "META_STOP")
        for key in NEEDED[kind]:
            if key not in found:
                raise self.error(line, "META_STOP", f"{key} before META_STOP")
        if kind == "AEM" and found["ATTITUDE_TYPE"] not in ATTITUDE_COLUMNS:
            raise self.error(line, f"ATTITUDE_TYPE = {found['ATTITUDE_TYPE']}", f"one of {', '.join(ATTITUDE_COLUMNS)}")
        return found

    def rows(self, columns: int) -> tuple[list[list[str]], bool]:
        """The data up to the next META_START or the end, and whether there is more. Accelerations are skipped."""
        rows: list[list[str]] = []
        covariance = False
        for line, text in self.lines:
            if text == "META_START":
                return rows, True
            covariance = text == "COVARIANCE_START" or (covariance and text != "COVARIANCE_STOP")
            if covariance or text in ("DATA_START", "DATA_STOP", "COVARIANCE_STOP"):
                continue
            row = text.split()
            allowed = (columns + 1, columns + 4) if columns == 6 else (columns + 1,)
            try:
                if len(row) not in allowed or not np.all(np.isfinite([float(x) for x in row[1:]])):
                    raise ValueError
                seconds_past_j2000(row[0])
            except ValueError:
                raise self.error(line, text, f"a date like 2031-05-04T12:00:00.5 and {columns} numbers") from None
            rows.append(row[: columns + 1])
        return rows, False


def _motion(kind: str, segment: _Segment, reference: EpochAndFrame) -> Motion:
    metadata, data = segment.metadata, segment.data
    t = np.array([reference.time(date) for date in segment.dates])
    if not len(t) or np.any(np.diff(t) <= 0.0):
        raise InvalidInputError(
            f"dates of {metadata['OBJECT_NAME']}", segment.dates[:3], "at least one date, in ascending order"
        )
    if kind == "OEM":
        x, v = data[:, :3] / reference.km, data[:, 3:] * (reference.seconds / reference.km)
        return Motion(metadata["OBJECT_NAME"], t, x=x, v=v, metadata=metadata)
    q = quaternion.from_wxyz(data[:, :4]) if metadata.get("QUATERNION_TYPE") == "FIRST" else data[:, :4]
    if metadata.get("ATTITUDE_DIR") == "B2A":
        q = quaternion.conjugate(q)
    R = quaternion.to_matrix(quaternion.normalized(q))
    omega = None
    if data.shape[1] == 7:
        omega = data[:, 4:] * (DEGREE * reference.seconds)
        if metadata.get("ANGVEL_FRAME") == metadata["REF_FRAME_A"]:
            omega = np.einsum("nji,nj->ni", R, omega)
    return Motion(metadata["OBJECT_NAME"], t, R=R, omega=omega, metadata=metadata)


def _span(motion: Motion, reference: EpochAndFrame) -> dict[str, str]:
    start, stop = reference.date(motion.t[0]), reference.date(motion.t[-1])
    return {"TIME_SYSTEM": reference.time_system, "START_TIME": start, "STOP_TIME": stop}


def _block(metadata: dict[str, str]) -> str:
    return "".join(["META_START\n", *(f"{key} = {value}\n" for key, value in metadata.items()), "META_STOP\n\n"])


def _rows(motion: Motion, reference: EpochAndFrame, data: Array) -> str:
    dates = [reference.date(t) for t in motion.t]
    if len(set(dates)) < len(dates):
        raise PolhodeError(f"samples of {motion.name} are closer in time than the dates of this format can resolve")
    return "".join(f"{date} {' '.join(f'{x: .16e}' for x in row)}\n" for date, row in zip(dates, data, strict=True))


def _write(path: str | PathLike[str], kind: str, version: str, blocks: list[str]) -> None:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    head = f"CCSDS_{kind}_VERS = {version}\nCREATION_DATE = {now}\nORIGINATOR = POLHODE {__version__}\n\n"
    with replacing(path) as beside:
        beside.write_text(head + "\n".join(blocks), encoding="ascii")
