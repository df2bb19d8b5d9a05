"""Pages served to a browser on this machine, by the standard library: `LocalServer` for any, `ViewServer` for a view.

A server listens on this machine only, refuses foreign requests (`guard.py`), and gives every answer a policy.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import parse_qsl, urlsplit

from ...errors import PolhodeError
from ...simulation.trajectory import Trajectory
from ..scene.scene import scene
from .guard import OWN_NAMES, refusal
from .page import page_head, page_html, page_policy

HOST = "127.0.0.1"
LARGEST_REQUEST = 2_000_000  # bytes
SLOWEST_REQUEST = 60.0  # seconds that a request may take to arrive
OTHER_PORTS = 20  # that are tried if the wanted one is taken


@dataclass(frozen=True)
class Request:
    """What a browser asks for: `data` is what a POST brings, as JSON."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    data: Any = None


@dataclass(frozen=True)
class Answer:
    """What a browser gets; `policy` is the Content-Security-Policy of a page, by default that of one without scripts."""

    body: bytes
    kind: str = "text/plain; charset=utf-8"
    status: int = HTTPStatus.OK
    policy: str = "default-src 'none'"

    @classmethod
    def html(cls, text: str, policy: str) -> Answer:
        """A page."""
        return cls(text.encode(errors="replace"), "text/html; charset=utf-8", policy=policy)

    @classmethod
    def json(cls, data: Any, status: int = HTTPStatus.OK) -> Answer:
        """Data for a program."""
        return cls(json.dumps(data).encode(), "application/json", status)

    @classmethod
    def failure(cls, status: HTTPStatus, message: str = "") -> Answer:
        """A refusal in words."""
        return cls((message or status.phrase).encode() + b"\n", status=status)


class LocalServer:
    """A server on this machine; `answer` makes the answer to each request. `close` ends it.

    Port 0 means any free port; if the port is taken, one of the next is used.
    """

    def __init__(self, answer: Callable[[Request], Answer], port: int = 8080) -> None:
        self._server = _listen(_handler(answer), port)
        self.address = f"http://{HOST}:{self._server.server_port}"
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Block until the server is closed, or Ctrl-C."""
        while not self._closed.wait(0.5):
            pass

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._closed.set()


class ViewServer(LocalServer):
    """A server that shows a trajectory; open `address` in a browser, and call `close` to end it.

    A long run is thinned; the address with `?from=T&to=T` shows a part of it, with as many frames.
    """

    def __init__(self, trajectory: Trajectory, port: int = 8080) -> None:
        self.shown = scene(trajectory)
        if self.shown.is_empty:
            raise PolhodeError(self.shown.note)
        self._trajectory = trajectory
        first, last = sorted((float(trajectory.t[0]), float(trajectory.t[-1])))
        self._whole = (first, last) if len(trajectory) > 1 else None
        self._policy = page_policy(page_head())
        super().__init__(self._answer, port)

    def _answer(self, request: Request) -> Answer:
        if request.method != "GET" or request.path != "/":
            return Answer.failure(HTTPStatus.NOT_FOUND)
        shown = self.shown
        try:
            start, end = (float(text) if (text := request.query.get(name)) else None for name in ("from", "to"))
            if start is not None or end is not None:
                shown = scene(self._trajectory.between(start, end))
        except ValueError as error:  # no number, or no samples there
            return Answer.failure(HTTPStatus.BAD_REQUEST, str(error))
        return Answer.html(page_html(shown, self._whole), self._policy)


def _listen(handler: type[BaseHTTPRequestHandler], port: int) -> ThreadingHTTPServer:
    wanted = [0] if port == 0 else [*range(port, min(port + OTHER_PORTS, 65536))]
    for number in wanted:
        try:
            return ThreadingHTTPServer((HOST, number), handler)
        except OSError as error:
            reason = error.strerror or str(error)
    raise PolhodeError(f"port {port}: {reason}; --port 0 takes any free one")


def _handler(answer: Callable[[Request], Answer]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = SLOWEST_REQUEST
        server_version, sys_version = "polhode", ""

        def do_GET(self) -> None:
            self._send(self._answer("GET"))

        def do_POST(self) -> None:
            self._send(self._answer("POST"))

        def _answer(self, method: str) -> Answer:
            port = cast(ThreadingHTTPServer, self.server).server_port
            hosts, origins = (self.headers.get_all(name, []) for name in ("Host", "Origin"))
            host = hosts[0] if len(hosts) == 1 else None
            origin = origins[0] if len(origins) == 1 else "several" if origins else None
            if reason := refusal(host, origin, port, OWN_NAMES):
                return Answer.failure(HTTPStatus.FORBIDDEN, reason)
            data = None
            if method == "POST":
                if self.headers.get_content_type() != "application/json":
                    return Answer.failure(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
                length = self.headers.get("Content-Length", "")
                if not length.isascii() or not length.isdigit():
                    return Answer.failure(HTTPStatus.LENGTH_REQUIRED)
                if len(length) > 10 or int(length) > LARGEST_REQUEST:
                    return Answer.failure(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
                try:
                    data = json.loads(self.rfile.read(int(length)))
                except (ValueError, RecursionError):
                    return Answer.failure(HTTPStatus.BAD_REQUEST, "not JSON")
            try:
                where = urlsplit(self.path)
                query = dict(parse_qsl(where.query, max_num_fields=20))
            except ValueError:
                return Answer.failure(HTTPStatus.BAD_REQUEST)
            return answer(Request(method, where.path, query, dict(self.headers.items()), data))

        def _send(self, answer: Answer) -> None:
            self.close_connection = True
            self.send_response(answer.status)
            headers = {
                "Content-Type": answer.kind,
                "Content-Length": str(len(answer.body)),
                "Content-Security-Policy": f"{answer.policy}; frame-ancestors 'none'",
                "Cross-Origin-Resource-Policy": "same-origin",
                "X-Content-Type-Options": "nosniff",
                "Referrer-Policy": "no-referrer",
                "Cache-Control": "no-store",
            }
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)

        def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
            """What the standard library refuses, such as other methods and endless headers, has the policy of every answer."""
            self._send(Answer.failure(HTTPStatus(code), message or ""))

        def handle(self) -> None:
            with suppress(ConnectionError):  # the browser went away
                super().handle()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler
