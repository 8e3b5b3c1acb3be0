"""The live report: answers to each address, access control, and agreement with the command line."""

from __future__ import annotations

import gzip
import http.client
import io
import json
import multiprocessing
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from fabricgen.api import plan_file, summary
from fabricgen.build import load_plan
from fabricgen.build.write.partial import partial
from fabricgen.catalog.catalog import Catalog
from fabricgen.cli import run
from fabricgen.cli.options import FabricArguments
from fabricgen.cli.serve import open_server
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.resources import shipped
from fabricgen.inventory.load import read_inventory
from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.report.report import PARTS
from fabricgen.planning.plan import make_plan
from fabricgen.serve import plan_cache, server
from fabricgen.serve.controls import control_of
from fabricgen.serve.plan_cache import CachedFabric, PlanCache
from fabricgen.serve.routes import SHORT
from fabricgen.serve.server import HOST, Server
from fabricgen.serve.zip_build import PLACE, BuildError, zipped
from tests import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fabricgen.planning.plan import Plan

TEXT = """\
name: west
gpus: 32
hb_domain: {gpus: 4}
rails: {per_switch: 2}
switches:
  leaf: {generic: {radix: 16}}
prices: paper-v5
outputs: [graph]
"""


class Got(NamedTuple):
    """A response."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()

    @property
    def json(self) -> Any:  # noqa: ANN401 - any JSON value
        """The body as JSON."""
        return json.loads(self.body)


@pytest.fixture(scope="module")
def fabric(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a small inventory."""
    path = tmp_path_factory.mktemp("served") / "west.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def served(fabric: Path) -> Iterator[Server]:
    """Serve it on a free port."""
    with open_server(FabricArguments(str(fabric), {}, None, (), ()), 0) as served:
        threading.Thread(target=served.serve_forever, args=(0.01,), daemon=True).start()
        yield served
        served.shutdown()


