"""A real scheduler and worker processes on this machine: killed workers, a killed client, and identical bits."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.io.ensemble_store import EnsembleStore
from polhode.io.scenario.document import scenario_from_text
from polhode.io.scenario.ensemble import build_ensemble

pytest.importorskip("distributed")
pytest.importorskip("zarr")
pytestmark = pytest.mark.verify

PATIENCE = 600.0
MEMBERS = 20_000
SCENARIO = f"""
[system]
type = "FreeRigidBody"
inertia = [1.0, 2.0, 2.5]
[state]
omega = [0.1, 1.0, 0.0]
[run]
step = 0.05
steps = 2000
[ensemble]
members = {MEMBERS}
seed = 5
[[ensemble.vary]]
key = "state.omega"
distribution = "normal"
std = 0.3
"""


COMMAND = ("polhode.cli", "ensemble", "spins.toml", "--quiet", "--no-plots", "--no-report", "--scheduler")


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Wait for something that will happen; a test fails if it does not within `PATIENCE`."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.05)


@contextmanager
def process(*command: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process of its own, which is ended at last."""
    with (folder / "log.txt").open("ab") as log:
        started = subprocess.Popen([sys.executable, "-m", *command], cwd=folder, stdout=log, stderr=log)
    try:
        yield started
    finally:
        if started.poll() is None:
            started.kill()
        started.wait(PATIENCE)


@contextmanager
def worker(folder: Path, name: str) -> Iterator[subprocess.Popen[bytes]]:
    """A worker of the scheduler in this folder."""
    options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--name", name, "--memory-limit", "0"]
    with process("distributed.cli.dask_worker", "--scheduler-file", "s.json", *options, folder=folder) as started:
        yield started


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes], subprocess.Popen[bytes]]]:
    """A scheduler and two workers: its address, its process, and that of the first worker."""
    import json

    options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", "s.json"]
    with process("distributed.cli.dask_scheduler", *options, folder=folder) as scheduler:
        wait_until(lambda: (folder / "s.json").exists() and (folder / "s.json").stat().st_size > 0, "the scheduler")
        time.sleep(0.2)
        address = json.loads((folder / "s.json").read_text())["address"]
        with worker(folder, "first") as first, worker(folder, "second"):
            yield address, scheduler, first


def notes(store: Path) -> int:
    return len(list((store / "blocks").glob("0*.json")))


def test_a_killed_worker_and_a_killed_client(tmp_path: Path) -> None:
    """A worker is killed, then the client; the same command goes on: all members are there once, with the same bits."""
    (tmp_path / "spins.toml").write_text(SCENARIO)
    store = tmp_path / "out" / "spins.ensemble.zarr"
    with cluster(tmp_path) as (address, _, first):
        command = [*COMMAND, address]
        with process(*command, folder=tmp_path) as client:
            wait_until(lambda: notes(store) >= 1 or client.poll() is not None, "the first block")
            os.kill(first.pid, signal.SIGKILL)
            wait_until(lambda: notes(store) >= 3 or client.poll() is not None, "blocks by the other worker")
            client.kill()
            client.wait(PATIENCE)
        kept = EnsembleStore(store)
        before = notes(store)
        assert 0 < before < len(kept.blocks()), (tmp_path / "log.txt").read_text()
        with process(*command, folder=tmp_path) as client:
            assert client.wait(PATIENCE) == 0, (tmp_path / "log.txt").read_text()
    assert kept.complete
    found = kept.load()
    here = build_ensemble(scenario_from_text("spins.toml", SCENARIO)).run()
    assert len(found) == MEMBERS
    assert not found.failures
    np.testing.assert_array_equal(found.states, here.states)


def test_a_killed_scheduler_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "spins.toml").write_text(SCENARIO)
    with cluster(tmp_path) as (address, scheduler, _), process(*COMMAND, address, folder=tmp_path) as client:
        wait_until(lambda: notes(tmp_path / "out" / "spins.ensemble.zarr") >= 1, "the first block")
        scheduler.kill()
        assert client.wait(PATIENCE) == 2
    log = (tmp_path / "log.txt").read_text()
    assert "polhode: the scheduler has gone away" in log
    assert "polhode/cli" not in log  # as in a traceback


def test_a_client_of_ones_own_and_local_workers(tmp_path: Path) -> None:
    from polhode.ensemble.cluster import local_cluster

    body = ph.FreeRigidBody([1.0, 2.0, 2.5])
    states = [body.state(omega=[20.0 if i == 70 else 0.3, 0.01 * i, 0.1]) for i in range(200)]
    whole = ph.ensemble(states, step=0.1, steps=10)
    with socket.socket() as other, warnings.catch_warnings():
        with suppress(OSError):  # if somebody has dask's usual port anyhow; it is nothing to warn of
            other.bind(("127.0.0.1", 8787))
            other.listen()
        warnings.simplefilter("error", UserWarning)
        with local_cluster(1):
            pass
    with local_cluster(2) as client:
        found = ph.ensemble(states, step=0.1, steps=10, client=client, store=tmp_path / "a.zarr")
        reduced = ph.ensemble(
            states, step=0.1, steps=10, save="all", client=client, store=tmp_path / "b.zarr",
            reduce={"top": lambda some: some.omega.max(axis=(1, 2))},
        )  # fmt: skip
    np.testing.assert_array_equal(found.states, whole.states)
    assert found.failures == whole.failures
    assert len(found.failures) == 1
    assert np.isfinite(reduced.reductions["top"]).sum() == 199


def test_worker_processes_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "spins.toml").write_text(SCENARIO.replace(str(MEMBERS), "50"))
    command = ["polhode.cli", "ensemble", "spins.toml", "--workers", "2", "--set", "run.steps=10"]
    with process(*command, folder=tmp_path) as client:
        assert client.wait(PATIENCE) == 0, (tmp_path / "log.txt").read_text()
    log = (tmp_path / "log.txt").read_text()
    assert "50 members finished, 0 failed" in log
    assert (tmp_path / "out" / "spins.ensemble.html").exists()
    assert EnsembleStore(tmp_path / "out" / "spins.ensemble.zarr").load().R.shape == (50, 1, 3, 3)


MEMORY = """
from pathlib import Path
import sys
import numpy as np
import polhode as ph
from polhode.ensemble import stream

body = ph.FreeRigidBody([1.0, 2.0, 2.5])


if __name__ == "__main__":
    def member(i):
        return ph.State(body, {"R": np.eye(3), "Pi": np.array([1.0, 2.0 + 1e-6 * i, 2.5])})

    for count in map(int, sys.argv[1:]):
        store = stream(member, f"{count}.zarr", members=count, step=0.1, steps=3)
        assert store.complete
        assert sum(len(part) for part in store.parts()) == count
        print(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])  # not ru_maxrss: it begins with the parent's
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the memory from /proc")
def test_a_million_members_need_little_memory(tmp_path: Path) -> None:
    """Less than 400 MB, by what some need and what each further one does."""
    script = tmp_path / "members.py"
    script.write_text(MEMORY)
    some, more = 20_000, 220_000
    command = [sys.executable, str(script), str(some), str(more)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr
    least, most = (float(line) / 1024 for line in done.stdout.split())
    assert least + (most - least) / (more - some) * 1_000_000 < 400.0
