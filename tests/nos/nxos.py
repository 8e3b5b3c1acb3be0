"""Reads the files of the pack `nxos` back, from the running-config alone."""

from __future__ import annotations

import re
from ipaddress import ip_interface, ip_network

from tests.nos.frr import Box, Instance, Permit, port_of
from tests.nos.statements import paths

Block = list[str]


def without_banner(text: str) -> str:
    """Leave out the text of the banner, which ends with the sign that it begins with."""
    return re.sub(r"(?<=^banner motd @\n).*?^@\n", "", text, flags=re.MULTILINE | re.DOTALL)


def blocks(text: str) -> dict[str, Block]:
    """Return the lines of the top level, each with the lines below it, one indent less."""
    found: dict[str, Block] = {}
    for line in text.splitlines():
        if line.startswith("  "):
            found[list(found)[-1]].append(line.removeprefix("  "))
        else:
            assert line not in found, line
            found[line] = []
    return found


def _under(text: str, word: str) -> dict[str, Block]:
    """Return the blocks whose first line starts with a word, by the text after it."""
    return {
        line.removeprefix(word).strip(): inner
        for line, inner in blocks(text).items()
        if line.startswith(word)
    }


def read(text: str) -> Box:
    """Read the running-config of one switch."""
    (name,) = _under(text, "hostname ")
    box = Box(name)
    for name, lines in _under(text, "interface ").items():
        settings = {line.rsplit(" ", 1)[0]: line.rsplit(" ", 1)[1] for line in lines}
        given = settings.get("ip address") or settings.get("ipv6 address")
        address = None if given in (None, "use-link-local-only") else ip_interface(given)
        if name.startswith("loopback"):
            assert address is not None
            box.loopbacks[settings.get("vrf member", "")] = address
        elif name.startswith("Ethernet"):
            assert {"no switchport", "no shutdown"} <= set(lines)
            box.ports[name] = port_of(lines[0].removeprefix("description "), address)
            box.ports[name].mtu, box.ports[name].vrf = (
                int(settings["mtu"]),
                settings.get("vrf member", ""),
            )
    ((asn, lines),) = _under(text, "router bgp ").items()
    filters, body = _filters(text), "\n".join(lines) + "\n"
    templates = _under(body, "template peer ")
    vrfs = _under(body, "vrf ")
    for vrf, inner in (vrfs or {"": lines}).items():
        box.instances[vrf] = _instance(int(asn), "\n".join(inner) + "\n", templates, filters)
    return box


def _filters(text: str) -> dict[str, tuple[Permit, ...]]:
    """Read prefix lists and route maps.

    A missing length is the network's own at the low end, and that of an address beside a `ge`.
    """
    found: dict[str, tuple[Permit, ...]] = {}
    for line in text.splitlines():
        if line.startswith(("ip prefix-list ", "ipv6 prefix-list ")):
            _, _, name, _, _, _, prefix, *ends = line.split()
            given = dict(zip(ends[::2], map(int, ends[1::2]), strict=True))
            network = ip_network(prefix)
            permit = Permit(
                network,
                given.get("ge", network.prefixlen),
                given.get("le", network.max_prefixlen if "ge" in given else network.prefixlen),
            )
            found[f"prefix-list {name}"] = (*found.get(f"prefix-list {name}", ()), permit)
    for header, (match,) in _under(text, "route-map ").items():
        name = f"route-map {header.split()[0]}"
        found[name] = found.get(name, ()) + found[" ".join(match.split()[3:])]
    return found


def _instance(
    asn: int, body: str, templates: dict[str, Block], filters: dict[str, tuple[Permit, ...]]
) -> Instance:
    """Read one instance: the lines under `router bgp`, or under a VRF of it."""
    (identity,) = _under(body, "router-id ")
    instance = Instance(asn, identity)
    ((family, settings),) = _under(body, "address-family ").items()
    instance.family = int(family.removeprefix("ipv").removesuffix(" unicast"))
    for line in settings:
        if line.startswith("maximum-paths ") and "bestpath as-path multipath-relax" in blocks(body):
            instance.ecmp = int(line.split()[1])
        elif line.startswith("redistribute direct "):
            instance.filters["connected"] = filters[line.removeprefix("redistribute direct ")]
    for name, lines in _under(body, "neighbor ").items():
        assert f"address-family {family}" in lines
        (template,) = (
            line.removeprefix("inherit peer ") for line in lines if line.startswith("inherit peer ")
        )
        group = template.rpartition("-")[2]
        for line in lines:
            words = line.split()
            if words[0] == "prefix-list":
                instance.filters[f"{name} {words[2]}"] = filters[f"{words[0]} {words[1]}"]
        instance.neighbours[name] = group
        (instance.peer_asns[name],) = (
            int(line.split()[1]) for line in lines if line.startswith("remote-as ")
        )
        instance.bfd |= "bfd" in templates[template]
        if not any(line.strip() == "disable-peer-as-check" for line in templates[template]):
            instance.withholds.add(group)
        for line in templates[template]:
            words = line.split()
            if words[0] in ("prefix-list", "route-map"):
                instance.filters[f"{group} {words[2]}"] = filters[f"{words[0]} {words[1]}"]
    return instance


def roce(text: str) -> dict[str, object]:
    """Read the queue of each DSCP, and the treatment of the lossless class."""
    block = [words for _, words, _ in paths(text)]
    matches = {
        line[4]: [int(dscp) for dscp in line[7].split(",")]
        for line in block
        if line[:2] == ["class-map", "type"] and line[5:7] == ["match", "dscp"]
    }
    groups = {
        line[5]: int(line[8])
        for line in block
        if line[:3] == ["policy-map", "type", "qos"] and line[6:8] == ["set", "qos-group"]
    }
    queues = {
        line[7]: line[8:]
        for line in block
        if line[:3] == ["policy-map", "type", "queuing"]
        and line[8:9] in (["random-detect"], ["priority"])
    }
    (lossless,) = (int(line[-1]) for line in block if line[-3:-1] == ["pause", "pfc-cos"])
    named = {dscp: groups[name] for name, dscps in matches.items() for dscp in dscps}
    marking = queues[f"c-out-8q-q{lossless}"]
    on = [
        name
        for name, lines in _under(text, "interface Ethernet").items()
        if "priority-flow-control watch-dog-interval on" in lines
    ]
    return {
        "dscp": dict.fromkeys(range(64), groups["class-default"]) | named,
        "lossless": lossless,
        "strict": [int(queue[-1]) for queue, words in queues.items() if words[0] == "priority"],
        "ecn": (int(marking[2]), int(marking[5])) if marking[-1] == "ecn" else None,
        "watched": [f"Ethernet{name}" for name in on],
    }
