"""Real routing daemons of a leaf, a spine and a router of the site: what each learns."""

from __future__ import annotations

import csv
import json
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fabricgen.build.run import build
from fabricgen.outputs.packs.render import Packs
from tests.fabrics import build_job, plan_of

if TYPE_CHECKING:
    from collections.abc import Callable

LEAF = {"leaf": {"generic": {"radix": 8}}}
ROUTER = """\
frr defaults datacenter
ip route 0.0.0.0/0 blackhole
ip route 172.20.0.0/16 blackhole
interface {interface}
 ip address {address}
router bgp {asn}
 bgp router-id 192.0.2.1
 no bgp ebgp-requires-policy
 neighbor {leaf_address} remote-as {leaf_asn}
 address-family ipv4 unicast
  redistribute static
"""
"""A router without filters, which announces a default route and one of the site."""


@pytest.mark.slow
def test_a_router_gives_the_default_route_alone(tool: Callable[[str], str], tmp_path: Path) -> None:
    """The spine has it by the leaf; the router has the links of devices, and no loopback."""
    tool("vtysh")
    plan = plan_of(
        gpus=32,
        hb_domain={"gpus": 4},
        nos="frr",
        design="rail-optimized",
        radix=16,
        networks={"inband": {"switches": LEAF, "nos": "frr"}},
        devices=[
            {
                "name": "edge-{n}",
                "count": 2,
                "ports": {"inband": 2},
                "edge": True,
                "bgp": {"asn": 65100},
            },
        ],
    )
    build(build_job(plan, Packs(), ("configs", "hosts")), tmp_path / "out")
    with (tmp_path / "out/hosts/routers.csv").open(encoding="utf-8", newline="") as stream:
        session = next(csv.DictReader(stream))
    configs = tmp_path / "out" / "configs"
    leaf = (configs / session["leaf"] / "frr.conf").read_text(encoding="utf-8")
    near, spine, far = re.findall(
        r"^interface (\S+)\n description (inband-spine-1):(\S+)", leaf, re.MULTILINE
    )[0]
    (tmp_path / "leaf.conf").write_text(leaf, encoding="utf-8")
    (tmp_path / "spine.conf").write_bytes((configs / spine / "frr.conf").read_bytes())
    (tmp_path / "router.conf").write_text(ROUTER.format(**session), encoding="utf-8")
    ports = (session["leaf_interface"], session["interface"], near, far)
    done = subprocess.run(
        [
            *(tool("unshare"), "-Urnm", "--propagation", "private", "-pf", "--kill-child"),
            *("--mount-proc", "sh", str(Path(__file__).with_name("routers.sh")), str(tmp_path)),
            *ports,
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=90,
    )
    found = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    learned = json.loads(found["router"])["routes"]
    link = session["leaf_address"] + "/31"
    assert {*learned} == {"0.0.0.0/0", "172.20.0.0/16", link}
    routes = json.loads(found["spine"])
    assert "0.0.0.0/0" in routes
    assert "172.20.0.0/16" not in routes
    assert link in routes
