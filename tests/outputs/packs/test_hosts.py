"""The packs of hosts.

Their files are accepted by netplan's generator, FRR's parser, the kernel and a shell, and the
routes are the plan's.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import subprocess
from functools import cache
from ipaddress import ip_network
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from pydantic import ValidationError

from fabricgen.build.group_hosts import host_outputs
from fabricgen.build.run import build
from fabricgen.catalog.models.host import HostPort
from fabricgen.inventory.load import read_inventory
from fabricgen.outputs.packs.pack_output import PackOutput
from fabricgen.outputs.packs.render import Packs
from fabricgen.views.hosts.build import Hosts
from fabricgen.views.hosts.direct import hosts_of
from tests import ROOT
from tests.conftest import SYSTEM_PATH
from tests.fabrics import CATALOG, IPV6, build_context, build_job, plan_file, plan_of, set_limit
from tests.nos.frr import validate
from tests.outputs.packs.netplan import sections
from tests.outputs.packs.nic_tools import make_nics, run_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fabricgen.planning.plan import Plan
    from fabricgen.views.hosts.view import HostView

LARGEST = 65_536
"""GPUs. Larger ready fabrics have hosts like the others."""

DGX: dict[str, Any] = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "sn5600"}},
}
UNNUMBERED: dict[str, Any] = {"addressing": {"host_links": "unnumbered"}}
VARIANTS: dict[str, dict[str, Any]] = {
    "rail-only": {},
    "four rails": {"rails": {"count": 4}},
    "two planes": {"host": {"model": "dgx-b300"}, "rails": {"planes": 2}},
    "rail-optimized": {"design": "rail-optimized"},
    "fat-tree": {"design": "fat-tree"},
    "a tray": {"gpus": 144, "hb_domain": {"gpus": 72}, "host": {"model": "gb200-nvl72"}},
    "shared boxes": {"rails": {"per_switch": 2}},
    "IPv6 pools": {"addressing": IPV6, "nccl": {"version": "2.30.7"}},
}
"""Numbered fabrics, as changes to eight DGX H100."""
DIRECT: dict[str, Any] = {
    "nic": {"split": "4x100G"},
    "rails": {"medium": "direct", "topology": {"kind": "torus-2d"}},
}
"""Rails without switches."""


class Shown(NamedTuple):
    """A host, and its files by path below its directory."""

    view: HostView
    files: dict[str, str]


def shown(plan: Plan, host: int) -> Shown:
    """Render the files of one host."""
    context = build_context(plan, Packs(), ("hosts",))
    (view,) = hosts_of(plan).views([host])
    files = {}
    for pack, output in host_outputs(context):
        for nic in view.nics if output.each == "nic" else [None]:
            path = output.path.format(host="", interface=nic.interface if nic else "").removeprefix(
                "hosts//"
            )
            files[path] = context.packs.render(pack, output.template, host=view, nic=nic)
    return Shown(view, files)


@cache
def variant(name: str) -> Shown:
    """Render the second host of a variant once for all tests, which must not change the texts."""
    return shown(plan_of(**DGX | VARIANTS[name]), 1)


def ready() -> Iterator[Path]:
    """List the ready fabrics of Ethernet switches."""
    for path in sorted([*ROOT.glob("inventories/*.yaml"), *ROOT.glob("examples/*.yaml")]):
        spec = read_inventory(str(path)).spec
        model = spec.switches.leaf.model and CATALOG.switch(spec.switches.leaf.model)
        packets = not model or model.transport == "ethernet"
        if spec.gpus <= LARGEST and packets and spec.rails.medium == "packet":
            yield path


READY = list(ready())

NICS = [f"ens{slot}f{port}np{port}" for slot in range(1, 9) for port in (0, 1)]
RDMA = [f"mlx5_{at}" for at in range(16)]


@pytest.mark.parametrize("model", ["dgx-b300", None])
def test_names_of_nics_in_the_inventory_reach_every_file(model: str | None) -> None:
    """They replace the placeholders, GPU by GPU and plane by plane for each GPU."""
    host = {"nics": NICS, "rdma": RDMA} | ({"model": model} if model else {})
    one = shown(plan_of(**DGX | {"host": host, "rails": {"planes": 2}}), 0)
    seats = [(nic.gpu, nic.plane, nic.interface, nic.rdma) for nic in one.view.nics]
    assert seats[:3] == [
        ("d0-g0", 0, "ens1f0np0", "mlx5_0"),
        ("d0-g0", 1, "ens1f1np1", "mlx5_1"),
        ("d0-g1", 0, "ens2f0np0", "mlx5_2"),
    ]
    assert (one.view.placeholders, one.view.notes) == (False, [])
    assert "networkd/10-ens8f1np1.network" in one.files
    for path in ("netplan/60-rails.yaml", "nccl.conf", "probe.sh", "nics.csv"):
        names = RDMA if path == "nccl.conf" else NICS
        assert all(name in one.files[path] for name in names), path
        assert "nic0" not in one.files[path], path


def test_names_of_nics_without_rdma_devices() -> None:
    """Interface names alone are enough for netplan; NCCL still needs the devices."""
    one = shown(plan_of(**DGX | {"host": {"nics": NICS[::2]}, "rails": {"count": 8}}), 0)
    assert one.view.nics[7].interface == "ens8f0np0"
    assert "ens8f0np0" in one.files["netplan/60-rails.yaml"]
    assert "NCCL_IB_HCA is not set" in one.files["nccl.conf"]


# --- netplan and networkd


@pytest.fixture
def generate(
    tool: Callable[[str], str], tmp_path: Path
) -> Callable[[str], subprocess.CompletedProcess[str]]:
    """Return a function that generates networkd's files from netplan's YAML.

    They are below the test's own directory.
    """
    program = tool("netplan")

    def start(text: str) -> subprocess.CompletedProcess[str]:
        path = tmp_path / "etc/netplan/60-rails.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o600)
        return subprocess.run(
            [program, "generate", "--root-dir", tmp_path],
            capture_output=True,
            text=True,
            check=False,
            env={"PATH": SYSTEM_PATH},
        )

    return start


def assert_same(one: Shown, generated: Path) -> None:
    """Assert that our networkd files equal those of netplan."""
    ours = {
        path.removeprefix("networkd/10-"): sections(text)
        for path, text in one.files.items()
        if path.startswith("networkd/")
    }
    theirs = {
        path.name.removeprefix("10-netplan-"): sections(path.read_text(encoding="utf-8"))
        for path in generated.glob("*.network")
    }
    assert ours == theirs
    assert len(ours) == len(one.view.nics) + 1


def test_ready_fabrics_are_found() -> None:
    """The collector below finds inventories."""
    assert len(READY) >= 12
    assert all(Hosts(plan_file(path)).ethernet for path in READY)


@pytest.mark.parametrize("where", [0, 0.5, 1], ids=["first", "middle", "last"])
@pytest.mark.parametrize("path", READY, ids=lambda path: path.stem)
def test_netplan_accepts_the_hosts_of_a_ready_fabric(
    path: Path,
    where: float,
    generate: Callable[[str], subprocess.CompletedProcess[str]],
    tmp_path: Path,
) -> None:
    """The files that it generates for networkd are those that we write."""
    plan = plan_file(path)
    one = shown(plan, int(where * (len(plan.hosts) - 1)))
    done = generate(one.files["netplan/60-rails.yaml"])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert_same(one, tmp_path / "run/systemd/network")


@pytest.mark.parametrize(
    "more",
    [
        *VARIANTS.values(),
        UNNUMBERED,
        UNNUMBERED | {"design": "rail-optimized"},
        DIRECT,
        DIRECT | {"addressing": IPV6},
    ],
    ids=[*VARIANTS, "unnumbered", "unnumbered spines", "direct", "direct IPv6"],
)
def test_netplan_and_networkd_agree(
    more: dict[str, Any],
    generate: Callable[[str], subprocess.CompletedProcess[str]],
    tmp_path: Path,
) -> None:
    """Every kind of fabric."""
    one = shown(plan_of(**DGX | more), 1)
    done = generate(one.files["netplan/60-rails.yaml"])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert_same(one, tmp_path / "run/systemd/network")


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("via: 10.", "via: x10."),
        ("table: 1000", "table: rail0"),
        ("type: unreachable", "type: lost"),
        ("mtu: 9216", "mtu: big"),
        ("/31]", "/33]"),
    ],
)
def test_netplan_finds_errors(
    good: str, bad: str, generate: Callable[[str], subprocess.CompletedProcess[str]]
) -> None:
    """Each injected error is found."""
    text = variant("rail-only").files["netplan/60-rails.yaml"]
    assert good in text
    done = generate(text.replace(good, bad, 1))
    assert done.returncode
    assert "60-rails.yaml" in done.stderr


# --- the kernel


@pytest.fixture(scope="session")
def in_namespace(
    tool: Callable[[str], str], out_of_reach: Callable[[str], None]
) -> Callable[[str], str]:
    """Return a function that runs a shell script in its own network namespace.

    It has a management network, and the function returns the output.
    """
    command = [tool("unshare"), "--user", "--map-root-user", "--net", tool("sh"), "-s"]
    environment = {"PATH": SYSTEM_PATH, "LC_ALL": "C"}
    management = """set -eu
    ip link set lo up
    ip link add mgmt type veth peer name far
    ip link set far up; ip link set mgmt up
    ip address add 192.0.2.2/24 dev mgmt
    ip route add default via 192.0.2.1
    ip address add 3fff:1::2/64 dev mgmt nodad
    ip route add default via 3fff:1::1
    """
    tried = subprocess.run(
        command, input=management, capture_output=True, text=True, check=False, env=environment
    )
    if tried.returncode:
        out_of_reach(f"no network namespace can be made here: {tried.stderr.strip()}")

    def start(script: str) -> str:
        done = subprocess.run(
            command,
            input=management + script,
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return start


def cabled(one: Shown) -> str:
    """Return commands that give a host its NIC ports.

    Each is a veth whose other end is the leaf.
    """
    pairs = (
        f"ip link add {nic.interface} type veth peer name leaf{index}; ip link set leaf{index} up"
        for index, nic in enumerate(one.view.nics)
    )
    return "\n".join([*pairs, ""])


Asked = tuple[str, str]
"""A destination, and the source's address, or none for an unbound socket."""


