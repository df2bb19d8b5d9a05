"""Jobs of the studio, each in a process of its own that can be stopped."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import Any

Message = dict[str, Any]

STOPPED = "stopped"
DIED = "the process that computes ended unexpectedly; there may be too little memory"
_numbers = itertools.count(1)


@dataclass
class Job:
    """A run of a scenario: what it gave so far, and whether it goes on."""

    number: int = field(default_factory=lambda: next(_numbers))
    began: float = field(default_factory=time.monotonic)
    ended: float | None = None
    messages: list[Message] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """How long it has run."""
        return (self.ended or time.monotonic()) - self.began


class Worker:
    """A process that runs one job at a time. It is started when it is first needed, and again after it was stopped."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._news = threading.Condition()
        self.job: Job | None = None

    def start(self) -> None:
        """Start the process, so that the first job finds it ready."""
        with self._news:
            if self._process is None or self._process.poll() is not None:
                command = [sys.executable, "-m", "polhode.studio.worker"]
                # in a session of its own: Ctrl-C is for the server, which ends it
                self._process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
                )
                threading.Thread(target=self._listen, args=(self._process,), daemon=True).start()

    def submit(self, text: str) -> Job:
        """Run a scenario; a job that is running is stopped."""
        self.stop()
        self.start()
        with self._news:
            self.job = Job()
            assert self._process is not None
            assert self._process.stdin is not None
            try:
                self._process.stdin.write(json.dumps({"job": self.job.number, "text": text}) + "\n")
                self._process.stdin.flush()
            except OSError:
                self._end({"kind": "failed", "message": DIED})
            return self.job

    def stop(self) -> None:
        """Stop the job that is running, if any, by ending its process."""
        with self._news:
            if self.job is not None and self.job.ended is None:
                self._end({"kind": "failed", "message": STOPPED})
                self._kill()

    def close(self) -> None:
        """End the process."""
        with self._news:
            self._kill()

    def news(self, number: int, after: int, wait: float) -> tuple[list[Message], Job | None]:
        """The messages of a job after the first so many; if there are none yet, wait for them up to `wait` seconds."""
        with self._news:
            job = self.job
            if job is None or job.number != number:
                return [], None
            self._news.wait_for(lambda: len(job.messages) > after or job.ended is not None, wait)
            return job.messages[after:], job

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            message = json.loads(line)
            with self._news:
                if self.job is not None and self.job.number == message.pop("job") and self.job.ended is None:
                    if message["kind"] == "end":
                        self._end()
                    else:
                        self.job.messages.append(message)
                        self._news.notify_all()
        process.stdout.close()
        if process.stdin is not None:
            process.stdin.close()
        process.wait()
        with self._news:
            if self._process is process:
                self._process = None
                if self.job is not None and self.job.ended is None:
                    self._end({"kind": "failed", "message": DIED})

    def _end(self, message: Message | None = None) -> None:
        assert self.job is not None
        if message is not None:
            self.job.messages.append(message)
        self.job.ended = time.monotonic()
        self._news.notify_all()
