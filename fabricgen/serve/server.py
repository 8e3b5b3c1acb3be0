"""The sockets of the server, and its access rules.

Owns the rules that keep the page on this machine: the server listens on the loopback address only,
and accepts only GET and HEAD, in requests that name this address. No other site can therefore reach
it by a name of its own (DNS rebinding) or from a page of its own.
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
from fabricgen.serve.routes import TEXT, Build, Response, respond
from fabricgen.serve.worker import RenderWorker

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.serve.plan_cache import PlanCache

HOST = "127.0.0.1"
NAMES = (HOST, "localhost", "[::1]")
"""The names by which a browser on this machine may request the page."""

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""The headers of every response.

The page contains a policy of its own, which is stricter about scripts: both apply.
"""


class Server(ThreadingHTTPServer):
    """Serves the plans of one cache on the loopback address.

    A worker process with a cache of its own makes long tables. Raises OSError where the port is in
    use or not allowed.
    """

    daemon_threads = True
    request_queue_size = 1024
    """Connections that may wait; a page requests many parts at once, more than the default of 5."""

    def __init__(
        self, plans: PlanCache, make: Callable[[], PlanCache], build: Build, port: int
    ) -> None:
        """Listen on a port, 0 for any free one; `make` makes the worker's cache, and is pickled."""
        self.plans, self.build, self.worker = plans, build, RenderWorker(make)
        super().__init__((HOST, port), Handler)
        self.worker.start()

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self.server_port}/"

    def server_bind(self) -> None:
        """Listen, without the DNS query of the base class for this machine's name."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, int(self.server_address[1])

    def server_close(self) -> None:
        """Close the socket, and end the worker."""
        super().server_close()
        self.worker.close()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - the signature is that of socketserver
        """Ignore closed connections: the browser closes one whenever a number is typed further."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = f"fabricgen/{__version__}", ""
    timeout = 60
    server: Server

    def do_GET(self) -> None:
        """Send the response, or the reason of a refusal."""
        refused = self._refused()
        self._send(refused or self._response())

    def do_HEAD(self) -> None:
        """Send the response without its body."""
        self.do_GET()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002 - the signature is that of http.server
        """Refuse a request in plain text, and close the connection without reading more."""
        self.close_connection = True
        unknown = (
            code == HTTPStatus.NOT_IMPLEMENTED
        )  # http.server's code for a method that has no function
        status, allow = (
            (HTTPStatus.METHOD_NOT_ALLOWED, {"Allow": "GET, HEAD"}) if unknown else (code, {})
        )
        self._send(
            Response.of(int(status), TEXT, f"{message or 'refused'}\n", Connection="close", **allow)
        )

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the signature is that of http.server
        """Print nothing: the browser shows the effect of each request."""

    def _refused(self) -> Response | None:
        """Refuse foreign host names and ports, and pages of other sites.

        A link on another site may open the page.
        """
        hosts = self.headers.get_all("Host") or [""]
        if len(hosts) > 1 or hosts[0] not in {
            f"{name}:{self.server.server_port}" for name in NAMES
        }:
            return Response.of(421, TEXT, f"request this page as {self.server.address}\n")
        foreign = self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin")
        if foreign and (self.headers.get("Sec-Fetch-Mode") != "navigate" or self.path != "/"):
            return Response.of(403, TEXT, "requests of other sites are refused\n")
        return None

    def _response(self) -> Response:
        """Return the response; a fault of fabricgen is reported in it and on the terminal."""
        path, _, query = self.path.partition("?")
        packed = "gzip" in self.headers.get("Accept-Encoding", "")
        try:
            return respond(
                self.server.plans,
                self.server.build,
                self.server.worker.part,
                path,
                query,
                packed=packed,
            )
        except Exception:  # noqa: BLE001 - one request must not end the server, and its fault is reported
            traceback.print_exc()
            return Response.of(
                500,
                TEXT,
                f"This is a fault of fabricgen {__version__}, not of your input."
                " The terminal of the server shows the place.\n",
            )

    def _send(self, sent: Response) -> None:
        """Send a response, with its body unless the request is HEAD."""
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