def looked_up(asked: list[Asked]) -> str:
    """Return commands that look routes up as JSON lines.

    An unreachable destination is an empty list.
    """
    lines = (
        f"ip -json route get {to}{f' from {source}' if source else ''} 2>/dev/null || echo '[]'"
        for to, source in asked
    )
    return (
        "\n".join(line + " | tr -d '\\n'; echo" for line in (f"{{ {line}; }}" for line in lines))
        + "\n"
    )


def answers(printed: str) -> list[tuple[str, str, str] | None]:
    """Return the interface, the gateway and the source of each lookup, or None without a route."""
    found = [json.loads(line) for line in printed.splitlines() if line.startswith("[")]
    return [
        (route[0]["dev"], route[0].get("gateway", ""), route[0].get("prefsrc") or route[0]["from"])
        if route
        else None
        for route in found
    ]


def there(prefix: str) -> str:
    """Return an address of a prefix that no host here has: the last one."""
    return str(ip_network(prefix)[-1])


def expected(one: Shown) -> dict[Asked, tuple[str, str, str] | None]:
    """Return the expected routes to every rail, from every address and from none."""
    nics = one.view.nics
    wanted: dict[Asked, tuple[str, str, str] | None] = {}
    for prefix in dict.fromkeys(nic.rail_prefix for nic in nics):
        first = next(nic for nic in nics if nic.rail_prefix == prefix)
        wanted[there(prefix), ""] = first.interface, first.gateway, first.address
        for nic in nics:
            wanted[there(prefix), nic.address] = (
                (nic.interface, nic.gateway, nic.address) if nic.rail_prefix == prefix else None
            )
    away = "198.51.100.1" if one.view.family == "ipv4" else "3fff::1"
    for nic in nics:
        wanted[away, nic.address] = None
    return wanted | {
        (away, ""): ("mgmt", "192.0.2.1", "192.0.2.2")
        if one.view.family == "ipv4"
        else ("mgmt", "3fff:1::1", "3fff:1::2"),
        (there(one.view.routes[0].destination), nics[0].address): wanted_far(one),
    }