def ask(served: Server, path: str, method: str = "GET", **headers: str) -> Got:
    """Send a request unchanged; underscores in the names of headers are hyphens."""
    connection = http.client.HTTPConnection(HOST, served.server_port, timeout=60)
    connection.putrequest(method, path, skip_host="Host" in headers, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    answer = connection.getresponse()
    got = Got(answer.status, answer.headers, answer.read())
    connection.close()
    return got


def cache_of(path: Path) -> PlanCache:
    """Return a `Desk` for an inventory."""
    return PlanCache(lambda sets: read_inventory(str(path), sets), Catalog(), Packs())


def shown(fabric: CachedFabric) -> dict[str, str]:
    """Return the values of the controls of a fabric."""
    return {control["name"]: control["value"] for control in fabric.controls}


HOSTED = """\
name: hosted
gpus: 512
hb_domain: {gpus: 8}
host: {model: dgx-h100}
switches: {leaf: {model: sn5600}}
nos: sonic
"""
ROOM = "site: {rack: {units: 48}, hosts_per_rack: 4}\n"


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> PlanCache:
    """Return a cache for an inventory with a host model and a described room."""
    path = tmp_path_factory.mktemp("hosted") / "hosted.yaml"
    path.write_text(HOSTED + ROOM, encoding="utf-8")
    return cache_of(path)


@pytest.mark.parametrize(
    ("asked", "keys"),
    [
        ({"rails": "4"}, {"rails.count": 4}),
        ({"per_switch": "auto"}, {"rails.per_switch": "auto"}),
        ({"per_switch": "4", "gpus": "256"}, {"rails.per_switch": 4, "gpus": 256}),
        ({"design": "rail-optimized", "oversubscription": "3:1"},
         {"design": "rail-optimized", "oversubscription": "3:1"}),
        ({"prices": "street-2026-09"}, {"prices": "street-2026-09"}),
        ({"leaf": "qfx5240"}, {"switches": {"leaf": {"model": "qfx5240"}}, "nos": {}}),
        ({"host": "dgx-b200"}, {"host": {"model": "dgx-b200"}}),
        ({"gpus": "1152", "host": "gb200-nvl72", "rails": "9"},
         {"gpus": 1152, "host": {"model": "gb200-nvl72"}, "hb_domain": {"gpus": 72, "hosts": 18},
          "rails.count": 9}),
    ],
)  # fmt: skip
def test_each_control_sets_its_keys(
    tmp_path: Path, asked: dict[str, str], keys: dict[str, Any]
) -> None:
    """The figures are those of the inventory with these keys, and the controls have the values."""
    path = tmp_path / "hosted.yaml"
    path.write_text(HOSTED, encoding="utf-8")
    fabric = cache_of(path).fabric(asked)
    assert summary(fabric.plan) == summary(plan_file(path, keys))
    assert {name: shown(fabric)[name] for name in asked} == asked


def test_direct_rails_are_served(tmp_path: Path) -> None:
    """Sizes that make a graph have a page, without files of switches; others are refused."""
    example = (ROOT / "examples" / "direct-torus.yaml").read_text(encoding="utf-8")
    path = tmp_path / "torus.yaml"
    path.write_text(example.replace(", dimensions: [4, 4]", ""), encoding="utf-8")
    cache = cache_of(path)
    page = cache.fabric({"gpus": "160"}).page
    assert "each rail a torus-2d 4 x 5" in page["headline"]
    assert json.loads(gzip.decompress(cache.fabric({}).part("configs")))["switches"] == {}
    assert {control["name"] for control in cache.fabric({}).controls} >= {"gpus", "hb_domain"}
    with pytest.raises(Refusal) as refused:
        cache.fabric({"gpus": "136"})
    assert refused.value.findings[0].code == "topology-does-not-fit"


def test_controls_that_can_only_be_refused_are_fixed(hosted: PlanCache) -> None:
    """A host fixes the HB domain and its ports; a described room needs sizes of switches.

    What is not fixed is accepted, and so is each choice without a reason.
    """
    controls = {control["name"]: control for control in hosted.fabric({}).controls}
    fixed = {name for name, control in controls.items() if control["refused"]}
    assert fixed == {"hb_domain", "planes", "radix"}
    assert "host dgx-h100" in controls["hb_domain"]["refused"]
    assert "site.footprints.leaf.units" in controls["radix"]["refused"]
    fat_tree = hosted.fabric({"design": "fat-tree"}).controls
    assert "fat-tree" in {control["name"]: control for control in fat_tree}["per_switch"]["refused"]
    refused = {}
    for choice in controls["leaf"]["choices"]:
        try:
            hosted.fabric({"leaf": choice["value"]})
        except Refusal as refusal:
            refused[choice["value"]] = {finding.code for finding in refusal.findings}
    sizes = {choice["value"] for choice in controls["leaf"]["choices"] if choice["refused"]}
    without = {name for name, codes in refused.items() if "unknown-footprint" in codes}
    assert set() != without <= sizes <= refused.keys()


@pytest.mark.parametrize(
    ("asked", "control"),
    [
        ({"rails": "3"}, "rails"),
        ({"per_switch": "3"}, "per_switch"),
        ({"oversubscription": "many"}, "oversubscription"),
        ({"planes": "2"}, "planes"),
        ({"gpus": "1024", "host": "gb200-nvl72"}, "gpus"),
        ({"leaf": "z9864f"}, "leaf"),
        ({"host": "pcie-8gpu"}, "host"),
    ],
)
def test_a_refusal_belongs_to_the_control_that_caused_it(
    hosted: PlanCache, asked: dict[str, str], control: str
) -> None:
    """By its place where that is a key of a control, else the control that was changed last."""
    with pytest.raises(Refusal) as refused:
        hosted.fabric(asked)
    made = hosted.settings(asked)
    assert {control_of(finding.path, asked, made) for finding in refused.value.findings} == {
        control
    }


def test_a_query_names_models_of_the_catalog_only(served: Server) -> None:
    """No path of a query is read."""
    for query in ("prices=./own.yaml", "leaf=..%2Fsn5600", "host={model:%20gh200}"):
        assert ask(served, f"/sized?{query}").status == 400


def test_the_page_has_controls_and_loads_its_parts(served: Server) -> None:
    """The shell is that of the report.

    Long parts are not in it, and are fetched from this address only.
    """
    page = ask(served, "/")
    assert (page.status, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    blocks = dict(
        re.findall(r'<script type="application/json" data-part="(\w+)">(.*?)</script>', page.text)
    )
    assert set(blocks) == {"page", "controls"}
    controls = json.loads(blocks["controls"])
    assert {control["name"]: control["value"] for control in controls} == {
        "gpus": "32", "design": "rail-only", "host": "any", "hb_domain": "4", "leaf": "generic",
        "radix": "16", "rails": "4", "per_switch": "2", "planes": "1", "oversubscription": "1:1",
        "prices": "paper-v5",
    }  # fmt: skip
    assert ask(served, "/sized").json["page"] == json.loads(blocks["page"])
    assert not any(f'data-part="{part}"' in page.text for part in PARTS)
    assert "connect-src &#x27;self&#x27;" in page.text


def test_every_answer_has_the_security_headers(served: Server) -> None:
    """Nothing is cached, sniffed, framed, or sent on, for any request."""
    for path in (
        "/",
        "/sized?gpus=7",
        "/parts/rails",
        "/inventory.yaml",
        "/nothing",
        "/sized?frob=1",
    ):
        headers = ask(served, path).headers
        assert {"default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'"} <= set(
            headers["Content-Security-Policy"].split("; ")
        ), path
        reported = [
            headers[key]
            for key in (
                "X-Content-Type-Options",
                "Cache-Control",
                "Referrer-Policy",
                "Cross-Origin-Resource-Policy",
            )
        ]
        assert reported == ["nosniff", "no-store", "no-referrer", "same-origin"], path


@pytest.mark.parametrize(
    "query",
    [
        "gpus=64",
        "hb_domain=8",
        "radix=8",
        "planes=2",
        "design=fat-tree",
        "design=rail-optimized&gpus=128&radix=32",
    ],
)
def test_controls_are_planned(served: Server, fabric: Path, query: str) -> None:
    """The counts of the page are those of the inventory with these keys.

    They are those of its design in `compare`.
    """
    keys = {
        "gpus": "gpus",
        "hb_domain": "hb_domain.gpus",
        "radix": "switches.leaf.generic.radix",
        "planes": "rails.planes",
        "design": "design",
    }
    asked = dict(pair.split("=") for pair in query.split("&"))
    values: dict[str, Any] = {
        keys[name]: int(value) if value.isdigit() else value for name, value in asked.items()
    }
    if asked.get("design") == "fat-tree":
        values["rails.per_switch"] = 1
    wanted = summary(plan_file(fabric, values))
    got = ask(served, f"/sized?{query}").json
    assert got["page"]["counts"]["switches"] == wanted["switches"]["total"]
    assert got["page"]["counts"]["cables"] == wanted["cables"]["total"]
    shown = {control["name"]: control["value"] for control in got["controls"]}
    assert {name: shown[name] for name in asked} == asked


@pytest.mark.parametrize(
    ("query", "sets"),
    [
        ("gpus=33", ["gpus=33"]),
        ("gpus=many&planes=9", ["gpus=many", "rails.planes=9"]),
        ("hb_domain=5", ["hb_domain.gpus=5"]),
        ("radix=0", ["switches.leaf.generic.radix=0"]),
        ("design=ring", ["design=ring"]),
        ("radix=2&gpus=", ["gpus=", "switches.leaf.generic.radix=2"]),
        ("gpus=%1b[2J%3Cb%3E", ["gpus=\x1b[2J<b>"]),
    ],
)
def test_a_refusal_equals_that_of_the_command_line(
    served: Server, fabric: Path, capsys: pytest.CaptureFixture[str], query: str, sets: list[str]
) -> None:
    """It has the same findings, words and places."""
    assert run(["plan", str(fabric), *(word for text in sets for word in ("--set", text))]) == 2
    got = ask(served, f"/sized?{query}")
    assert got.status == 422
    assert got.json["text"] == capsys.readouterr().err.rstrip("\n")
    codes = re.findall(r"^error\[([a-z-]+)\]", got.json["text"], re.MULTILINE)
    assert [finding["code"] for finding in got.json["findings"]] == codes != []
    assert (
        ask(served, f"/parts/rails?{query}").text
        == ask(served, f"/inventory.yaml?{query}").text
        == got.json["text"] + "\n"
    )


def test_a_finding_names_its_control(served: Server) -> None:
    """The page explains it beside that control."""
    (finding,) = ask(served, "/sized?gpus=33").json["findings"]
    assert finding == {
        "code": "gpus-not-whole-domains",
        "fact": "33 GPUs do not fill whole HB domains of 4",
        "control": "gpus",
        "because": ["33 = 8 x 4 + 1"],
        "hint": "use `gpus: 32` or `gpus: 36`",
    }


def test_parts_are_of_the_same_plan(served: Server) -> None:
    """Every part is sent, compressed where the browser supports it, and of the fabric's length."""
    for part in PARTS:
        packed = ask(served, f"/parts/{part}?gpus=64", Accept_Encoding="br, gzip")
        plain = ask(served, f"/parts/{part}?gpus=64")
        assert (
            packed.status,
            packed.headers["Content-Encoding"],
            plain.headers["Content-Encoding"],
        ) == (200, "gzip", None)
        assert gzip.decompress(packed.body) == plain.body
    cables = ask(served, "/sized?gpus=64").json["page"]["counts"]["cables"]
    assert len(ask(served, "/parts/cables?gpus=64").json["columns"]["cable"]["steps"]) == cables


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/sized?frob=1", 400),
        ("/sized?gpus=32&gpus=64", 400),
        ("/sized?gpus", 400),
        (("/sized?gpus=") + "1" * 70, 400),
        (("/?set=name=x"), 400),
        ("/parts/", 404),
        ("/parts/secrets", 404),
        ("/parts/../../etc/passwd", 404),
        (("/%2e%2e/west.yaml"), 404),
        (("/west.yaml"), 404),
        ("//etc/passwd", 404),
        ("/sized/", 404),
        ("/index.html", 404),
        ("/parts/%72ails", 404),
    ],
)
def test_other_addresses_are_not_found(served: Server, path: str, status: int) -> None:
    """The addresses are fixed, and a query has controls only."""
    got = ask(served, path)
    assert (got.status, got.headers["Content-Type"]) == (status, "text/plain; charset=utf-8")


