"""Blocks of members as tasks of a `dask.distributed` cluster.

Only a few blocks per worker are under way at a time, and a result is forgotten as soon as it is handed on. A worker that dies
loses the blocks that it had; the scheduler gives them to others, and they come out the same.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

from ..core.extras import extra
from ..errors import InvalidInputError, PolhodeError
from .progress import members_bar
from .tasks import Done, PartTask, Task

BLOCKS_PER_THREAD = 3
CONNECT, WAIT_FOR_WORKERS = 30, 300  # seconds
RUNNING = "running"  # the status of a client that has a scheduler


def compute(part: PartTask) -> Done:
    """What a worker does."""
    return part()


def run_on_cluster(client: Any, task: Task, blocks: list[range], progress: bool = False) -> Generator[Done, None, None]:
    """The computed blocks, as they finish."""
    distributed = extra("distributed")
    with _connected(client) as connected, members_bar(progress, len(task.job.members), blocks) as bar:
        if not blocks:
            return
        _wait_for_workers(connected)
        waiting, finished = iter(blocks), distributed.as_completed()
        under_way: set[Any] = set()
        try:
            while True:
                threads = max(sum(connected.ncores().values()), 1)
                while len(under_way) < BLOCKS_PER_THREAD * threads and (numbers := next(waiting, None)) is not None:
                    future = connected.submit(compute, task.part(numbers), pure=False)
                    under_way.add(future)
                    finished.add(future)
                if not under_way:
                    return
                future = next(finished)
                under_way.discard(future)
                done: Done = future.result()
                future.release()
                if bar is not None:
                    bar.add(len(done.numbers), len(done.failures))
                yield done
        except (distributed.KilledWorker, TimeoutError) as error:
            raise PolhodeError(f"the cluster gave up on a block: {error}") from error
        except (CancelledError, OSError) as error:
            if connected.status == RUNNING and not isinstance(
                error, (CancelledError, distributed.comm.CommClosedError)
            ):
                raise  # by the user's function
            raise PolhodeError(
                "the scheduler has gone away: start it and its workers, and run the same again, which goes on from what is done"
            ) from error
        finally:
            if connected.status == RUNNING:
                connected.cancel(list(under_way))


@contextmanager
def _connected(client: Any) -> Iterator[Any]:
    """A client, from itself or from the address of a scheduler."""
    distributed = extra("distributed")
    if isinstance(client, distributed.Client):
        yield client
        return
    if not isinstance(client, str):
        raise InvalidInputError("client", client, "a dask.distributed.Client, or the address of a scheduler")
    try:
        made = distributed.Client(client, timeout=CONNECT)
    except OSError as error:
        raise PolhodeError(f"no scheduler answers at {client}: {error}") from error
    with made:
        yield made


@contextmanager
def local_cluster(workers: int) -> Iterator[Any]:
    """A client of so many worker processes on this machine, each with one thread."""
    distributed = extra("distributed")
    options: dict[str, Any] = {"processes": True, "threads_per_worker": 1, "dashboard_address": None, "memory_limit": 0}
    options["scheduler_kwargs"] = {"dashboard_address": "127.0.0.1:0"}  # any free port: others may be at work here too
    with (
        distributed.LocalCluster(n_workers=workers, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def _wait_for_workers(client: Any) -> None:
    try:
        client.wait_for_workers(1, timeout=WAIT_FOR_WORKERS)
    except TimeoutError:
        raise PolhodeError(f"the scheduler had no worker for {WAIT_FOR_WORKERS} seconds") from None
