"""Reads the files of the pack `nvue` back.

The commands are read alone, and the YAML as the commands equal to it.
"""

from __future__ import annotations

import re
import shlex
from ipaddress import ip_interface, ip_network
from itertools import product
from typing import TYPE_CHECKING, cast

from tests.nos.frr import Box, Instance, Permit, port_of
from tests.outputs import libyaml

if TYPE_CHECKING:
    from collections.abc import Iterator

Command = tuple[str, ...]

WORD = r"""(?:'[^']*'|"[^"]*"|[^\s'"])+"""
"""A word of a shell, with its quotes, within which a line may end."""


def expanded(text: str) -> Iterator[Command]:
    """Yield the commands without `nv set`; one that names several objects becomes several."""
    commands = re.findall(rf"nv set((?: {WORD})+)\n", text)
    assert "".join(f"nv set{command}\n" for command in commands) == text
    for command in commands:
        yield from product(
            *(
                shlex.split(word) if word[0] in "'\"" else word.split(",")
                for word in re.findall(WORD, command)
            )
        )


def flattened(text: str) -> Iterator[Command]:
    """Yield the settings of a startup.yaml as commands; every scalar is read as text."""
    header, revision = libyaml.texts(text)
    assert (set(header), set(revision)) == ({"header"}, {"set"})
    yield from _leaves(revision["set"], ())


def _leaves(node: object, above: Command) -> Iterator[Command]:
    if not isinstance(node, dict):
        yield (*above, str(node))
    elif not node:
        yield above
    else:
        for key, inner in cast("dict[str, object]", node).items():
            yield from _leaves(inner, (*above, key))


def read(commands: str) -> Box:
    """Read the commands of one switch."""
    lines = list(expanded(commands))
    (name,) = (line[2] for line in lines if line[:2] == ("system", "hostname"))
    box = Box(name)
    ports = {line[1]: line for line in lines if line[0] == "interface" and line[2] == "description"}
    box.ports = {port: port_of(line[3], None) for port, line in ports.items()}
    for line in lines:
        if line[0] == "interface":
            _interface(box, line[1], line[2:])
        elif line[0] == "vrf" and line[2] == "loopback":
            box.loopbacks[line[1]] = ip_interface(line[-1])
    filters = _filters(lines)
    asn = {
        line[0]: int(line[-1])
        for line in lines
        if line[:3] == ("router", "bgp", "autonomous-system")
    }
    identity = [line[-1] for line in lines if line[:3] == ("router", "bgp", "router-id")]
    for vrf in dict.fromkeys(
        line[1] for line in lines if line[0] == "vrf" and line[2:4] == ("router", "bgp")
    ):
        own = [
            line[4:]
            for line in lines
            if line[0] == "vrf" and line[1] == vrf and line[2:4] == ("router", "bgp")
        ]
        instance = _instance(own, filters)
        if vrf == "default":
            instance.asn, (instance.router_id,) = asn["router"], identity
        box.instances["" if vrf == "default" else vrf] = instance
    return box


def _interface(box: Box, name: str, words: Command) -> None:
    """Read the settings of one interface."""
    if words[:2] in (("ip", "address"), ("ipv4", "address"), ("ipv6", "address")):
        if name == "lo":
            box.loopbacks[""] = ip_interface(words[2])
        else:
            box.ports[name].address = ip_interface(words[2])
    elif words[-2:-1] == ("vrf",):
        box.ports[name].vrf = words[-1]
    elif words[:2] == ("link", "mtu"):
        box.ports[name].mtu = int(words[2])


def _filters(lines: list[Command]) -> dict[str, tuple[Permit, ...]]:
    """Read prefix lists and route maps, by `prefix-list NAME` and `route-map NAME`."""
    policies = [line[2:] for line in lines if line[:2] == ("router", "policy")]
    lists: dict[str, dict[str, dict[str, str]]] = {}
    for line in policies:
        if line[0] == "prefix-list" and line[4:5] == ("match",):
            lists.setdefault(f"prefix-list {line[1]}", {}).setdefault(line[5], {})[line[6]] = line[
                7
            ]
    found = {
        name: tuple(
            Permit(ip_network(prefix), int(ends["min-prefix-len"]), int(ends["max-prefix-len"]))
            for prefix, ends in matches.items()
        )
        for name, matches in lists.items()
    }
    maps: dict[str, tuple[Permit, ...]] = {}
    for line in policies:
        if line[0] == "route-map" and line[5:6] == ("ip-prefix-list",):
            name = f"route-map {line[1]}"
            maps[name] = maps.get(name, ()) + found[f"prefix-list {line[6]}"]
    return found | maps


def _instance(own: list[Command], filters: dict[str, tuple[Permit, ...]]) -> Instance:
    """Read one BGP instance."""
    instance = Instance(0)
    unnumbered = {
        line[1] for line in own if line[0] == "neighbor" and line[2:] == ("type", "unnumbered")
    }
    for line in own:
        if line[0] == "autonomous-system":
            instance.asn = int(line[1])
        elif line[0] == "router-id":
            instance.router_id = line[1]
        elif line[0] == "neighbor" and line[2] == "peer-group" and line[1] in unnumbered:
            instance.neighbours[line[1]] = line[3]
        elif line[0] in ("peer-group", "neighbor") and line[4:5] == ("policy",):
            instance.filters[f"{line[1]} {'in' if line[5] == 'inbound' else 'out'}"] = filters[
                f"{line[6]} {line[7]}"
            ]
        elif line[2:5] == ("redistribute", "connected", "route-map"):
            instance.filters["connected"] = filters[f"route-map {line[5]}"]
            instance.family = int(line[1].removeprefix("ipv").removesuffix("-unicast"))
        elif line[2:4] == ("multipaths", "ebgp"):
            instance.ecmp = int(line[4])
        elif line[:3] == ("peer-group", "FABRIC", "bfd"):
            instance.bfd = True
    return instance


def roce(commands: str) -> dict[str, object]:
    """Read the queue of each DSCP, and the treatment of the lossless class."""
    lines = [line[1:] for line in expanded(commands) if line[0] == "qos"]
    priorities = {
        int(line[3]): int(line[5]) for line in lines if line[0] == "mapping" and line[2] == "dscp"
    }
    queues = {int(line[3]): int(line[5]) for line in lines if line[0] == "egress-queue-mapping"}
    ecn = {(int(line[3]), line[4]): line[5] for line in lines if line[0] == "congestion-control"}
    (lossless,) = (
        int(line[3]) for line in lines if line[0] == "pfc" and line[2] == "switch-priority"
    )
    queue = queues[lossless]
    watched = [
        line[1]
        for line in expanded(commands)
        if line[0] == "interface" and line[2:] == ("qos", "pfc-watchdog")
    ]
    return {
        "dscp": {dscp: queues[priority] for dscp, priority in priorities.items()},
        "lossless": lossless,
        "strict": [
            int(line[3])
            for line in lines
            if line[0] == "egress-scheduler" and line[4:] == ("mode", "strict")
        ],
        "ecn": (int(ecn[queue, "min-threshold"]), int(ecn[queue, "max-threshold"]))
        if ecn[queue, "ecn"] == "enable"
        else None,
        "watched": watched,
    }
