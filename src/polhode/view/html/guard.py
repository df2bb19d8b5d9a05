"""Who may speak to a server of polhode: pages of its own address only.

A web page from anywhere can ask a browser to open a connection to this machine. Its `Origin` says where it came from, and
`Host` which name it used: both must be the server's own, else the request is refused.
"""

from __future__ import annotations

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
    if origin is not None and origin not in {f"http://{each}" for each in own}:
        return "foreign origin"
    return ""
