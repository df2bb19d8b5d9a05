"""Who may speak to the served view: pages of its own address only, under a policy that lets them load nothing from elsewhere.

A web page from anywhere can ask a browser to open a connection to this machine. Its `Origin` says where it came from, and
`Host` which name it used: both must be the server's own, else the request is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from ...errors import PolhodeError
from .policy import SERVED

OWN_NAMES = ("127.0.0.1", "localhost", "[::1]")


def refusal(host: str | None, origin: str | None, port: int, names: tuple[str, ...] = OWN_NAMES) -> str:
    """Why a request with these headers is refused; empty if it is not.

    >>> refusal("localhost:8080", None, 8080), refusal("localhost:8080", "http://localhost:8080", 8080)
    ('', '')
    >>> refusal("localhost:8080", "https://elsewhere.example", 8080)
    'foreign origin'
    >>> refusal("elsewhere.example:8080", None, 8080)
    'foreign host'
    """
    own = {f"{name}:{port}" for name in names}
    if host not in own:
        return "foreign host"
    if origin is not None and origin.removeprefix("http://") not in own:
        return "foreign origin"
    return ""


def guarded(process: Callable[..., Any]) -> Callable[..., Any]:
    """A handler of requests that refuses foreign ones, and gives the answers of `process` a policy."""

    def handle(connection: Any, request: Any) -> Any:
        local, port = connection.local_address[:2]
        headers = request.headers
        hosts, origins = (headers.get_all(name) for name in ("Host", "Origin"))
        host = hosts[0] if len(hosts) == 1 else None
        origin = origins[0] if len(origins) == 1 else "several" if origins else None
        if reason := refusal(host, origin, port, (*OWN_NAMES, str(local))):
            return connection.respond(HTTPStatus.FORBIDDEN, f"{reason}\n")
        answer = process(connection, request)
        if answer is not None:
            answer.headers["Content-Security-Policy"] = SERVED.format(host=host)
            answer.headers["X-Content-Type-Options"] = "nosniff"
            answer.headers["Referrer-Policy"] = "no-referrer"
        return answer

    return handle


@contextmanager
def guarded_server() -> Iterator[None]:
    """Guard the server that viser starts in this block; an error if it starts one in another way, unguarded."""
    import websockets.asyncio.server as library

    start, started = library.serve, []

    def serve(*args: Any, process_request: Any, **options: Any) -> Any:
        started.append(True)
        return start(*args, process_request=guarded(process_request), **options)

    library.serve = serve  # type: ignore[assignment, misc]
    try:
        yield
    finally:
        library.serve = start  # type: ignore[misc]
    if not started:
        raise PolhodeError("this version of viser cannot be guarded from foreign pages; polhode view --html FILE works")
