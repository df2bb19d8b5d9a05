"""Text from files is text in every page, the pages' policy forbids everything else, and foreign pages are refused."""

from __future__ import annotations

import re
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import polhode as ph
from polhode.view.html.guard import refusal
from polhode.view.html.page import save_page
from polhode.view.html.report import save_report
from polhode.view.summary import title_of
from tests.tiers import later

from .browser import complaints, needs_browser, requests

MARK = "document.title='hit'"
TITLES = [
    f"<script>{MARK}</script>",
    f"</script><script>{MARK}</script>",
    f"</title><script>{MARK}</script>",
    "<!--<script>",
    "<!-- <script> </script",
    f"<img src=x onerror={MARK}>",
    f"<svg onload={MARK}><iframe srcdoc='<script>parent.{MARK}</script>'>",
    '"><b>bold',
    "![](http://127.0.0.1:9/x.png) <img src='http://127.0.0.1:9/y.png'>",
    "{(() => { document.title = 'hit' })()} <style>*{display:none}</style>",
    "\u202eturned \x1b[31m \x00 \u2028",
    "[a](javascript:alert(1)) & &amp; $\\frac{1}{0}$",
    "\ud800 alone",
]


def titled(title: str) -> ph.Trajectory:
    provenance = {"title": title, "description": title, "scenario": title, "scenario_file": title, "overrides": [title]}
    return ph.simulate(ph.FreeRigidBody.example(), step=0.1, steps=5, provenance=provenance)


