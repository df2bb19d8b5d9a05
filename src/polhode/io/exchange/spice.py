"""SPICE kernels: attitudes as a C-kernel (type 3), positions as an SP-kernel (type 13), and the text kernels to read them.

    NAME.bc   attitude and angular velocity at the samples; between them a rotation at constant rate
    NAME.bsp  position and velocity at the samples; between them Hermite's polynomial of degree 7
    NAME.tsc  the clock of the C-kernel: 1024 ticks per second, from the first sample
    NAME.tf   names and numbers of bodies and frames
    NAME.tls  leap seconds up to 2017, for those who have no later kernel of them
    NAME.tm   loads all of the above, from their folder

The first body of those written has the number `id − 1`, the next one `id − 2`, and so on. A body and its frame have the
name that the body was given, in capitals, or else NAME_BODY0, NAME_BODY1, and so on, or NAME_BODY for one alone. Positions are relative to the body `id`, the run's origin,
unless a `centre` is given. SPICE maps inertial to body coordinates by `C = Rᵀ`, its quaternions have the scalar first,
and its angular velocities are in inertial coordinates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._version import __version__
from ...core.extras import extra
from ...errors import InvalidInputError, PolhodeError
from ...geometry import quaternion
from ..atomic_files import replacing
from .epoch_and_frame import DEFAULT, EpochAndFrame
from .inertial_motion import Motion

Array = NDArray[np.float64]

TICKS = 1024.0  # per second: a power of two, so that times become ticks without rounding
LONGEST = 1e11  # seconds that the clock can count
FIRST_ID = -200000

# the days from which TAI − UTC was 10, 11, 12, … seconds: the first of January or July of these years
LEAP_SECONDS = (
    "1972-JAN 1972-JUL 1973-JAN 1974-JAN 1975-JAN 1976-JAN 1977-JAN 1978-JAN 1979-JAN 1980-JAN 1981-JUL 1982-JUL "
    "1983-JUL 1985-JUL 1988-JAN 1990-JAN 1991-JAN 1992-JUL 1993-JUL 1994-JUL 1996-JAN 1997-JUL 1999-JAN 2006-JAN "
    "2009-JAN 2012-JUL 2015-JUL 2017-JAN"
)


def write_spice(
    motions: Sequence[Motion],
    path: str | PathLike[str],
    reference: EpochAndFrame = DEFAULT,
    *,
    id: int = FIRST_ID,
    attitude: bool = True,
    position: bool = True,
) -> list[Path]:
    """Write the kernels, named as `path` with other suffixes: the C-kernel if `attitude`, the SP-kernel if `position`.

    Returns the files; the last one loads all the others.
    """
    spice = extra("spiceypy")
    stem = Path(path).with_suffix("")
    name = _check_name(stem.name)
    if isinstance(id, bool) or not isinstance(id, int) or not -2_000_000 < id < -1000:
        raise InvalidInputError("id", id, "a whole number between -2000000 and -1000, the range of spacecraft in SPICE")
    if reference.time_system != "TDB":
        raise InvalidInputError("time_system", reference.time_system, "TDB, the time system of SPICE")
    et = [_times(motion, reference) for motion in motions]
    ids = [id - 1 - i for i in range(len(motions))]
    names = _spice_names(name, motions)
    start = min(float(times[0]) for times in et)
    centre = _centre(spice, reference, id)
    binaries: dict[str, Callable[[Path], None]] = {}
    if attitude:
        pointing = [_pointing(motion, reference) for motion in motions]
        binaries[".bc"] = lambda file: _write_ck(spice, file, reference.frame, ids, et, start, pointing)
    if position:
        positions = [_positions(motion, reference) for motion in motions]
        binaries[".bsp"] = lambda file: _write_spk(spice, file, reference.frame, ids, centre, et, positions)
    texts = {
        ".tsc": _clock(id, start),
        ".tf": _frames(name, names, id, ids, reference.centre if centre == id else None),
        ".tls": _leap_seconds(),
    }
    others = [name + suffix for suffix in [*texts, *binaries]]
    texts[".tm"] = _text("MK", [f"KERNELS_TO_LOAD = ( {', '.join(map(repr, others))} )"])
    files = [stem.with_name(name + suffix) for suffix in [*binaries, *texts]]
    with ExitStack() as stack:
        beside = {file.suffix: stack.enter_context(replacing(file)) for file in files}
        for suffix, write in binaries.items():
            _write_checked(spice, write, beside[suffix], stem.with_name(name + suffix))
        for suffix, text in texts.items():
            beside[suffix].write_text(text, encoding="ascii")
    return files


def _check_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,60}", name):
        raise InvalidInputError("path", name, "a file name that SPICE allows: at most 60 letters, digits and _ . -")
    return name


def _write_checked(spice: Any, write: Callable[[Path], None], file: Path, target: Path) -> None:
    """Run a writer of SPICE on `file`, which becomes `target`; its errors become `PolhodeError`."""
    try:
        file.touch()  # the system's message about a protected folder or a full disk is clearer than that of SPICE
        file.unlink()
    except OSError as error:
        raise PolhodeError(f"{target} could not be written: {error.strerror or error}") from error
    try:
        write(file)
    except spice.utils.exceptions.SpiceyError as error:
        reason = f"{error.short} {error.explain}".strip()
        raise PolhodeError(f"SPICE could not write {file.suffix[1:]}, to be {target}: {reason}") from error


def _times(motion: Motion, reference: EpochAndFrame) -> Array:
    if len(motion) < 2:
        raise PolhodeError("a kernel needs at least two samples")
    et = reference.ephemeris_time(motion.t)
    if np.any(np.diff(et) <= 0.0):
        far = f"{np.abs(et).max():.3g} s from the year 2000"
        raise PolhodeError(
            f"samples are closer in time than SPICE can resolve at {far}: save fewer, or choose another epoch"
        )
    if et[-1] - et[0] > LONGEST:
        raise PolhodeError(
            f"a run of {et[-1] - et[0]:.3g} s is longer than the clock of a kernel can count ({LONGEST:g} s)"
        )
    return et


def _centre(spice: Any, reference: EpochAndFrame, id: int) -> int:
    """The number of the body that positions are relative to: SPICE's own if it knows the name, else the run's origin."""
    if not re.fullmatch(r"[A-Za-z0-9_ .+-]{1,32}", reference.frame) or spice.namfrm(reference.frame) == 0:
        raise InvalidInputError(
            "frame", reference.frame, "an inertial frame that SPICE knows, such as J2000 or ECLIPJ2000"
        )
    try:
        return int(spice.bods2c(reference.centre))
    except spice.utils.exceptions.NotFoundError:
        return id


def _pointing(motion: Motion, reference: EpochAndFrame) -> tuple[Array, Array]:
    """Quaternions of C = Rᵀ, scalar first, and angular velocities in inertial coordinates."""
    R, omega = motion.need_attitude(), motion.need_rates()
    turn = float(np.max(np.linalg.norm(0.5 * (omega[1:] + omega[:-1]), axis=1) * np.diff(motion.t)))
    if turn > np.pi:
        raise PolhodeError(
            f"{motion.name} makes {turn / (2 * np.pi):.2g} revolutions between two samples, but SPICE interpolates by the "
            "shortest rotation: save samples at most half a revolution apart (a smaller save_every)"
        )
    return quaternion.as_wxyz(quaternion.conjugate(motion.q)), np.einsum("nij,nj->ni", R, omega) / reference.seconds


def _positions(motion: Motion, reference: EpochAndFrame) -> Array:
    x, v = motion.need_position()
    return np.hstack([x * reference.km, v * (reference.km / reference.seconds)])


def _write_ck(
    spice: Any,
    file: Path,
    frame: str,
    ids: list[int],
    et: list[Array],
    start: float,
    pointing: list[tuple[Array, Array]],
) -> None:
    handle = spice.ckopn(str(file), "polhode", 0)
    try:
        for body, times, (q, rates) in zip(ids, et, pointing, strict=True):
            ticks = (times - start) * TICKS
            spice.ckw03(
                handle,
                ticks[0],
                ticks[-1],
                1000 * body,
                frame,
                True,
                "polhode",
                len(ticks),
                ticks,
                q,
                rates,
                1,
                ticks[:1],
            )
    finally:
        spice.ckcls(handle)


def _write_spk(
    spice: Any, file: Path, frame: str, ids: list[int], centre: int, et: list[Array], positions: list[Array]
) -> None:
    handle = spice.spkopn(str(file), "polhode", 0)
    try:
        for body, times, states in zip(ids, et, positions, strict=True):
            degree = 2 * min(len(times), 4) - 1
            states = np.ascontiguousarray(states)
            spice.spkw13(handle, body, centre, frame, times[0], times[-1], "polhode", degree, len(times), states, times)
    finally:
        spice.spkcls(handle)


def _clock(id: int, start: float) -> str:
    n = -id
    return _text(
        "SCLK",
        [
            "SCLK_KERNEL_ID = ( @2000-01-01 )",
            f"SCLK_DATA_TYPE_{n} = ( 1 )",
            f"SCLK01_TIME_SYSTEM_{n} = ( 1 )",
            f"SCLK01_N_FIELDS_{n} = ( 2 )",
            f"SCLK01_MODULI_{n} = ( {LONGEST:.0f} {TICKS:.0f} )",
            f"SCLK01_OFFSETS_{n} = ( 0 0 )",
            f"SCLK01_OUTPUT_DELIM_{n} = ( 2 )",
            f"SCLK_PARTITION_START_{n} = ( 0.0 )",
            f"SCLK_PARTITION_END_{n} = ( {LONGEST * TICKS:.0f} )",
            f"SCLK01_COEFFICIENTS_{n} = ( 0.0 {start:.17e} 1.0 )",
        ],
    )


def _upper(name: str, length: int) -> str:
    """A name in the letters that SPICE allows."""
    return re.sub(r"[^A-Z0-9]", "_", name.upper())[:length]


def _spice_names(name: str, motions: Sequence[Motion]) -> list[str]:
    """The names of bodies and their frames, of at most 32 characters."""
    names = [
        _upper(motion.ascii_name, 32) if motion.own_name else f"{_upper(name, 20)}_{_upper(motion.ascii_name, 11)}"
        for motion in motions
    ]
    if len(set(names)) < len(names):
        raise PolhodeError(f"several bodies would have the same name in SPICE: {', '.join(names)}")
    return names


def _frames(name: str, names: list[str], id: int, ids: list[int], origin: str | None) -> str:
    lines = []
    for frame, body in zip(names, ids, strict=True):
        number = 1000 * body
        lines += [
            f"FRAME_{frame} = {number}",
            f"FRAME_{number}_NAME = '{frame}'",
            f"FRAME_{number}_CLASS = 3",
            f"FRAME_{number}_CLASS_ID = {number}",
            f"FRAME_{number}_CENTER = {body}",
            f"CK_{number}_SCLK = {id}",
            f"CK_{number}_SPK = {body}",
            f"NAIF_BODY_NAME += ( '{frame}' )",
            f"NAIF_BODY_CODE += ( {body} )",
        ]
    if origin is not None:
        origin_name = f"{_upper(name, 20)}_{origin.upper()}"[:36]
        lines += [f"NAIF_BODY_NAME += ( '{origin_name}' )", f"NAIF_BODY_CODE += ( {id} )"]
    return _text("FK", lines)


def _leap_seconds() -> str:
    table = [f"{n}, @{month}-1" for n, month in enumerate(LEAP_SECONDS.split(), 10)]
    return _text(
        "LSK",
        [
            "DELTET/DELTA_T_A = 32.184",
            "DELTET/K = 1.657D-3",
            "DELTET/EB = 1.671D-2",
            "DELTET/M = ( 6.239996D0 1.99096871D-7 )",
            "DELTET/DELTA_AT = ( " + "\n".join(table) + " )",
        ],
    )


def _text(kind: str, lines: list[str]) -> str:
    body = "\n".join(lines)
    return f"KPL/{kind}\n\nWritten by polhode {__version__}.\n\n\\begindata\n\n{body}\n\n\\begintext\n"
