"""Two whole clusters of the Open Compute Project, every port compared with every port.

The lists in `ocp/` are columns of compositions/*/connectivity-map.csv of
github.com/opencomputeproject/OCP-OCDAI-training-fabric (CC0-1.0), commit de057e8. The ports of the
source's DS1000 are those of a switch that has the same numbers: no public source lists them.
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fabricgen.core.terms import LinkKind
from fabricgen.views.factory import Views
from tests.fabrics import plan_of

LISTS = Path(__file__).parent / "ocp"

Ends = tuple[str, str, str, str]

COMPUTE: dict[str, Any] = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "nic": {"speed": "400G"},
    "nos": "hedgehog",
    "switches": {"leaf": {"model": "ds5000", "breakout": "2x400G"}},
}
"""Eight servers of eight GPUs on two leaves, each of four rails."""

OTHERS = (("hh-controller", 1), ("hh-gateway", 2), ("metadata-srv", 3), ("storage-srv", 3))
"""The devices beside the servers, in the order of the lists."""

CONVERGED = {
    "converged_with": "compute",
    "cages": "27,29,31,33,35,37",  # the zone `server_conv_4x200` of the source
    "speed": "200G",
    "host_ports": 2,
}
"""The second network on the leaves of GPUs."""

STORAGE = ("metadata-srv", "storage-srv")
"""The devices that it has in one composition; in the other, all have it."""

SWITCHES: dict[str, Any] = {
    "leaf": {
        "model": "ds5000",
        "breakout": "2x400G",
        "zones": {"down": "1-16", "up": "26,28,30,32,34,36,38-63"},
    },
    "spine": {"model": "ds5000", "breakout": "1x800G", "minimum": 2},
}
"""The switches of both, with the zones of the source; the speed of uplinks is that of spines."""

MESH: dict[str, Any] = COMPUTE | {
    "rails": {"per_switch": 4},
    "switches": SWITCHES,
    "naming": {"leaf": "soc-storage-scale-out-leaf-{n:02}", "host": "compute-xpu-{n:03}"},
    "networks": {
        # both ports of a device on one leaf
        "storage": CONVERGED | {"bond": 1, "leaves": 2, "peer_links": 2},
        "inband": {
            "switches": {"leaf": {"model": "ds2000"}},
            "speed": "25G",
            "bond": 1,
            "host_ports": 1,
        },
        # no switch has a cable at its management port
        "oob": {
            "kind": "clos",
            "bond": 1,
            "switches": {"leaf": {"model": "sn2201"}},
            "speed": "1G",
        },
    },
    "devices": [
        {
            "name": f"{name}-{{n:03}}",
            "count": count,
            "ports": {"inband": 1, "oob": 1, "storage": 2 if name in STORAGE else 0},
        }
        for name, count in OTHERS
    ],
}

COLLAPSED: dict[str, Any] = COMPUTE | {
    "design": "rail-optimized",
    "rails": {"per_switch": 4, "grouping": "strided", "tiers": 2},
    "scalable_unit": {"domains": 8, "uplinks": 32},
    "switches": SWITCHES,
    "naming": {
        "leaf": "conv-leaf-{n:02}",
        "spine": "conv-spine-{n:02}",
        "host": "compute-xpu-{n:03}",
    },
    "networks": {
        "storage": CONVERGED,
        # no switch has a cable at its management port
        "oob": {
            "switches": {"leaf": {"model": "s3248t-on", "zones": {"up": "49,50"}}},
            "speed": "1G",
            "leaves": 2,
            "distribution": "alternating",
            "switch_ports": 0,
            "uplink": {"network": "compute", "speed": "10G"},
        },
    },
    "devices": [
        {"name": f"{name}-{{n:03}}", "count": count, "ports": {"oob": 1, "storage": 2}}
        for name, count in OTHERS
    ],
}
"""The uplinks are more than the GPUs need, as the source has them for growth."""


def published(name: str) -> dict[str, set[Ends]]:
    """Read the cables of a composition by kind, with hyphens in names, as host names have them."""
    found: dict[str, set[Ends]] = {}
    with (LISTS / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            a_device, b_device = (row[key].replace("_", "-") for key in ("a_device", "b_device"))
            kind = row["a_interface"].partition("-")[0]
            if "leaf" in a_device:
                uplink = "oob uplink" if a_device.startswith("oob") else "uplink"
                kind = uplink if "spine" in b_device else "mesh"
            ends = a_device, row["a_interface"], b_device, row["b_interface"]
            found.setdefault(kind, set()).add(ends)
    return found


def planned(keys: dict[str, Any], names: dict[str, tuple[str, str, str]]) -> dict[str, set[Ends]]:
    """Plan a composition; `names` are the kind of each network, its interfaces and its switch.

    A second name of interfaces, behind a space, is that of devices. Interfaces are counted as in
    the source, and the ports of a switch that runs another NOS are named as there. Links
    between switches are uplinks, or those of a network's leaves.
    """
    plan = plan_of(**keys)
    found: dict[str, set[Ends]] = {}
    for name, network in {"compute": plan, **plan.networks}.items():
        kind, interfaces, called = names[name]
        of_host, of_device = (interfaces.split() * 2)[:2]
        for segment in range(network.mapping.segments):
            for cable in Views(network).cables(segment):
                if cable.tier != LinkKind.HOST:
                    own = cable.a_interface, cable.b_interface
                    ends = cable.a_device, own[0], cable.b_device, own[1]
                    found.setdefault("mesh" if network.fabric.network else "uplink", set()).add(
                        ends
                    )
                    continue
                number = cable.a_interface.lstrip("abcdefghijklmnopqrstuvwxyz")
                port = f"E1/{cable.b_port}"
                switch = called.format(int(cable.b_device.rpartition("-")[2]))
                interface = of_host if cable.a_device in plan.hosts else of_device
                device = cable.a_device.replace("oob-", "oob-leaf-0")
                ends = device, f"{interface}{number}", switch or cable.b_device, port
                found.setdefault(kind, set()).add(ends)
    return found


@pytest.mark.parametrize(
    ("name", "keys", "names"),
    [
        (
            "xoc-64-mesh-conv-ro",
            MESH,
            {
                "compute": ("scale_out", "scale_out-so", ""),
                "storage": ("soc_storage", "soc_storage-ss soc_storage-port", ""),
                "inband": ("inb_mgmt", "inb_mgmt-mgmt", "inb-mgmt-leaf-{:02}"),
                "oob": ("bmc", "bmc-bmc", "oob-leaf-{:02}"),
            },
        ),
        (
            "opg-64-collapsed-conv",
            COLLAPSED,
            {
                "compute": ("be", "be-be", ""),
                "storage": ("fe", "fe-fe fe-port", ""),
                "oob": ("bmc", "bmc-bmc", "oob-leaf-{:02}"),
                "uplinks": ("oob uplink", "E1/", ""),
            },
        ),
    ],
)
def test_every_port(
    name: str, keys: dict[str, Any], names: dict[str, tuple[str, str, str]]
) -> None:
    """Every cable of the source has its published ends, and there are no others."""
    assert planned(keys, names) == published(name)


def test_the_lists_are_whole() -> None:
    """Both have as many cables as the source, and no port has two."""
    for name, count in (("xoc-64-mesh-conv-ro", 128), ("opg-64-collapsed-conv", 183)):
        cables = [each for kind in published(name).values() for each in kind]
        ports = Counter(end for cable in cables for end in (cable[:2], cable[2:]))
        assert len(cables) == count
        assert max(ports.values()) == 1