def wanted_far(one: Shown) -> tuple[str, str, str] | None:
    """Return how the first NIC reaches the last address of the fabric.

    Within its own prefix it needs no gateway.
    """
    first, far = one.view.nics[0], there(one.view.routes[0].destination)
    return (
        (first.interface, first.gateway, first.address) if there(first.rail_prefix) == far else None
    )


@pytest.mark.parametrize("name", VARIANTS)
def test_the_kernel_routes_as_planned(name: str, in_namespace: Callable[[str], str]) -> None:
    """The script runs twice.

    Then each rail is reached by its own NIC, and other rails and networks from no address of the
    fabric.
    """
    one = variant(name)
    wanted = expected(one)
    assert None in wanted.values()
    printed = in_namespace(
        cabled(one)
        + 2 * f"sh -s <<'RAILS'\n{one.files['rails.sh']}RAILS\n"
        + looked_up(list(wanted))
    )
    assert dict(zip(wanted, answers(printed), strict=True)) == wanted


def test_a_rail_that_is_down_has_no_other_path(
    in_namespace: Callable[[str], str],
) -> None:
    """Neither another rail nor the management network with its default route is used.

    The same holds for rails without a NIC.
    """
    one = variant("a tray")
    nic = one.view.nics[0]
    asked = [
        (there(nic.rail_prefix), ""),
        ("10.0.0.1", ""),
        (there(one.view.nics[1].rail_prefix), ""),
    ]
    printed = in_namespace(
        cabled(one)
        + one.files["rails.sh"]
        + f"ip link set {nic.interface} down\n"
        + looked_up(asked)
    )
    assert [found and found[0] for found in answers(printed)] == [
        None,
        None,
        one.view.nics[1].interface,
    ]


