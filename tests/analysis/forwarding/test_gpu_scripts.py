"""The scripts of the lab's GPUs, run in namespaces.

Two HB domains of four GPUs on two rails have a namespace for each device.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.analysis.forwarding.tables import ForwardingTables
from fabricgen.build.run import build
from fabricgen.outputs.packs.render import Packs
from tests.conftest import SYSTEM_PATH
from tests.fabrics import build_job, plan_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import NoReturn

FABRIC: dict[str, Any] = {"gpus": 8, "hb_domain": {"gpus": 4}, "rails": {"count": 2}, "radix": 4}
PRIVATE = ["unshare", "--user", "--map-root-user", "--net", "--mount"]
AT = "nsenter --net=/run/netns/{} "


@pytest.fixture
def shell(tmp_path: Path, out_of_reach: Callable[[str], NoReturn]) -> Callable[[str], str]:
    """Return a function that runs a script as root of its own namespaces. It returns the output."""
    missing = [
        name
        for name in ("unshare", "nsenter", "ip", "ping")
        if not shutil.which(name, path=SYSTEM_PATH)
    ]
    if missing:
        out_of_reach(f"{', '.join(missing)} is not installed")
    environment = {"PATH": SYSTEM_PATH}
    tried = subprocess.run(
        [*PRIVATE, "ip", "link", "add", "one", "type", "veth", "peer", "two"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if tried.returncode:
        out_of_reach(f"no namespaces of one's own here: {tried.stderr.strip()}")

    def start(text: str) -> str:
        path = tmp_path / "script.sh"
        path.write_text(text, encoding="utf-8")
        ended = subprocess.run(
            [*PRIVATE, "sh", "-eu", path],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr + ended.stdout
        return ended.stdout

    return start


def devices(gpus: list[dict[str, Any]]) -> Iterator[str]:
    """Lay cables: each GPU to its leaf by its NIC, and to the bridge of its HB domain."""
    yield "mount -t tmpfs none /run; mkdir /run/netns"
    boxes = {port["peer"] for gpu in gpus for port in gpu["ports"]}
    bridges = {f"hb-{gpu['gpu'].partition('-')[0]}" for gpu in gpus}
    yield from (
        f"ip netns add {name}; {AT.format(name)} ip link set lo up"
        for name in sorted({gpu["gpu"] for gpu in gpus} | boxes | bridges)
    )
    yield from (f"{AT.format(box)} sysctl -q -w net/ipv4/ip_forward=1" for box in sorted(boxes))
    yield from (
        f"{AT.format(bridge)} ip link add bridge mtu 9216 up type bridge"
        for bridge in sorted(bridges)
    )
    for gpu in gpus:
        (port,) = gpu["ports"]
        leaf, name, bridge = (
            AT.format(port["peer"]),
            gpu["gpu"],
            f"hb-{gpu['gpu'].partition('-')[0]}",
        )
        gateway = next(route["via"] for route in gpu["routes"] if route["device"] == "nic0")
        yield (
            f"ip link add nic0 netns {name} type veth peer {port['peer_interface']} "
            f"netns {port['peer']}"
        )
        yield (
            f"{leaf} ip address add {gateway}/31 dev {port['peer_interface']}; {leaf} ip "
            f"link set {port['peer_interface']} mtu 9216 up"
        )
        yield f"ip link add hb0 netns {name} type veth peer {name} netns {bridge}"
        yield f"{AT.format(bridge)} ip link set {name} mtu 9216 up master bridge"


def pings(gpus: list[dict[str, Any]]) -> Iterator[str]:
    """Send a packet between every two GPUs, as large as the links allow. Print the answers."""
    for source, target in permutations(gpus, 2):
        address = target["ports"][0]["address"]
        yield (
            f"echo {source['gpu']} {target['gpu']} $({AT.format(source['gpu'])} ping -c "
            f"1 -W 2 -M do -s 9000 {address} | grep -o 'ttl=[0-9]*')"
        )


def forwards(text: str) -> dict[tuple[str, str], int]:
    """Read how many times each answer was forwarded: 64 less its TTL."""
    found = re.findall(r"^(\S+) (\S+) ttl=(\d+)$", text, re.MULTILINE)
    return {(source, target): 64 - int(ttl) for source, target, ttl in found}


def expected(gpus: list[dict[str, Any]]) -> dict[tuple[str, str], int]:
    """Compute the forwards of an answer.

    They are none inside a domain, one by the leaf on one rail, and relays between rails.
    """
    domain = {gpu["gpu"]: gpu["gpu"].partition("-")[0] for gpu in gpus}
    pairs = permutations(gpus, 2)
    return {
        (one["gpu"], two["gpu"]): (domain[one["gpu"]] != domain[two["gpu"]])
        * (1 + (one["rail"] != two["rail"]))
        for one, two in pairs
    }


def test_packets_cross_rails_over_their_relays(tmp_path: Path, shell: Callable[[str], str]) -> None:
    """Every pair of GPUs is connected.

    When a relay's NIC loses its carrier, the other GPU on that rail relays.
    """
    plan = plan_of(**FABRIC)
    build(build_job(plan, Packs(), ("lab",)), tmp_path / "out")
    tables = ForwardingTables(plan)
    gpus = [
        gpu
        for host in range(len(plan.hosts))
        for gpu in json.loads("".join(tables.host(host)))["gpus"]
    ]
    scripts = [
        f"{AT.format(gpu['gpu'])} sh {tmp_path}/out/lab/gpus/{gpu['gpu']}.sh" for gpu in gpus
    ]
    (port,) = gpus[1]["ports"]
    broken = f"{AT.format(port['peer'])} ip link set {port['peer_interface']} down"
    noticed = (
        f"for turn in $(seq 50); do {AT.format(gpus[1]['gpu'])} ip route | grep -q "
        "linkdown && break; sleep 0.1; done"
    )
    printed = shell(
        "\n".join(
            [
                *devices(gpus),
                *scripts,
                *scripts,
                *pings(gpus),
                "echo broken",
                broken,
                noticed,
                *pings([gpus[0], gpus[5]]),
            ]
        )
        + "\n"
    )
    whole, after = printed.split("broken\n")
    assert forwards(whole) == expected(gpus)
    # From d0-g0 the path is over d0-g1 and, its NIC being down, on over d0-g3; the answer returns
    # over d1-g0 as before.
    assert forwards(after) == {("d0-g0", "d1-g1"): 2, ("d1-g1", "d0-g0"): 3}