def test_only_this_host_name_is_answered(served: Server) -> None:
    """A site that resolves to this address gets nothing, nor does a page of another site.

    A link may open the page.
    """
    port = served.server_port
    assert served.server_address[0] == "127.0.0.1"
    for host in (
        "evil.example",
        f"evil.example:{port}",
        "127.0.0.1",
        f"127.0.0.1:{port + 1}",
        f"127.0.0.1.evil.example:{port}",
        "",
    ):
        assert ask(served, "/", Host=host).status == 421, host
    for host in (f"localhost:{port}", f"[::1]:{port}"):
        assert ask(served, "/sized", Host=host).status == 200, host
    assert ask(served, "/sized", Sec_Fetch_Site="cross-site").status == 403
    assert (
        ask(served, "/build.zip", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate").status
        == 403
    )
    assert ask(served, "/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate").status == 200
    assert ask(served, "/sized", Sec_Fetch_Site="same-origin").status == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "FROB"])
def test_requests_change_nothing(served: Server, method: str) -> None:
    """Other methods are refused."""
    got = ask(served, "/sized", method)
    assert (got.status, got.headers["Allow"], got.headers["Connection"]) == (
        405,
        "GET, HEAD",
        "close",
    )


def test_head_has_the_headers_of_get(served: Server) -> None:
    """It has no body."""
    head, got = ask(served, "/inventory.yaml", "HEAD"), ask(served, "/inventory.yaml")
    assert (head.status, head.body, head.headers["Content-Length"]) == (
        200,
        b"",
        str(len(got.body)),
    )