def test_an_unnumbered_host_uses_its_own_rails(in_namespace: Callable[[str], str]) -> None:
    """A route like one from BGP serves the address of its own rail and unbound sockets.

    No other rail's address uses it.
    """
    one = shown(plan_of(**DGX | UNNUMBERED), 1)
    own, other = one.view.nics[:2]
    far = there(own.rail_prefix)
    learnt = f"ip route add {far} via inet6 fe80::1 dev {own.interface}\n"
    printed = in_namespace(
        cabled(one)
        + one.files["rails.sh"]
        + one.files["rails.sh"]
        + learnt
        + looked_up([(far, ""), (far, own.address), (far, other.address)])
    )
    assert [found and (found[0], found[2]) for found in answers(printed)] == [
        (own.interface, own.address),
        (own.interface, own.address),
        None,
    ]


def test_the_kernel_knows_the_settings(in_namespace: Callable[[str], str]) -> None:
    """The names in sysctl.conf exist, and the script sets the same."""
    one = variant("rail-only")
    names = [
        line.split(" = ")
        for line in one.files["sysctl.conf"].splitlines()
        if not line.startswith("#")
    ]
    assert len(names) == 3 * len(one.view.nics)
    printed = in_namespace(
        cabled(one)
        + one.files["rails.sh"]
        + "\n".join(f"cat /proc/sys/{name}" for name, _ in names)
    )
    assert printed.split() == [value for _, value in names]


# --- FRR, NCCL and the map


