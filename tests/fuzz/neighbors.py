"""Neighbors of a cabling that is as planned, which report few names or none.

Owns the campaign `neighbors`: `audit` reads LLDP and `ibnetdiscover` in which devices have lost
their names and ports are MAC addresses. It unplugs nothing, and answers the same twice.
"""

from __future__ import annotations

import json
import random
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import strategies as st

from fabricgen.core.diagnostics import Refusal
from fabricgen.lifecycle.audit.port_index import PortIndex
from fabricgen.lifecycle.audit.port_positions import ClusterPositions
from tests.fabrics import plan_of
from tests.fuzz.fabrics import FILE
from tests.fuzz.program import Case, execute, faults
from tests.laws.drawing import inventories

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.laws.drawing import Inventory

MOST_LINKS = 600
FACTORY = (
    "MT4129 ConnectX7   Mellanox Technologies",
    "Quantum-2 Mellanox Technologies",
    "SwitchIB Mellanox Technologies",
    "localhost mlx5_0",
    "localhost",
    "",
    "   ",
)
FABRICS: tuple[Inventory, ...] = (
    {
        "design": "fat-tree",
        "gpus": 32,
        "hb_domain": {"gpus": 8},
        "host": {"model": "dgx-h100"},
        "rails": {"tiers": 2},
        "switches": {"leaf": {"model": "qm9700"}},
    },
    {
        "gpus": 32,
        "hb_domain": {"gpus": 8},
        "host": {"model": "dgx-b300"},
        "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
        "rails": {"planes": 2},
        "nos": "sonic",
    },
    {
        "gpus": 16,
        "hb_domain": {"gpus": 8},
        "host": {"model": "dgx-h100"},
        "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
        "networks": {
            "storage": {"switches": {"leaf": {"generic": {"radix": 8}}}, "speed": "400G"},
            "oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G"},
        },
        "devices": [{"name": "s-{n}", "count": 2, "ports": {"storage": 2, "oob": 1}}],
    },
)


class Losses(NamedTuple):
    """A fabric, the format of its evidence, the share of names that are lost, and a seed."""

    inventory: Inventory
    form: str
    share: float
    seed: int


neighbors = st.builds(
    Losses,
    st.one_of(st.sampled_from(FABRICS), inventories()),
    st.sampled_from(("ibnetdiscover", "lldp")),
    st.sampled_from((0.0, 0.05, 0.3, 0.9, 1.0)),
    st.integers(0, 2**32),
)


def search_neighbors(losses: Losses, home: Path) -> Iterator[tuple[Case, str]]:
    """Audit a cabling that is as planned, twice."""
    inventory = {"name": "seen", **losses.inventory}
    try:
        places = PortIndex(plan_of(**inventory))
    except Refusal:
        return
    if not 0 < places.link_count <= MOST_LINKS:
        return
    rng = random.Random(losses.seed)  # noqa: S311 - drawn by hypothesis
    written = _discovered if losses.form == "ibnetdiscover" else _lldp
    files = {FILE: json.dumps(inventory, indent=1), **written(places, losses.share, rng)}
    case = Case(("audit", FILE, f"--{losses.form}", "seen", "--json"), files)
    ended = execute(case, home)
    yield from ((case, fault) for fault in faults(case, ended))
    for word in sorted({*re.findall(r'"[^"]*: (unplug|move) the cable', ended.out)}):
        yield case, f"`{word}` of a cable that is where the plan has it, by {losses.form}"
    if losses.share == 0 and ended.code:
        yield case, f"the cabling is as planned, and `audit` ends with {ended.code}"
    if execute(case, home)[:3] != ended[:3]:
        yield case, "a second audit answers otherwise"


def _discovered(places: PortIndex, share: float, rng: random.Random) -> dict[str, str]:
    """Write the nodes of a subnet; each adapter of a host is a node of its own."""
    positions = ClusterPositions([places.plan, *places.plan.networks.values()])
    nodes: dict[tuple[str, str], str] = {}
    ports: dict[int, tuple[str, str]] = {}
    for place in range(places.hidden, places.planned):
        device, interface = places.places[place][:2]
        numbers = [
            name[1:]
            for name, found in positions.named(device).items()
            if name.startswith("#") and found.interface == interface
        ]
        node = (device, "") if numbers else (device, interface)
        guid = nodes.setdefault(node, f"{'S' if numbers else 'H'}-{0x2C903 + len(nodes):016x}")
        ports[place] = guid, numbers[0] if numbers else "1"
    text: list[str] = []
    for (device, adapter), guid in nodes.items():
        kind = "Ca" if adapter else "Switch"
        name = f"{device} {adapter}".strip()
        if rng.random() < share:
            name = rng.choice((*FACTORY, *_older(positions, device, adapter)))
        text.append(f'\n{kind}\t64 "{guid}"\t\t# "{name}"')
        text += [
            f'[{port}]\t"{ports[places.peers[place]][0]}"[{ports[places.peers[place]][1]}]'
            for place, (own, port) in ports.items()
            if own == guid
        ]
    return {"seen": "\n".join(text) + "\n"}


def _older(positions: ClusterPositions, device: str, adapter: str) -> Iterator[str]:
    """Yield the description of an adapter by older drivers, which count from 1."""
    names = positions.named(device) if adapter else {}
    place = names.get(adapter)
    for name in names:
        if names[name] == place and re.fullmatch(r"mlx5_\d+", name):
            yield f"{device} HCA-{int(name[5:]) + 1}"
            yield f"localhost HCA-{int(name[5:]) + 1}"


def _lldp(places: PortIndex, share: float, rng: random.Random) -> dict[str, str]:
    """Write the neighbors of each device as `lldpctl -f json0` does."""
    files: dict[str, str] = {}
    for device in sorted({place.device for place in places.places[places.hidden :]}):
        if rng.random() < share / 2:
            continue
        rows = [
            {"name": places.places[port].interface, **_neighbor(places, port, share, rng)}
            for port in places.of_device[device]
            if port >= places.hidden and not places.is_quiet(places.peers[port])
        ]
        files[f"seen/{device}.json"] = json.dumps({"lldp": [{"interface": rows}]}, indent=0)
    return files or {"seen/none.json": '{"lldp": [{}]}'}


def _neighbor(places: PortIndex, port: int, share: float, rng: random.Random) -> dict[str, Any]:
    """Return what a port reports about its peer, with names lost."""
    far = places.places[places.peers[port]]
    mac = ":".join(f"{rng.randrange(256):02x}" for _ in range(6))
    name: str | None = far.device
    kind, ident, described = "ifname", far.interface, far.interface
    if rng.random() < share:
        name = rng.choice((None, "", "localhost", "localhost.localdomain", mac, far.device))
    if rng.random() < share:
        kind, ident = rng.choice((("mac", mac), ("local", ""), ("local", "1000517"), (kind, ident)))
        described = rng.choice(("", mac, described))
    chassis: dict[str, Any] = {"id": [{"type": "mac", "value": mac}]}
    if name is not None:
        chassis["name"] = [{"value": name}]
    return {
        "chassis": [chassis],
        "port": [{"id": [{"type": kind, "value": ident}], "descr": [{"value": described}]}],
    }