def files_of(root: Path) -> dict[str, bytes]:
    """Return the files of a build."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


def test_the_saved_files_are_those_of_a_build(served: Server, fabric: Path, tmp_path: Path) -> None:
    """The zip has the files of `build`, the same bytes each time.

    The inventory builds to them as well.
    """
    query, sets = (
        "gpus=64&radix=8&design=fat-tree",
        ["gpus=64", "design=fat-tree", "rails.per_switch=1", "switches.leaf.generic.radix=8"],
    )
    assert (
        run(
            ["build", str(fabric), *(f"--set={text}" for text in sets), "-o", str(tmp_path / "out")]
        )
        == 0
    )
    wanted = files_of(tmp_path / "out")
    first, second = (ask(served, f"/build.zip?{query}") for _ in range(2))
    assert (first.status, first.headers["Content-Disposition"]) == (
        200,
        'attachment; filename="west.zip"',
    )
    assert first.body == second.body
    with zipfile.ZipFile(io.BytesIO(first.body)) as archive:
        assert {
            name.removeprefix("west/"): archive.read(name) for name in archive.namelist()
        } == wanted
    inventory = ask(served, f"/inventory.yaml?{query}")
    assert inventory.headers["Content-Disposition"] == 'attachment; filename="west.yaml"'
    (tmp_path / "west.yaml").write_bytes(inventory.body)
    assert run(["build", str(tmp_path / "west.yaml"), "-o", str(tmp_path / "again")]) == 0
    assert files_of(tmp_path / "again") == wanted


def test_a_refused_build_is_reported_like_that_of_the_command() -> None:
    """Where a plan is valid and its build is not, the findings are sent, not an empty archive."""
    with pytest.raises(BuildError, match=r"^error\[no-room\]: it is full"):
        zipped(
            lambda _: [sys.executable, "-c", "import sys; sys.exit('error[no-room]: it is full')"],
            "west",
        )


def test_a_zip_removes_the_directory_of_a_killed_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next archive removes it, keeps that of a running server, and leaves none."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    dead = tmp_path / f".{PLACE}.abcd2345.partial"
    dead.mkdir()
    (dead / "west.zip").write_bytes(b"half")
    write = "import pathlib, sys; pathlib.Path(sys.argv[1]).write_bytes(b'whole')"
    with (
        partial(tmp_path / PLACE) as busy,
        zipped(lambda file: [sys.executable, "-c", write, str(file)], "west") as stream,
    ):
        assert stream.read() == b"whole"
        assert list(tmp_path.iterdir()) == [busy]


def test_a_killed_worker_is_replaced(served: Server) -> None:
    """The next request works, and so do many at once."""
    part = next(name for name in PARTS if name not in SHORT)
    for _ in range(2):
        assert ask(served, f"/parts/{part}?gpus=64").status == 200
        for worker in multiprocessing.active_children():
            worker.kill()
            worker.join()
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: ask(served, f"/parts/{part}?gpus=64").status, range(4)))
    assert answers == [200] * 4


def test_a_burst_of_connections_is_answered(served: Server) -> None:
    """All of them are open before the first one sends."""
    lines = [socket.create_connection((HOST, served.server_port), timeout=60) for _ in range(200)]
    for line in lines:
        line.sendall(
            f"GET /nothing HTTP/1.1\r\nHost: {HOST}:{served.server_port}\r\nConnection: "
            "close\r\n\r\n".encode()
        )
    for line in lines:
        with line, line.makefile("rb") as answer:
            assert answer.readline() == b"HTTP/1.1 404 Not Found\r\n"


def test_nothing_is_left_of_a_killed_server(fabric: Path, environment: dict[str, str]) -> None:
    """Neither its worker process nor a build that it started."""
    command = [sys.executable, "-m", "fabricgen", "serve", str(fabric), "--port", "0"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as child:
        assert child.stdout is not None
        address = re.match(r"http://127\.0\.0\.1:(\d+)/", child.stdout.readline())
        assert address
        connection = http.client.HTTPConnection(HOST, int(address[1]), timeout=60)
        connection.request("HEAD", "/parts/cables")
        assert connection.getresponse().status == 200
        connection.close()
        child.kill()
    assert gone(child.pid)


def test_a_build_of_the_page_ends_with_the_page(
    fabric: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    """Closing its standard input ends it, and it leaves nothing."""
    command = [
        sys.executable,
        "-m",
        "fabricgen.cli.child",
        "build",
        str(fabric),
        "--set=gpus=4096",
        "--archive",
        str(tmp_path / "west.zip"),
    ]
    with subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,
        start_new_session=True,
        stderr=subprocess.DEVNULL,
    ) as child:
        pass  # closes its standard input, and waits
    assert child.returncode
    assert gone(child.pid)
    assert not list(tmp_path.iterdir())


def gone(group: int) -> bool:
    """Wait until a process group is empty. False if it has a member after half a minute."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def test_requests_share_one_plan(fabric: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests at the same time plan a fabric once, and get the same plan.

    The last few are kept.
    """
    planned: list[int] = []

    def counted(*arguments: Any) -> Plan:  # noqa: ANN401 - any argument of make_plan
        planned.append(arguments[0].gpus)
        return make_plan(*arguments)

    monkeypatch.setattr(load_plan, "make_plan", counted)
    own = cache_of(fabric)
    with ThreadPoolExecutor(4) as pool:
        sized = list(pool.map(lambda _: own.fabric({"gpus": "64"}), range(8)))
    assert all(each is sized[0] for each in sized)
    assert planned == [64]
    for gpus in range(4, 4 * plan_cache.KEPT + 4, 4):
        own.fabric({"gpus": str(gpus)})
    assert own.fabric({"gpus": "64"}) is not sized[0]
    assert own.fabric({"gpus": "64"}).page == sized[0].page


def test_the_page_follows_the_file(tmp_path: Path) -> None:
    """The inventory is read again, and controls are compared with its new values."""
    path = tmp_path / "west.yaml"
    path.write_text(TEXT, encoding="utf-8")
    own = cache_of(path)
    assert own.fabric({}).plan.fabric.gpus == 32
    path.write_text(TEXT.replace("gpus: 32", "gpus: 64"), encoding="utf-8")
    assert own.fabric({}).plan.fabric.gpus == own.fabric({"gpus": "64"}).plan.fabric.gpus == 64
    assert own.fabric({"gpus": "64"}).settings == ()


def test_a_model_keeps_its_radix_or_is_replaced(tmp_path: Path) -> None:
    """The radix of a model under other planes is still the model.

    Another radix is a generic switch without the NOS.
    """
    path = tmp_path / "twin.yaml"
    text = (shipped("inventories") / "b300-twin-plane.yaml").read_text(encoding="utf-8")
    path.write_text(
        text.replace(", breakout: 2x400G", "").replace("gpus: 4096", "gpus: 512"), encoding="utf-8"
    )
    own = cache_of(path)
    as_it_is, one_plane = own.fabric({}), own.fabric({"planes": "1"})
    radix, of_one_plane = shown(as_it_is)["radix"], shown(one_plane)["radix"]
    assert own.fabric({"radix": radix}) is as_it_is
    assert of_one_plane != radix
    assert own.fabric({"planes": "1", "radix": of_one_plane}) is one_plane
    other = own.fabric({"radix": "256"})
    assert shown(as_it_is)["leaf"] == "sn5600"
    assert (shown(other)["leaf"], shown(other)["radix"]) == ("generic", "256")
    assert other.settings == ("switches={leaf: {generic: {radix: 256}}}", "nos={}")


def test_a_fault_is_reported_and_the_server_continues(
    served: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A fault of the program is printed on the terminal, and not in the browser."""

    def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError("of ours")

    monkeypatch.setattr(server, "respond", fails)
    got = ask(served, "/")
    assert got.status == 500
    assert "fault of fabricgen" in got.text
    assert "ZeroDivisionError" not in got.text
    assert "ZeroDivisionError: of ours" in capsys.readouterr().err
    monkeypatch.undo()
    assert ask(served, "/sized").status == 200


