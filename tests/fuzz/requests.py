"""Requests to `fabricgen serve`: addresses, methods and headers of any form.

Owns the campaign `requests`: each is answered with a status below 500, and the next one as well.
"""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from fabricgen.cli.options import FabricArguments
from fabricgen.cli.serve import open_server
from tests.fuzz.documents import TOKENS
from tests.fuzz.program import Case, runs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fabricgen.serve.server import Server

PATHS = (
    "/",
    "/page",
    "/part/rails",
    "/part/cables",
    "/part/../..",
    "/build.zip",
    "/favicon.ico",
    "//",
    "/%2e%2e/etc/passwd",
    "/?",
    "*",
    "http://x/",
    "",
)
KEYS = ("gpus", "hb_domain", "radix", "planes", "design", "set", "x", "")


@st.composite
def requests(draw: st.DrawFn) -> bytes:
    """Draw a request."""
    method = draw(
        st.sampled_from(("GET", "GET", "GET", "HEAD", "POST", "PUT", "OPTIONS", "G\x00T", ""))
    )
    query = "&".join(
        f"{draw(st.sampled_from(KEYS))}={draw(st.sampled_from(TOKENS))[:300]}"
        for _ in range(draw(st.integers(0, 3)))
    )
    path = draw(st.sampled_from(PATHS)) + (f"?{query.replace(' ', '+')}" if query else "")
    host = draw(st.sampled_from(("{}", "{}", "{}", "localhost", "evil.example", "")))
    extra = draw(
        st.sampled_from(
            (
                "",
                "Accept-Encoding: gzip\r\n",
                "Sec-Fetch-Site: cross-site\r\n",
                "Content-Length: 99999999999\r\n",
                "X: " + "y" * 70_000 + "\r\n",
                "\x00\r\n",
            )
        )
    )
    version = draw(st.sampled_from(("HTTP/1.1", "HTTP/1.0", "HTTP/9", "")))
    return f"{method} {path} {version}\r\nHost: {host}\r\n{extra}\r\n".encode(
        "utf-8", "surrogateescape"
    )


_servers: list[Server] = []


def _port() -> int:
    """Serve a small fabric from a thread of this process, once."""
    if not _servers:
        server = open_server(
            FabricArguments(
                None,
                {"gpus": 64, "hb_domain": 8, "radix": 64, "design": None, "speed": None},
                None,
                (),
                (),
            ),
            0,
        )
        threading.Thread(target=server.serve_forever, daemon=True).start()
        _servers.append(server)
    return _servers[0].server_port


def close() -> None:
    """End the server of this process, if any. Its worker would keep the process alive."""
    for server in _servers:
        server.shutdown()
        server.server_close()
    _servers.clear()


def search_requests(sent: bytes, _: Path) -> Iterator[tuple[Case, str]]:
    """Send one request, and then a valid one."""
    host = f"127.0.0.1:{_port()}".encode()
    runs["serve"] += 1
    for request in (
        sent.replace(b"Host: {}", b"Host: " + host),
        b"GET /favicon.ico HTTP/1.1\r\nHost: " + host + b"\r\nConnection: close\r\n\r\n",
    ):
        answer = _exchange(request)
        if b"fault of fabricgen" in answer or re.match(rb"HTTP/\S+ 5", answer):
            yield (
                Case(("serve",), {"request": sent.decode("utf-8", "surrogateescape")}),
                f"answered {answer[:60]!r}",
            )
    if not answer:
        yield (
            Case(("serve",), {"request": sent.decode("utf-8", "surrogateescape")}),
            "the next request is not answered",
        )


def _exchange(request: bytes) -> bytes:
    """Send bytes, and return the beginning of the answer.

    It is empty where the connection is closed without one.
    """
    with (
        contextlib.suppress(OSError),
        socket.create_connection(("127.0.0.1", _port()), timeout=20) as wire,
    ):
        wire.sendall(request)
        wire.shutdown(socket.SHUT_WR)
        return wire.recv(4096)
    return b""
