"""pyavd on the switches of a plan: what it reads is written first, and then it is measured.

It reads either the finished facts of each switch, or a description of each rail, of which AVD's own
design makes the facts. Both are YAML, as AVD keeps them. `write facts|inventory GPUS FOLDER` writes
them; `measure facts|inventory FOLDER OUT` makes the configurations. The interpreter of
`.venv-peers` runs the second, which imports nothing of fabricgen.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.views.switches.view import PortView, SwitchView

MODEL = "7060dx5-64s"
Node = dict[str, Any]


def segments_of(gpus: int) -> Iterator[list[SwitchView]]:
    """Yield the switches of each rail of a fabric of a number of GPUs."""
    from fabricgen.catalog.catalog import Catalog  # noqa: PLC0415 - the venv of pyavd lacks its libraries
    from fabricgen.inventory.fabric import FabricSpec  # noqa: PLC0415 - as above
    from fabricgen.planning.plan import make_plan  # noqa: PLC0415 - as above
    from fabricgen.views.factory import Views  # noqa: PLC0415 - as above

    spec = {
        "name": "bench",
        "gpus": gpus,
        "hb_domain": {"gpus": 8},
        "switches": {"leaf": {"model": MODEL}},
    }
    views = Views(make_plan(FabricSpec.model_validate(spec), Catalog()))
    for segment in range(views.plan.mapping.segments):
        yield list(views.switches(segment))


def write_facts(gpus: int, folder: Path) -> None:
    """Write every switch as structured configuration, and print how many there are."""
    from tests.nos.eos_avd import facts_of  # noqa: PLC0415 - it imports fabricgen

    facts = [facts_of(switch) for switches in segments_of(gpus) for switch in switches]
    for each in facts:
        _write_yaml(folder / f"{each['hostname']}.yml", each)
    print(len(facts))  # noqa: T201 - the caller reads it


def render(folder: Path, out: Path) -> None:
    """Render the facts of each switch."""
    import pyavd  # type: ignore[import-untyped]  # noqa: PLC0415 - it is annotated without a py.typed marker

    for file in sorted(folder.iterdir()):
        facts = pyavd.validate_structured_config(_read_yaml(file)).validated_data
        text = pyavd.get_device_config(facts)
        (out / f"{facts['hostname']}.cfg").write_text(text, encoding="utf-8")


def write_inventory(gpus: int, folder: Path) -> None:
    """Write a description of each rail, and print how many switches there are.

    The rails have BGP over unnumbered links and numbered hosts, as ours have. AVD's design has no
    keys for the lossless class; so its configurations do less.
    """
    count = 0
    for rail, switches in enumerate(segments_of(gpus)):
        _write_yaml(folder / f"rail-{rail}.yml", _rail(rail, switches))
        count += len(switches)
    print(count)  # noqa: T201 - the caller reads it


def design(folder: Path, out: Path) -> None:
    """Design each rail from its description, and render its switches."""
    import pyavd  # noqa: PLC0415 - as above

    for file in sorted(folder.iterdir()):
        common = _read_yaml(file)
        inputs = {
            node["name"]: common | {"type": kind}
            for kind in ("spine", "l3leaf")
            for node in common[kind]["nodes"]
        }
        for name, given in inputs.items():
            if found := pyavd.validate_inputs(given).validation_result.violations:
                raise SystemExit(f"{name}: {found[0].path} {found[0].message}")
        facts = pyavd.get_avd_facts(inputs)
        for name, given in inputs.items():
            finished = pyavd.get_device_structured_config(name, given, facts)
            text = pyavd.get_device_config(finished)
            (out / f"{name}.cfg").write_text(text, encoding="utf-8")


def _rail(rail: int, switches: list[SwitchView]) -> Node:
    """Describe a rail in the keys of AVD's design `eos_designs`."""
    leaves = [switch for switch in switches if switch.role == "leaf"]
    spines = [switch for switch in switches if switch.role != "leaf"]
    uplinks = len(_ports(leaves[0], "switch"))
    return {
        "fabric_name": f"rail{rail}",
        "underlay_routing_protocol": "ebgp",
        "overlay_routing_protocol": "none",
        "underlay_rfc5549": True,
        "p2p_uplinks_mtu": 9214,
        "spine": {
            "defaults": _defaults(rail, 1),
            "nodes": [
                {"name": one.name, "id": number, "bgp_as": str(one.asn)}
                for number, one in enumerate(spines, start=1)
            ],
        },
        "l3leaf": {
            "defaults": _defaults(rail, 0)
            | {"vtep": False, "max_parallel_uplinks": uplinks // len(spines)},
            "nodes": [_leaf(number, one) for number, one in enumerate(leaves, start=1)],
        },
    }


def _defaults(rail: int, pool: int) -> Node:
    """Describe what all nodes of a kind share."""
    return {"platform": "7060X6", "loopback_ipv4_pool": f"10.{128 + rail}.{pool}.0/24"}


def _leaf(number: int, leaf: SwitchView) -> Node:
    """Describe a leaf with its uplinks and hosts."""
    up = _ports(leaf, "switch")
    return {
        "name": leaf.name,
        "id": number,
        "bgp_as": str(leaf.asn),
        "uplink_switches": [port.peer_device for port in up],
        "uplink_interfaces": [port.interface for port in up],
        "uplink_switch_interfaces": [port.peer_interface for port in up],
        "l3_interfaces": [
            {
                "name": port.interface,
                "ip_address": port.address,
                "peer": port.peer_device,
                "peer_interface": port.peer_interface,
            }
            for port in _ports(leaf, "host")
        ],
    }


def _ports(switch: SwitchView, peer: str) -> list[PortView]:
    """Return the ports of a leaf to hosts, which are numbered, or to switches."""
    return [port for port in switch.ports if bool(port.address) == (peer == "host")]


def _write_yaml(file: Path, values: Node) -> None:
    """Write values as YAML, without anchors."""
    from fabricgen.core.yaml_text import write_yaml  # noqa: PLC0415 - as above

    file.write_text(write_yaml(json.loads(json.dumps(values))), encoding="utf-8")


def _read_yaml(file: Path) -> Node:
    """Read YAML with the fastest parser that Ansible has."""
    import yaml  # type: ignore[import-untyped]  # noqa: PLC0415 - it comes with pyavd

    values: Node = yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return values


WRITERS = {"facts": write_facts, "inventory": write_inventory}
MEASURED = {"facts": render, "inventory": design}
"""What pyavd is given -> what is measured."""

if __name__ == "__main__":
    if sys.argv[1] == "write":
        WRITERS[sys.argv[2]](int(sys.argv[3]), Path(sys.argv[4]))
    else:
        MEASURED[sys.argv[2]](Path(sys.argv[3]), Path(sys.argv[4]))
