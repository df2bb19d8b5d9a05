"""`python -m benchmarks.soak.kills`: runs that are killed at random moments, and resumed until they are finished.

Each trial draws a system, a method, a save rate, how samples are kept (`checkpoint=` or `store=`), whether they are on a grid,
at chosen times, or those of a run to a tolerance, and moments for SIGKILL or SIGTERM, which may well fall into the saving. The
same call is made again until it finishes; the result must be, bit for bit, that of a run that nothing disturbed.
"""

from __future__ import annotations

import argparse
import hashlib
import signal
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

import polhode as ph
from polhode.core.callbacks import treat_termination_as_interrupt
from polhode.errors import RunInterruptedError

SYSTEMS = ("FreeRigidBody", "Pendulum3D", "Gyrostat", "FullTwoBodyProblem", "DampedGyrostat")
METHODS = ("LGVI(order=2)", "LGVI(order=4)", "GaussLegendre(order=8)", "RK4()", "DOP853()")
EVERY = (1, 7, 1000, 10**6)
STEPS, STEP = 60_000, 0.01
TOLERANCE, SPAN = 1e-9, 3000.0
ATTEMPTS = 40  # of the same call
LONGEST = 900.0  # seconds of one attempt
KEPT = ("checkpoint", "store", "checkpoint at times", "checkpoint to a tolerance")


def same_run(system: str, method: str, every: int, kept: str, **more: object) -> ph.Trajectory:
    """The run of a trial."""
    name, _, order = method[:-1].partition("(")
    options = {"order": int(order.partition("=")[2])} if order else {}
    start = getattr(ph, system).example()
    if kept.endswith("tolerance"):
        return ph.simulate(start, t_end=SPAN, tolerance=TOLERANCE, save_every=min(every, 1000), **more)
    chosen = getattr(ph, name)(**options)
    if kept.endswith("times"):  # a few, or many
        times = np.linspace(0.0, STEP * STEPS, 2 + STEPS // (10 * every))[1:]
        return ph.simulate(start, step=STEP, t_eval=times, method=chosen, **more)
    return ph.simulate(start, step=STEP, steps=STEPS, save_every=every, method=chosen, **more)


def fingerprint(trajectory: ph.Trajectory) -> str:
    """The SHA-256 of all numbers."""
    arrays = [trajectory.t, *trajectory.values.values(), trajectory.carry]
    return hashlib.sha256(b"".join(np.asarray(a).tobytes() for a in arrays if a is not None)).hexdigest()


def victim(system: str, method: str, every: int, kept: str, folder: Path) -> None:
    """One attempt, in a process of its own; prints the fingerprint if it finishes."""
    treat_termination_as_interrupt()
    warnings.simplefilter("ignore")
    print("ready", flush=True)
    file = folder / "run.nc"
    try:
        if kept == "store":
            same_run(system, method, every, kept, store=file, checkpoint_every=0.01)
        else:
            same_run(system, method, every, kept, checkpoint=folder / "c", checkpoint_every=0.01).save(file)
    except RunInterruptedError:
        sys.exit(130)
    print(fingerprint(ph.load(file)), flush=True)


def trial(random: np.random.Generator) -> tuple[str, int, bool]:
    """What was tried, how often it was killed, and whether the result is the same."""
    system, method = str(random.choice(SYSTEMS)), str(random.choice(METHODS))
    while getattr(ph, method.partition("(")[0])().why_not(getattr(ph, system).example().system) is not None:
        method = str(random.choice(METHODS))
    every, kept = int(random.choice(EVERY)), str(random.choice(KEPT))
    plain, kills, text = fingerprint(same_run(system, method, every, kept)), 0, ""
    with tempfile.TemporaryDirectory() as folder:
        for attempt in range(ATTEMPTS):
            command = [
                sys.executable,
                "-m",
                "benchmarks.soak.kills",
                "--victim",
                system,
                method,
                str(every),
                kept,
                folder,
            ]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            assert process.stdout is not None
            process.stdout.readline()  # "ready": before that there is nothing to lose
            # ever later, so that it ends in any case
            delay = float(random.exponential(0.3)) * (1 + attempt)
            try:
                text, _ = process.communicate(timeout=delay if attempt < ATTEMPTS - 1 else LONGEST)
            except subprocess.TimeoutExpired:
                process.send_signal(random.choice([signal.SIGKILL, signal.SIGTERM]))
                text, _ = process.communicate()
                kills += process.returncode != 0
            if process.returncode == 0:
                break
    return f"{system} {method} save_every={every} {kept}", kills, text.strip() == plain


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--victim", nargs=5, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.victim:
        system, method, every, kept, folder = given.victim
        victim(system, method, int(every), kept, Path(folder))
        return
    random, kills, wrong, trials = np.random.default_rng(given.seed), 0, 0, 0
    while kills < given.kills:
        what, found, same = trial(random)
        kills, wrong, trials = kills + found, wrong + (not same), trials + 1
        print(f"{kills:4d} kills  {'same bits' if same else 'DIFFERENT'}  {what}, killed {found} times", flush=True)
    print(f"{kills} kills in {trials} runs; {wrong} results differ")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