@pytest.fixture
def elsewhere() -> Iterator[tuple[str, list[str]]]:
    """The address of a foreign server, and what it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


@needs_browser
@pytest.mark.parametrize(
    ("kind", "title"),
    later(
        product(["page", "report"], TITLES),
        lambda case: case[0] == "report" and case[1] not in TITLES[:4],
        lambda case: f"{case[0]}-{case[1]!a}",
    ),
)
def test_titles_are_text_in_written_pages(kind: str, title: str, chromium: Any, tmp_path: Path) -> None:
    run, file = titled(title), tmp_path / "page.html"
    (save_page if kind == "page" else save_report)(run, file)
    chromium.get("about:blank")
    complaints(chromium), requests(chromium)
    chromium.get(file.as_uri())
    shown = chromium.execute_script("return document.querySelector('.title b').textContent")
    assert shown == title_of(run)
    assert chromium.execute_script("return document.querySelectorAll('canvas').length") == 1
    if kind == "report":
        assert chromium.execute_script("return document.querySelector('h1').textContent") == title_of(run)
        headings = chromium.execute_script("return [...document.querySelectorAll('h2')].map(e => e.textContent)")
        assert headings[-1] == "References"  # nothing swallowed the rest
    assert chromium.title != "hit"
    assert chromium.execute_script("return document.querySelectorAll('iframe, img[src=x], svg').length") == 0
    assert complaints(chromium) == []
    assert requests(chromium) == [file.as_uri()]


@needs_browser
@pytest.mark.parametrize(
    "markup",
    [
        f"<script>{MARK}</script>",
        f"<img src='data:,' onerror={MARK}>",
        f"<iframe srcdoc='<script>parent.{MARK}</script>'></iframe>",
        f"<iframe src='javascript:parent.{MARK}'></iframe>",
        "<img src='@/x.png'><link rel=stylesheet href='@/x.css'>",
        "<base href='@/'><script src='x.js'></script>",
    ],
)
@pytest.mark.parametrize("kind", ["page", "report"])
def test_markup_that_slipped_in_does_nothing(
    kind: str, markup: str, chromium: Any, elsewhere: tuple[str, list[str]], tmp_path: Path
) -> None:
    """The second line of defence, tested by itself: markup is put into the finished page."""
    address, asked = elsewhere
    file = tmp_path / "page.html"
    (save_page if kind == "page" else save_report)(titled("a body"), file)
    text = file.read_text(encoding="utf-8")
    assert "<body>" in text
    file.write_text(text.replace("<body>", f"<body>{markup.replace('@', address)}"), encoding="utf-8")
    chromium.get(file.as_uri())
    assert chromium.execute_script("return document.querySelector('.title b').textContent") == "a body"
    assert chromium.title == "a body"
    assert asked == []


def test_the_policy_names_what_the_page_holds(tmp_path: Path) -> None:
    save_page(titled("a body"), tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    parts = dict(part.strip().split(" ", 1) for part in unescape(policy).split(";"))
    assert parts["default-src"] == "'none'"
    assert parts["script-src"].count("sha256-") == 2
    assert "unsafe" not in policy
    assert text.index("Content-Security-Policy") < text.index("<title>")


@pytest.fixture
def server() -> Iterator[Any]:
    from polhode.view.html.server import ViewServer

    made = ViewServer(titled("<img src='http://127.0.0.1:9/x.png'> {alert(1)} **bold** </b>"), 0)
    yield made
    made.close()


def status(address: str, **headers: str) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:  # which holds the answer
            return error.code


def test_foreign_origins_and_hosts_are_refused(server: Any) -> None:
    address, port = server.address, server.address.rpartition(":")[2]
    own, foreign = f"http://localhost:{port}", "https://elsewhere.example"
    assert status(address) == 200
    assert status(address, Origin=own) == 200
    assert status(address, Origin=foreign) == 403
    assert status(address, Origin="null") == 403
    assert status(address, Origin="http://localhost:1") == 403
    assert status(address, Host=f"elsewhere.example:{port}") == 403
    assert status(f"{address}/../../etc/passwd") == 404
    assert status(f"{address}/view.html") == 404
    assert status(f"{address}/?from=0.1&to=0.3") == 200
    for part in ("from=9", "from=x", "to=nan", "from=0.3&to=0.1", "from=<script>"):
        assert status(f"{address}/?{part}") == 400
    with urllib.request.urlopen(address, timeout=60) as answer:
        policy = answer.headers["Content-Security-Policy"]
        assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    for part in ("default-src 'none'", "frame-src 'none'", "frame-ancestors 'none'"):
        assert part in policy
    assert "unsafe" not in policy
    assert "http" not in policy


def test_a_server_takes_the_next_port_and_refuses_what_is_too_large(server: Any) -> None:
    from polhode.view.html.server import LARGEST_REQUEST, Answer, LocalServer, Request

    heard: list[Request] = []

    def answer(request: Request) -> Answer:
        heard.append(request)
        return Answer.json({})

    port = int(server.address.rpartition(":")[2])
    other = LocalServer(answer, port)
    try:
        assert other.address != server.address
        for body, kind, expected in (
            (b'{"a": 1}', "application/json", 200),
            (b'{"a": 1}', "text/plain", 415),  # what a form of a foreign page can send without asking
            (b"{", "application/json", 400),
            (b"[" * 100_000, "application/json", 400),
            (b" " * (LARGEST_REQUEST + 1), "application/json", 413),
        ):
            request = urllib.request.Request(other.address, body, {"Content-Type": kind})
            try:
                with urllib.request.urlopen(request, timeout=60) as found:
                    code = found.status
            except urllib.error.HTTPError as error:
                with error:
                    code = error.code
            except (ConnectionError, urllib.error.URLError):  # refused before all of it was sent
                code = 413
            assert code == expected
        assert [request.data for request in heard] == [{"a": 1}]
    finally:
        other.close()


@needs_browser
def test_titles_are_text_in_the_served_view(server: Any, chromium: Any) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    chromium.get("about:blank")
    complaints(chromium), requests(chromium)
    chromium.get(server.address)
    found = "return [...document.querySelectorAll('b')].map(e => e.textContent)"
    WebDriverWait(chromium, 300).until(lambda driver: server.shown.title in driver.execute_script(found))
    assert chromium.execute_script("return document.querySelectorAll('img[src^=http], iframe').length") == 0
    assert requests(chromium) == [f"{server.address}/"]
    assert complaints(chromium) == []


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("PUT / HTTP/1.0", 501),
        ("<script> / HTTP/1.0", 501),
        ("GET /" + "a" * 70_000 + " HTTP/1.0", 414),
        ("GET / HTTP/1.0\r\nX: " + "y" * 70_000, 431),
        ("GET / HTTP/1.0\r\n" + "X: y\r\n" * 300, 431),
    ],
    ids=lambda each: str(each)[:30],
)
def test_what_the_standard_library_refuses_has_the_policy_too(server: Any, line: str, status: int) -> None:
    host, port = server.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(f"{line}\r\nHost: {host}:{port}\r\n\r\n".encode())
        answer = b""
        try:
            while part := connection.recv(65536):
                answer += part
        except ConnectionResetError:  # it does not read all that was sent
            pass
    head, _, body = answer.decode().partition("\r\n\r\n")
    assert head.startswith(f"HTTP/1.0 {status} ")
    assert "Content-Security-Policy: default-src 'none'" in head
    assert "Content-Type: text/plain" in head
    assert "<html" not in body


def test_an_origin_has_a_scheme() -> None:
    assert refusal("localhost:80", "http://localhost:80", 80) == ""
    for origin in ("localhost:80", "https://localhost:80", "http://http://localhost:80", "http://localhost:80/", ""):
        assert refusal("localhost:80", origin, 80) == "foreign origin"
