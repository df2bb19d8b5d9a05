"""The studio's server: its page and program, and what the program asks for, with a token that only the user's page has.

The token stands in the part of the address after #, which browsers do not send: the page's program reads it there and
sends it in a header. So neither a foreign page nor another account on this machine can run or write anything.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..errors import PolhodeError
from ..plain_text import printable
from ..view.html.page import static_file, view_program
from ..view.html.policy import NOTHING_ELSE
from ..view.html.server import Answer, LocalServer, Request
from .files import example_titles, own_scenarios, read_scenario, save_scenario
from .form import changed_text, scenario_form
from .jobs import Worker

PANES = 2
LONGEST_WAIT = 15.0  # seconds that the page waits for news of a job before it asks again
TOKEN = "X-Polhode-Token"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " + NOTHING_ELSE
)
SCRIPT, STYLE = "text/javascript; charset=utf-8", "text/css; charset=utf-8"


class Studio(LocalServer):
    """The studio on this machine, for the scenarios in a folder. Open `link` in a browser, and call `close` to end it."""

    def __init__(self, folder: Path, scenario: str = "tumbling_middle_axis", port: int = 8080) -> None:
        self.folder, self.scenario = folder, scenario
        self.token = secrets.token_urlsafe(24)
        self._workers = [Worker() for _ in range(PANES)]
        self._pages = _pages()
        self._calls: dict[str, Callable[[dict[str, Any]], Any]] = {
            "/api/start": self._start,
            "/api/open": self._open,
            "/api/read": self._read,
            "/api/run": self._run,
            "/api/news": self._news,
            "/api/stop": self._stop,
            "/api/save": self._save,
        }
        read_scenario(folder, scenario)  # which tells at once if there is none
        super().__init__(self._answer, port)
        self._workers[0].start()

    @property
    def link(self) -> str:
        """The address with the token."""
        return f"{self.address}/#{self.token}"

    def close(self) -> None:
        """Stop serving, and all jobs."""
        for worker in self._workers:
            worker.close()
        super().close()

    def _answer(self, request: Request) -> Answer:
        if request.method == "GET":
            return self._pages.get(request.path, Answer.failure(HTTPStatus.NOT_FOUND))
        call = self._calls.get(request.path)
        if call is None:
            return Answer.failure(HTTPStatus.NOT_FOUND)
        token = next((value for name, value in request.headers.items() if name.lower() == TOKEN.lower()), "")
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            return Answer.failure(
                HTTPStatus.FORBIDDEN, "the token is wrong: open the address that polhode studio printed"
            )
        if not isinstance(request.data, dict):
            return Answer.failure(HTTPStatus.BAD_REQUEST)
        try:
            return Answer.json(call(request.data))
        except PolhodeError as error:
            return Answer.json({"error": printable(str(error))}, HTTPStatus.UNPROCESSABLE_ENTITY)
        except (KeyError, TypeError, ValueError, OverflowError):  # not what the page sends
            return Answer.failure(HTTPStatus.BAD_REQUEST)

    def _start(self, data: dict[str, Any]) -> Any:
        own = own_scenarios(self.folder)
        return {"examples": example_titles(), "files": own, "scenario": self.scenario, "folder": str(self.folder)}

    def _open(self, data: dict[str, Any]) -> Any:
        return scenario_form(read_scenario(self.folder, str(data["name"])))

    def _read(self, data: dict[str, Any]) -> Any:
        return scenario_form(changed_text(data["text"], data["changes"]))

    def _run(self, data: dict[str, Any]) -> Any:
        text = changed_text(data["text"], data["changes"])
        return {"job": self._worker(data).submit(text).number, "text": text}

    def _news(self, data: dict[str, Any]) -> Any:
        messages, job = self._worker(data).news(int(data["job"]), int(data["after"]), LONGEST_WAIT)
        if job is None:  # another one has taken its place
            return {"messages": [], "ended": True, "seconds": 0.0}
        done = job.ended is not None and len(messages) + int(data["after"]) >= len(job.messages)
        return {"messages": messages, "ended": done, "seconds": job.seconds}

    def _stop(self, data: dict[str, Any]) -> Any:
        self._worker(data).stop()
        return {}

    def _save(self, data: dict[str, Any]) -> Any:
        text = changed_text(data["text"], data["changes"])
        path = save_scenario(self.folder, data["name"], text, overwrite=data.get("overwrite") is True)
        return {"saved": str(path), "files": own_scenarios(self.folder)}

    def _worker(self, data: dict[str, Any]) -> Worker:
        pane = data["pane"]
        if pane not in range(PANES):
            raise ValueError
        return self._workers[pane]


def _pages() -> dict[str, Answer]:
    """What the page is made of, by address."""

    def own(name: str) -> str:
        return files("polhode.studio").joinpath("static", name).read_text(encoding="utf-8")

    scripts = {f"/{name}": own(name) for name in ("fields.js", "pane.js", "studio.js")} | {"/view.js": view_program()}
    styles = {"/studio.css": own("studio.css"), "/view.css": static_file("view.css")}
    found = {"/": Answer.html(own("studio.html"), POLICY)}
    found |= {path: Answer(text.encode(), SCRIPT) for path, text in scripts.items()}
    return found | {path: Answer(text.encode(), STYLE) for path, text in styles.items()}