def test_ctrl_c_ends_with_0(fabric: Path, environment: dict[str, str]) -> None:
    """The command prints the address of the page, serves it, and ends with 0."""
    command = [sys.executable, "-m", "fabricgen", "serve", str(fabric), "--port", "0"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        address = re.match(r"http://127\.0\.0\.1:(\d+)/", child.stdout.readline())
        assert address
        connection = http.client.HTTPConnection(HOST, int(address[1]), timeout=60)
        connection.request("HEAD", "/sized")
        assert connection.getresponse().status == 200
        connection.close()
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=60)
    assert (child.returncode, err.strip()) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "code", "output"),
    [
        (["--port", "PORT"], 2, "is not available"),
        (["--port", "PORT"], 2, "`--port 0` selects a free one"),
        (["--port", "70000"], 2, "not in the range"),
        (["--set", "gpus=33"], 2, "error[gpus-not-whole-domains]"),
        (["-"], 2, "give a file instead of `-`"),
    ],
)
def test_invalid_arguments_are_refused(
    served: Server,
    fabric: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    output: str,
) -> None:
    """They are a port in use, an invalid inventory and standard input."""
    words = [word.replace("PORT", str(served.server_port)) for word in arguments]
    assert run(["serve", *([] if words == ["-"] else [str(fabric)]), *words]) == code
    assert output in capsys.readouterr().err.replace("\n", " ").replace("  ", " ")
