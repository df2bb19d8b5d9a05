"""`python -m benchmarks.soak.full_disk`: results on a real disk that fills up, and in a folder that cannot be written.

A file system of one megabyte holds an earlier result. Runs that want more room there must end in one line of words, and leave
the earlier result as it is; once there is room, the same call goes on and gives what a run without trouble gives, bit for bit.
Mounting needs the rights of an administrator, on Linux; where they are missing it says so and does nothing.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polhode as ph
from polhode.errors import PolhodeError

from .kills import fingerprint

STEPS = 40_000  # some four megabytes
INTERVAL = 0.02  # seconds between checkpoints


def mount(*arguments: str) -> bool:
    """Whether mounting is allowed, and done."""
    try:
        return subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@contextmanager
def small_disk() -> Iterator[Path | None]:
    """A folder on a disk of one megabyte; None where it cannot be made."""
    with tempfile.TemporaryDirectory() as place:
        if not mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", place):
            yield None
            return
        try:
            yield Path(place)
        finally:
            # lazily: the HDF5 library does not let go of a file that it could not finish
            subprocess.run(["umount", "--lazy", place], check=True)


def run(steps: int = STEPS, **more: Any) -> ph.Trajectory:
    """The run that is tried."""
    return ph.simulate(ph.FreeRigidBody.example(), step=0.01, steps=steps, **more)


def stored(file: Path) -> None:
    """To the disk as it is computed."""
    run(store=file, checkpoint_every=INTERVAL)


def checkpointed(file: Path) -> None:
    """Checkpoints, which may fail with a warning, and then the whole."""
    run(checkpoint=file.with_suffix(".c"), checkpoint_every=INTERVAL).save(file)


def refused(call: Callable[[Path], None], file: Path) -> str:
    """The one line in which a call is refused."""
    earlier = file.read_bytes()
    try:
        call(file)
    except (PolhodeError, OSError) as error:
        words = str(error)
    else:
        raise AssertionError("a run had room where there was none")
    assert file.read_bytes() == earlier, "the earlier result is not what it was"
    assert "\n" not in words, words
    return words


def trial(call: Callable[[Path], None], how: str, disk: Path, plain: str) -> str:
    """Refused while there is no room, or no right to write; the same call is then the whole run."""
    file = disk / "run.nc"
    run(200).save(file)
    if how == "protected":
        assert mount("-o", "remount,ro", str(disk))
    words = refused(call, file)
    assert mount("-o", "remount,rw,size=64m", str(disk))
    call(file)
    assert fingerprint(ph.load(file)) == plain, "the result differs"
    return words


def main() -> None:
    warnings.simplefilter("ignore")
    plain = fingerprint(run())
    for call in (stored, checkpointed):
        for how in ("full", "protected"):
            with small_disk() as disk:
                if disk is None:
                    sys.exit("not tried: mounting a small disk is not allowed here")
                words = trial(call, how, disk, plain)
            print(f"{call.__name__}, {how}: same bits once there is room. Said before: {words}", flush=True)


if __name__ == "__main__":
    main()
