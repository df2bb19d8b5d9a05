"""SPICE kernels: attitudes as a C-kernel (type 3), positions as an SP-kernel (type 13), and the text kernels to read them.

    NAME.bc   attitude and angular velocity at the samples; between them a turn at constant rate
    NAME.bsp  position and velocity at the samples; between them Hermite's polynomial of degree 7
    NAME.tsc  the clock that the C-kernel is written in: 1024 ticks a second, from the first sample
    NAME.tf   names and numbers of bodies and frames
    NAME.tls  leap seconds up to 2017, for whoever has no later kernel of them
    NAME.tm   all of the above, to be loaded from their folder

Body i is `id − i`, its frame NAME_BODYi; positions are relative to the body `id`, the run's origin, unless a `centre` is
named. SPICE turns inertial coordinates into those of the body by `C = Rᵀ`, its quaternions have the scalar first, and
its angular velocities are in inertial coordinates.
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
from ...errors import InvalidInputError, PolhodeError
from ...geometry import quaternion
from ..atomic_files import replacing
from .epoch_and_frame import DEFAULT, Anchor
from .inertial_motion import Motion

Array = NDArray[np.float64]

TICKS = 1024.0  # a second: a power of two, so that times become ticks without rounding
LONGEST = 1e11  # seconds that the clock counts
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
    anchor: Anchor = DEFAULT,
    *,
    id: int = FIRST_ID,
    attitude: bool = True,
    position: bool = True,
) -> list[Path]:
    """Write the kernels `path` with its suffix replaced; which of attitude and position, as asked.

    Returns the files, the one that loads all the others last.
    """
    spice = _spiceypy()
    stem = Path(path).with_suffix("")
    name = _check_name(stem.name)
    if isinstance(id, bool) or not isinstance(id, int) or not -2_000_000 < id < -1000:
        raise InvalidInputError("id", id, "a whole number between -2000000 and -1000, as SPICE numbers spacecraft")
    if anchor.time_system != "TDB":
        raise InvalidInputError("time_system", anchor.time_system, "TDB, which is what SPICE counts in")
    et = [_times(motion, anchor) for motion in motions]
    ids = [id - i for i in range(1, len(motions) + 1)]
    start = min(float(times[0]) for times in et)
    centre = _centre(spice, anchor, id)
    binaries: dict[str, Callable[[Path], None]] = {}
    if attitude:
        pointing = [_pointing(motion, anchor) for motion in motions]
        binaries[".bc"] = lambda file: _write_ck(spice, file, anchor.frame, ids, et, start, pointing)
    if position:
        places = [_places(motion, anchor) for motion in motions]
        binaries[".bsp"] = lambda file: _write_spk(spice, file, anchor.frame, ids, centre, et, places)
    texts = {
        ".tsc": _clock(id, start),
        ".tf": _frames(name, id, ids, anchor.centre if centre == id else None),
        ".tls": _leap_seconds(),
    }
    others = [name + suffix for suffix in [*texts, *binaries]]
    texts[".tm"] = _text("MK", [f"KERNELS_TO_LOAD = ( {', '.join(map(repr, others))} )"])
    files = [stem.with_name(name + suffix) for suffix in [*binaries, *texts]]
    with ExitStack() as stack:
        beside = {file.suffix: stack.enter_context(replacing(file)) for file in files}
        for suffix, write in binaries.items():
            _checked(spice, write, beside[suffix], stem.with_name(name + suffix))
        for suffix, text in texts.items():
            beside[suffix].write_text(text, encoding="ascii")
    return files


def _spiceypy() -> Any:
    try:
        import spiceypy
    except ImportError:
        raise PolhodeError("SPICE kernels need spiceypy: pip install 'polhode[spice]'") from None
    return spiceypy


def _check_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,60}", name):
        raise InvalidInputError("path", name, "a name of at most 60 letters, digits and _ . -, as SPICE allows")
    return name


def _checked(spice: Any, write: Callable[[Path], None], file: Path, target: Path) -> None:
    """Run SPICE's writers, of what is to become `target`; what they say becomes an error of ours."""
    try:
        file.touch()  # that a folder may not be written to, or a disk is full, the system says better than SPICE
        file.unlink()
    except OSError as error:
        raise PolhodeError(f"{target} could not be written: {error.strerror or error}") from error
    try:
        write(file)
    except spice.utils.exceptions.SpiceyError as error:
        reason = f"{error.short} {error.explain}".strip()
        raise PolhodeError(f"SPICE could not write {file.suffix[1:]}, to be {target}: {reason}") from error


def _times(motion: Motion, anchor: Anchor) -> Array:
    if len(motion) < 2:
        raise PolhodeError("a kernel needs at least two samples")
    et = anchor.ephemeris_time(motion.t)
    if np.any(np.diff(et) <= 0.0):
        far = f"{np.abs(et).max():.3g} s from the year 2000"
        raise PolhodeError(
            f"samples are closer in time than SPICE can tell apart so far ({far}): keep fewer, or another epoch"
        )
    if et[-1] - et[0] > LONGEST:
        raise PolhodeError(
            f"a run of {et[-1] - et[0]:.3g} s is longer than the clock of a kernel counts ({LONGEST:g} s)"
        )
    return et


def _centre(spice: Any, anchor: Anchor, id: int) -> int:
    """The number of the body that positions are relative to: SPICE's own if it knows the name, else the run's origin."""
    if not re.fullmatch(r"[A-Za-z0-9_ .+-]{1,32}", anchor.frame) or spice.namfrm(anchor.frame) == 0:
        raise InvalidInputError(
            "frame", anchor.frame, "an inertial frame that SPICE knows, such as J2000 or ECLIPJ2000"
        )
    try:
        return int(spice.bods2c(anchor.centre))
    except spice.utils.exceptions.NotFoundError:
        return id


def _pointing(motion: Motion, anchor: Anchor) -> tuple[Array, Array]:
    """Quaternions of C = Rᵀ, scalar first, and angular velocities in inertial coordinates."""
    R, omega = motion.need_attitude(), motion.need_rates()
    turn = float(np.max(np.linalg.norm(0.5 * (omega[1:] + omega[:-1]), axis=1) * np.diff(motion.t)))
    if turn > np.pi:
        raise PolhodeError(
            f"{motion.name} turns by {turn / (2 * np.pi):.2g} revolutions between two samples, and a kernel joins them by "
            "the shortest turn: keep samples at most half a revolution apart (a smaller save_every)"
        )
    return quaternion.as_wxyz(quaternion.conjugate(motion.q)), np.einsum("nij,nj->ni", R, omega) / anchor.seconds


def _places(motion: Motion, anchor: Anchor) -> Array:
    x, v = motion.need_position()
    return np.hstack([x * anchor.km, v * (anchor.km / anchor.seconds)])


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
    spice: Any, file: Path, frame: str, ids: list[int], centre: int, et: list[Array], places: list[Array]
) -> None:
    handle = spice.spkopn(str(file), "polhode", 0)
    try:
        for body, times, states in zip(ids, et, places, strict=True):
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


def _frames(name: str, id: int, ids: list[int], origin: str | None) -> str:
    lines = []
    upper = re.sub(r"[^A-Z0-9]", "_", name.upper())[:20]
    for i, body in enumerate(ids, 1):
        frame, number = f"{upper}_BODY{i}", 1000 * body
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
        named = f"{upper}_{origin.upper()}"[:36]
        lines += [f"NAIF_BODY_NAME += ( '{named}' )", f"NAIF_BODY_CODE += ( {id} )"]
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