@pytest.mark.parametrize(
    "more",
    [{}, {"design": "rail-optimized"}, {"rails": {"count": 4}}],
    ids=["rail-only", "rail-optimized", "four rails"],
)
def test_frr_accepts_an_unnumbered_host(
    more: dict[str, Any], tool: Callable[[str], str], tmp_path: Path
) -> None:
    """A neighbour for each NIC receives the address of that NIC only."""
    one = shown(plan_of(**DGX | UNNUMBERED | more), 1)
    done = validate(tool("vtysh"), one.files["frr.conf"], tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    reported = dict(
        re.findall(
            r"^ip prefix-list (\S+)-own seq 10 permit (\S+)$", one.files["frr.conf"], re.MULTILINE
        )
    )
    assert reported == {nic.interface: f"{nic.address}/32" for nic in one.view.nics}
    assert set(re.findall(r"neighbor (\S+) prefix-list \1-own out", one.files["frr.conf"])) == set(
        reported
    )
    assert validate(
        tool("vtysh"), one.files["frr.conf"].replace("allowas-in", "allowas-on", 1), tmp_path
    ).returncode


@pytest.mark.parametrize("more", [{}, {"addressing": IPV6}], ids=["IPv4", "IPv6"])
def test_frr_accepts_a_host_of_direct_rails(
    more: dict[str, Any], tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Each link accepts and announces the GPUs of its own rail only."""
    one = shown(plan_of(**DGX | DIRECT | more), 1)
    done = validate(tool("vtysh"), one.files["frr.conf"], tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    lists = re.findall(r" neighbor (\S+) prefix-list (\S+) (in|out)\n", one.files["frr.conf"])
    assert lists == [
        (nic.interface, f"rail{nic.rail}", way) for nic in one.view.nics for way in ("in", "out")
    ]
    assert validate(
        tool("vtysh"), one.files["frr.conf"].replace("set src", "set source", 1), tmp_path
    ).returncode


def test_a_host_of_direct_rails_keeps_them_apart(in_namespace: Callable[[str], str]) -> None:
    """A GPU of a rail is reached from the addresses of that rail, and from no other's."""
    one = shown(plan_of(**DGX | DIRECT), 1)
    own, other = one.view.rails[:2]
    far, link = there(own.prefix), one.view.nics[0]
    learnt = f"ip route add {far} via inet6 fe80::1 dev {link.interface} src {own.addresses[0]}\n"
    asked = [(far, ""), (far, own.addresses[0]), (far, other.addresses[0])]
    asked += [(link.gateway, ""), (link.gateway, link.address), (link.gateway, other.addresses[0])]
    printed = in_namespace(
        cabled(one) + one.files["rails.sh"] + one.files["rails.sh"] + learnt + looked_up(asked)
    )
    assert [found and (found[0], found[2]) for found in answers(printed)] == [
        (link.interface, own.addresses[0]),
        (link.interface, own.addresses[0]),
        None,
        (link.interface, link.address),
        (link.interface, link.address),
        None,
    ]


def test_the_addresses_of_direct_rails_are_a_table(tmp_path: Path) -> None:
    """It has a line for each GPU and for each end of a link."""
    plan = plan_of(**DGX | DIRECT)
    build(build_job(plan, Packs(), ("hosts",)), tmp_path / "out")
    text = (tmp_path / "out/hosts/addresses.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == plan.fabric.gpus + 2 * len(plan.segment.kind) * 8
    links = {(row["device"], row["interface"]): row for row in rows if row["cable"]}
    assert all(
        links[row["peer_device"], row["peer_interface"]]["address"] == f"{row['peer_address']}/31"
        for row in links.values()
    )


def test_only_hosts_that_use_bgp_have_frr_files() -> None:
    """Numbered ones below leaves have static routes."""
    assert "frr.conf" not in variant("rail-only").files


def test_infiniband_hosts_have_the_map_and_nccl() -> None:
    """They have no planned addresses."""
    one = shown(plan_of(**DGX | {"switches": {"leaf": {"model": "qm9700"}}}), 0)
    assert set(one.files) == {"nics.csv", "probe.sh", "nccl.conf"}


def read_as_nccl(text: str) -> dict[str, str]:
    """Read nccl.conf as older NCCL does, which has no comments.

    Every line with an equals sign is a setting.
    """
    return {
        name: value
        for name, sign, value in (line.partition("=") for line in text.splitlines())
        if sign
    }


def test_nccl_finds_the_gid_of_an_ipv6_address() -> None:
    """NCCL 2.21 takes the family and the pool; without its version the file asks for the index."""
    known, unknown = (
        dict(read_as_nccl(shown(plan_of(**DGX, addressing=IPV6, **nccl), 0).files["nccl.conf"]))
        for nccl in ({"nccl": {"version": "2.21.5"}}, {})
    )
    assert known["NCCL_IB_ADDR_FAMILY"] == "AF_INET6"
    assert known["NCCL_IB_ADDR_RANGE"] == "2001:db8:100::/40"
    assert not any(name.startswith("NCCL_IB_ADDR") for name in unknown)
    assert not any(name.startswith("NCCL_IB_ADDR") for name in shown(plan_of(**DGX), 0).files)


@pytest.mark.parametrize("name", VARIANTS)
def test_nccl_reads_its_settings(name: str) -> None:
    """Each has a reason above it, in lines that fit a terminal."""
    one = variant(name)
    text = one.files["nccl.conf"]
    assert read_as_nccl(text) == {
        setting.name: setting.value for setting in one.view.nccl if setting.value
    }
    lines = text.splitlines()
    assert all(lines[index - 1].startswith("# ") for index, line in enumerate(lines) if "=" in line)
    assert max(len(line) for line in lines if line.startswith("#")) <= 120


@pytest.mark.parametrize("name", VARIANTS)
def test_the_map_is_a_table(name: str) -> None:
    """A row for each NIC port, with the cells of its view."""
    one = variant(name)
    rows = list(csv.DictReader(io.StringIO(one.files["nics.csv"]), strict=True))
    renamed = {"reaches": "rail_prefix"}
    assert rows == [
        {key: str(getattr(nic, renamed.get(key, key))) for key in rows[0]} for nic in one.view.nics
    ]


# --- the probe


def make_sys(root: Path, one: Shown) -> None:
    """Make the part of /sys that the probe reads, as on a host built as planned."""
    for nic in one.view.nics:
        device = root / "sys/devices" / nic.pci
        (device / "infiniband" / nic.rdma / "ports/1").mkdir(parents=True)
        (device / "infiniband" / nic.rdma / "ports/1/rate").write_text(
            f"{one.view.speed_mbps // 1000} Gb/sec (4X NDR)\n"
        )
        shows = root / "sys/class/net" / nic.interface
        shows.mkdir(parents=True)
        (shows / "device").symlink_to(device)
        (shows / "speed").write_text(f"{one.view.speed_mbps}\n")
        (shows / "mtu").write_text(f"{one.view.mtu}\n")
    make_nics(root, one.view)
    if "roce.sh" in one.files and one.view.roce_tools:
        assert run_on(root, one.files["roce.sh"]).returncode == 0


def make_programs(folder: Path, one: Shown, *, port: str = "ifname") -> None:
    """Make an `ip` and an `lldpctl` that answer as on a host built as planned."""
    folder.mkdir()
    for name, cases in {
        "ip": [
            (
                f"*' {nic.interface} '*) echo '2: {nic.interface}    inet "
                f"{nic.address}/{nic.prefix_length} scope global {nic.interface}' ;;"
            )
            for nic in one.view.nics
        ],
        "lldpctl": [
            f"*' {nic.interface} ') echo 'lldp.{nic.interface}.chassis.name={nic.leaf}'; "
            f"echo 'lldp.{nic.interface}.port.{port}="
            f"{nic.leaf_alias if port == 'local' else nic.leaf_interface}' ;;"
            for nic in one.view.nics
        ],
    }.items():
        program = folder / name
        program.write_text("\n".join(["#!/bin/sh", 'case " $* " in', *cases, "esac", ""]))
        program.chmod(0o755)


def probe(one: Shown, root: Path) -> subprocess.CompletedProcess[str]:
    """Run the probe against a simulated host."""
    return run_on(root, one.files["probe.sh"])


@pytest.mark.parametrize("port", ["ifname", "local"])
def test_the_probe_accepts_a_host_as_planned(tmp_path: Path, port: str) -> None:
    """It prints a line for each NIC port and exits with 0.

    Leaves report their port's name, or its printed name.
    """
    one = variant("rail-only")
    make_sys(tmp_path, one)
    make_programs(tmp_path / "bin", one, port=port)
    done = probe(one, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line for line in done.stdout.splitlines() if not line.startswith("note: ")]
    assert lines == [
        f"OK   {nic.gpu} rail {nic.rail} plane {nic.plane} {nic.interface}" for nic in one.view.nics
    ]


def test_the_probe_reads_the_rate_of_infiniband(tmp_path: Path) -> None:
    """In gigabits, from the RDMA device; there are no addresses."""
    one = shown(plan_of(**DGX | {"switches": {"leaf": {"model": "qm9700"}}}), 0)
    make_sys(tmp_path, one)
    assert probe(one, tmp_path).returncode == 0
    rate = (
        tmp_path
        / "sys/devices"
        / one.view.nics[0].pci
        / "infiniband"
        / one.view.nics[0].rdma
        / "ports/1/rate"
    )
    rate.write_text("200 Gb/sec (4X HDR)\n")
    done = probe(one, tmp_path)
    assert done.returncode == 1
    assert (
        f"FAIL d0-g0 rail 0 plane 0 {one.view.nics[0].interface}: speed is 200000, "
        "expected 400000\n"
    ) in done.stdout


HARMS = {
    "no interface": ("mv {net} {net}x", "there is no interface {interface}"),
    "two NICs swapped": (
        "ln -sfn {sys}/devices/{other_pci} {net}/device",
        "PCI address is {other_pci}, expected {pci}; RDMA device is {other_rdma}, ",
    ),
    "slow": ("echo 200000 > {net}/speed", "speed is 200000, expected 400000"),
    "another MTU": ("echo 1500 > {net}/mtu", "MTU is 1500, expected 9216"),
    "no MTU": ("rm {net}/mtu", "MTU is unknown, expected 9216"),
    "another address": (
        "sed -i 's,inet {address}/,inet 10.9.9.9/,' {bin}/ip",
        "address is 10.9.9.9/31, expected {address}/31",
    ),
    "another leaf": (
        "sed -i 's/={leaf}/=elsewhere/' {bin}/lldpctl",
        "leaf by LLDP is elsewhere, expected {leaf}",
    ),
    "another port": (
        "sed -i '/ {interface} /s/ifname={leaf_interface}/ifname=swp99/' {bin}/lldpctl",
        "port of the leaf is swp99, expected {leaf_interface}",
    ),
}


@pytest.mark.parametrize("harm", HARMS)
def test_the_probe_finds_differences(harm: str, tmp_path: Path) -> None:
    """Exactly the changed NIC fails, with the expected and the found value."""
    one = variant("rail-only")
    make_sys(tmp_path, one)
    make_programs(tmp_path / "bin", one)
    nic, other = one.view.nics[2], one.view.nics[5]
    words = {
        "sys": tmp_path / "sys",
        "bin": tmp_path / "bin",
        "net": tmp_path / "sys/class/net" / nic.interface,
        "interface": nic.interface,
        "pci": nic.pci,
        "rdma": nic.rdma,
        "address": nic.address,
        "leaf": nic.leaf,
        "leaf_interface": nic.leaf_interface,
        "other_pci": other.pci,
        "other_rdma": other.rdma,
    }
    command, fault = (text.format(**words) for text in HARMS[harm])
    subprocess.run(["/bin/sh", "-euc", command], check=True)
    done = probe(one, tmp_path)
    assert done.returncode == 1
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAIL ")]
    assert len(failed) == 1
    assert failed[0].startswith(f"FAIL {nic.gpu} rail {nic.rail} plane 0 {nic.interface}: ")
    assert fault in failed[0]


@pytest.mark.parametrize("name", ["\x1b]0;pwned\x07", r"\033[2J\007", "a\rOK", "\x9b2Jü"])
def test_the_probe_prints_no_control_characters(name: str, tmp_path: Path) -> None:
    """Whatever a leaf calls itself and its port: as bytes, or as text that `echo` would read."""
    one = variant("rail-only")
    make_sys(tmp_path, one)
    make_programs(tmp_path / "bin", one)
    nic = one.view.nics[2]
    for program in ("lldpctl", "uname"):
        text = f"lldp.{nic.interface}.chassis.name={name}\nlldp.{nic.interface}.port.descr={name}"
        (tmp_path / program).write_text(text if program == "lldpctl" else name, encoding="utf-8")
        file = tmp_path / "bin" / program
        file.write_text(f'#!/bin/sh\ncat "{tmp_path / program}"\n', encoding="utf-8")
        file.chmod(0o755)
    done = probe(one, tmp_path)
    assert done.returncode == 1
    assert f"FAIL {nic.gpu} " in done.stdout
    assert not re.search(r"[^\n -~]", done.stdout + done.stderr)
    assert name[0] != "\\" or name in done.stdout


def test_scripts_print_the_words_of_others_by_printf_alone() -> None:
    """`echo` reads backslashes in some shells; its variables are those of a script itself."""
    own = r"file|image|flash|LINENO|BASH_COMMAND|VERSION_ID"
    foreign = re.compile(
        rf"\becho\b[^;>|]*(\$(?!({own})\b|\{{)|\$\{{|`)[^;>]*(;|\)|$)", re.MULTILINE
    )
    printed = [
        (path.name, found[0])
        for path in (ROOT / "templates").glob("*/*.j2")
        if (text := path.read_text("utf-8")).startswith("#!") or path.name.endswith(".sh.j2")
        for found in foreign.finditer(text)
    ]
    assert printed == []


def test_the_probe_reads_the_real_addresses(
    in_namespace: Callable[[str], str], tmp_path: Path
) -> None:
    """In a namespace where rails.sh ran, with the real `ip` and a simulated /sys."""
    one = variant("rail-only")
    make_sys(tmp_path, one)
    root = shlex.quote(str(tmp_path))
    run = (
        f"FABRIC_ROOT={root} PATH={root}/tools:$PATH sh -s <<'PROBE' || "
        f":\n{one.files['probe.sh']}PROBE\n"
    )
    first, second = one.view.nics[:2]
    printed = in_namespace(
        f"{cabled(one)}{one.files['rails.sh']}{run}ip address flush dev {second.interface}\n{run}"
    )
    assert f"OK   {first.gpu} rail 0 plane 0 {first.interface}\n" in printed
    assert (
        printed.count(
            f"FAIL {second.gpu} rail 1 plane 0 {second.interface}: address is unknown, "
            f"expected {second.address}/31\n"
        )
        == 1
    )
    assert printed.count("FAIL") == 1


# --- the build


@pytest.mark.parametrize(
    ("each", "path", "sound"),
    [
        ("host", "hosts/{host}/x", True),
        ("host", "hosts/x", False),
        ("host", "hosts/{host}/{interface}", False),
        ("nic", "hosts/{host}/{interface}", True),
        ("nic", "hosts/{host}/x", False),
        ("nic", "hosts/{interface}/x", False),
    ],
)
def test_hosts_and_nics_have_separate_paths(each: str, path: str, *, sound: bool) -> None:
    """Two hosts, or two NICs, never write one file."""
    facts = {"path": path, "template": "x.j2", "each": each, "reader": "a host"}
    if sound:
        assert PackOutput.model_validate(facts).path == path
        return
    with pytest.raises(ValidationError, match=f"a file for each {each} names it by `{{host}}`"):
        PackOutput.model_validate(facts)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("ethernet", "a/../b"),
        ("ethernet", "x; reboot"),
        ("ethernet", "sixteen-letters-"),
        ("rdma", "a$b"),
        ("pci", "18:0"),
    ],
)
def test_names_of_a_host_are_safe_in_paths_and_scripts(key: str, value: str) -> None:
    """Interface names of a catalog file are untrusted.

    They occur in paths, in a shell script and in YAML.
    """
    sound = {
        "gpu": 0,
        "cage": "OSFP1",
        "label": "OSFP1",
        "ethernet": "enp1s0",
        "rdma": "mlx5_0",
        "pci": "18:00.0",
    }
    assert HostPort.model_validate(sound)
    with pytest.raises(ValidationError, match=key):
        HostPort.model_validate(sound | {key: value})


def test_a_build_sets_modes(tmp_path: Path) -> None:
    """Files for root only, and executables; paths are those of `--dry-run`."""
    job = build_job(plan_of(**DGX), Packs(), ("hosts",))
    files = build(job, tmp_path / "out")
    assert sorted(job.paths()) == sorted(["manifest.json", *(file.path for file in files)])
    home = tmp_path / "out/hosts/host-1"
    wanted = {"netplan/60-rails.yaml": 0o600, "rails.sh": 0o755, "probe.sh": 0o755}
    assert {path: (home / path).stat().st_mode & 0o700 for path in wanted} == {
        path: mode & 0o700 for path, mode in wanted.items()
    }
    assert (home / "netplan/60-rails.yaml").stat().st_mode & 0o077 == 0
    assert not (home / "nccl.conf").stat().st_mode & 0o111


@pytest.mark.parametrize(("named", "written"), [(frozenset(), False), (frozenset({"hosts"}), True)])
def test_many_hosts_are_written_on_request(
    named: frozenset[str], monkeypatch: pytest.MonkeyPatch, *, written: bool
) -> None:
    """A note names what is left out, and the option that writes it."""
    set_limit(monkeypatch, "hosts", 63)
    job = build_job(plan_of(**DGX), Packs(), ("hosts",), named)
    assert any(path.startswith("hosts/") for path in job.paths()) == written
    assert ["--only hosts" in sentence for sentence in job.skipped] == ([] if written else [True])
