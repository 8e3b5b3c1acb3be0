"""The sockets, and who may ask.

Owns the rules that keep a page of this machine on this machine: only its loopback address is
listened at, only GET and HEAD are answered, and only to requests that name this address, so that no
site can reach it by a name of its own (DNS rebinding) or from a page of its own.
"""

from __future__ import annotations

import shutil
import sys
import traceback
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import TYPE_CHECKING, Any

from fabricgen import __version__
from fabricgen.serve.routes import TEXT, Answer, Build, answer
from fabricgen.serve.worker import RenderWorker

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.serve.sessions import PlanCache

HOST = "127.0.0.1"
NAMES = (HOST, "localhost", "[::1]")
"""What a browser on this machine may call it."""

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""What every answer carries. The page's own policy stands in it, and is stricter about scripts: both hold."""


class Server(ThreadingHTTPServer):
    """Serves one desk on the loopback address, with another beside it for long tables. Raises OSError where the port is taken, or not allowed."""

    daemon_threads = True
    request_queue_size = 1024
    """Connections that wait to be accepted; a page asks for many parts at once, and the usual 5 turns some away."""

    def __init__(
        self, desk: PlanCache, another: Callable[[], PlanCache], build: Build, port: int
    ) -> None:
        """Listen at a port, 0 for any that is free; `another` opens such a desk again, and must travel to another process."""
        self.desk, self.build, self.beside = desk, build, RenderWorker(another)
        super().__init__((HOST, port), Handler)
        self.beside.start()

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{HOST}:{self.server_port}/"

    def server_bind(self) -> None:
        """Listen, without asking anybody for this machine's name."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, int(self.server_address[1])

    def server_close(self) -> None:
        """Listen no more, and end the process beside."""
        super().server_close()
        self.beside.close()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - the signature is that of socketserver
        """Say nothing of a browser that hung up: it does so whenever a number is typed on."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = f"fabricgen/{__version__}", ""
    timeout = 60
    server: Server

    def do_GET(self) -> None:
        """Answer, or say why not."""
        refused = self._refused()
        self._send(refused or self._answer())

    def do_HEAD(self) -> None:
        """Answer without the body."""
        self.do_GET()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002 - the signature is that of http.server
        """Refuse what is no request of ours, in plain text, and hang up: what follows it is not read."""
        self.close_connection = True
        unknown = (
            code == HTTPStatus.NOT_IMPLEMENTED
        )  # what http.server calls a method without a function
        status, allow = (
            (HTTPStatus.METHOD_NOT_ALLOWED, {"Allow": "GET, HEAD"}) if unknown else (code, {})
        )
        self._send(
            Answer.of(int(status), TEXT, f"{message or 'refused'}\n", Connection="close", **allow)
        )

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the signature is that of http.server
        """Print nothing: whoever serves sees what happens in the browser."""

    def _refused(self) -> Answer | None:
        """Refuse who does not call this machine by its own name and port, and pages of other sites; a link from one may open the page."""
        hosts = self.headers.get_all("Host") or [""]
        if len(hosts) > 1 or hosts[0] not in {
            f"{name}:{self.server.server_port}" for name in NAMES
        }:
            return Answer.of(421, TEXT, f"this is {self.server.address} and no other\n")
        foreign = self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin")
        if foreign and (self.headers.get("Sec-Fetch-Mode") != "navigate" or self.path != "/"):
            return Answer.of(403, TEXT, "pages of other sites may not ask\n")
        return None

    def _answer(self) -> Answer:
        """Answer an address; a fault of ours is said, here and on the terminal."""
        path, _, query = self.path.partition("?")
        packed = "gzip" in self.headers.get("Accept-Encoding", "")
        try:
            return answer(
                self.server.desk,
                self.server.build,
                self.server.beside.part,
                path,
                query,
                packed=packed,
            )
        except Exception:  # noqa: BLE001 - one request must not end the program, and must not pass in silence
            traceback.print_exc()
            return Answer.of(
                500,
                TEXT,
                f"This is a fault of fabricgen {__version__}, not of your input. Its terminal shows where.\n",
            )

    def _send(self, sent: Answer) -> None:
        """Send an answer, its body only where it was asked for."""
        self.send_response(sent.status)
        for key, value in {
            "Content-Type": sent.kind,
            "Content-Length": str(sent.size),
            **HEADERS,
            **sent.headers,
        }.items():
            self.send_header(key, value)
        self.end_headers()
        with sent.body as body:
            if self.command != "HEAD":
                shutil.copyfileobj(body, self.wfile)
