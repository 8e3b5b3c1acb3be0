"""Reads the files of the pack `junos` back, from the set commands alone."""

from __future__ import annotations

import re
from ipaddress import ip_interface, ip_network

from tests.nos.frr import Box, Instance, Permit, port_of

Lines = list[list[str]]


def under(lines: Lines, *words: str) -> Lines:
    """Return the text after the words, of each line that starts with them."""
    first, length = list(words), len(words)
    return [line[length:] for line in lines if line[:length] == first]


def _one(lines: Lines, *words: str) -> str:
    ((value,),) = under(lines, *words)
    return value


def words_of(text: str) -> Lines:
    """Return the words of each line, without `set` and quotes."""
    return [
        [_unquoted(word) for word in re.findall(r'"(?:[^"\\]|\\.)*"|\S+', line)][1:]
        for line in text.splitlines()
    ]


def _unquoted(word: str) -> str:
    return re.sub(r"\\(.)", r"\1", word[1:-1]) if word.startswith('"') else word


def read(text: str) -> Box:
    """Read the set commands of one switch."""
    lines = words_of(text)
    box = Box(_one(lines, "system", "host-name"))
    for name, what, *value in under(lines, "interfaces"):
        if what == "description":
            box.ports[name] = port_of(value[0], None)
    family = _family(lines)
    for name, *words in under(lines, "interfaces"):
        if name in box.ports and words[:4] == ["unit", "0", "family", family]:
            if words[4] == "mtu":
                box.ports[name].mtu = int(words[5])
            else:
                box.ports[name].address = ip_interface(words[5])
    vrfs = list(dict.fromkeys(line[0] for line in under(lines, "routing-instances")))
    _divide(box, lines, vrfs)
    for vrf in vrfs or [""]:
        box.instances[vrf] = _instance(
            lines, under(lines, "routing-instances", vrf) if vrf else lines
        )
    for vrf, instance in box.instances.items():
        # Junos announces nothing by default. Where no policy exports direct routes, no filter is
        # needed.
        own = [
            box.loopbacks[vrf].network,
            *(
                port.address.network
                for port in box.ports.values()
                if port.address and port.vrf == vrf
            ),
        ]
        instance.filters.setdefault(
            "connected",
            tuple(Permit(network, network.prefixlen, network.prefixlen) for network in own),
        )
    return box


def _divide(box: Box, lines: Lines, vrfs: list[str]) -> None:
    """Put loopbacks and ports into their routing instances."""
    loopbacks = {
        f"lo0.{line[0]}": ip_interface(line[-1])
        for line in under(lines, "interfaces", "lo0", "unit")
    }
    if not vrfs:
        box.loopbacks[""] = loopbacks["lo0.0"]
    for vrf in vrfs:
        for (unit,) in under(lines, "routing-instances", vrf, "interface"):
            if unit in loopbacks:
                box.loopbacks[vrf] = loopbacks[unit]
            else:
                box.ports[unit.removesuffix(".0")].vrf = vrf


def _instance(lines: Lines, own: Lines) -> Instance:
    """Read one routing instance; its policies are outside of it."""
    instance = Instance(
        int(_one(own, "routing-options", "autonomous-system")),
        _one(own, "routing-options", "router-id"),
        family=4 if _family(lines) == "inet" else 6,  # without a group it announces nothing
    )
    for group in dict.fromkeys(line[0] for line in under(own, "protocols", "bgp", "group")):
        words = under(own, "protocols", "bgp", "group", group)
        over_ipv6 = ["family", "inet", "unicast", "extended-nexthop"] in words
        instance.family = 4 if over_ipv6 else 6
        assert ["family", "inet6", "unicast"] in words
        ports = [
            line[0].removesuffix(".0")
            for line in under(
                words, "dynamic-neighbor", "PORTS", "peer-auto-discovery", "interface"
            )
        ]
        asns = [
            int(asn)
            for (asn,) in under(
                lines, "policy-options", "as-list", _one(words, "peer-as-list"), "members"
            )
        ]
        kind = "FABRIC" if group == "FABRIC" else "HOSTS"
        instance.neighbours |= dict.fromkeys(ports, kind)
        if ["advertise-peer-as"] not in words:
            instance.withholds.add(kind)
        if len(asns) == 1:
            instance.peer_asns |= dict.fromkeys(ports, asns[0])
        accepted = _permits(lines, _one(words, "import"), "bgp")
        sources = ports if kind == "HOSTS" else [kind]
        instance.filters |= {f"{source} in": accepted for source in sources}
        instance.filters[f"{kind} out"] = _permits(lines, _one(words, "export"), "bgp")
        if direct := _permits(lines, _one(words, "export"), "direct"):
            instance.filters["connected"] = direct
        if group == "FABRIC" and ["multipath", "multiple-as"] in words and _spreads(lines):
            instance.ecmp = int(_one(lines, "chassis", "maximum-ecmp"))
        instance.bfd |= bool(under(words, "bfd-liveness-detection"))
    return instance


def _family(lines: Lines) -> str:
    """Return the family of the loopbacks."""
    (family,) = {line[2] for line in under(lines, "interfaces", "lo0", "unit")}
    return family


def _spreads(lines: Lines) -> bool:
    """Return whether routes are installed in the forwarding table with all paths."""
    policy = _one(lines, "routing-options", "forwarding-table", "export")
    return under(lines, "policy-options", "policy-statement", policy) == [
        ["then", "load-balance", "per-packet"]
    ]


def _permits(lines: Lines, policy: str, protocol: str) -> tuple[Permit, ...]:
    """Return what a policy accepts of a protocol; it must end by rejecting the rest."""
    words = under(lines, "policy-options", "policy-statement", policy, "term")
    terms = list(dict.fromkeys(line[0] for line in words))
    assert under(words, terms[-1]) == [["then", "reject"]], policy
    found = list[Permit]()
    for term in terms[:-1]:
        named = [line[0] for line in under(words, term, "from", "protocol")]
        assert ["then", "accept"] in under(words, term)
        if protocol in named or not named:
            for prefix, _, lengths in under(words, term, "from", "route-filter"):
                low, high = (int(end.removeprefix("/")) for end in lengths.split("-"))
                found.append(Permit(ip_network(prefix), low, high))
    return tuple(found)


def roce(text: str) -> dict[str, object]:
    """Read the queue of each DSCP, and the treatment of the lossless class."""
    lines = under(words_of(text), "class-of-service")
    queues = {"best-effort": 0, "network-control": 7} | {
        line[0]: int(line[2])
        for line in under(lines, "forwarding-classes", "class")
        if line[1] == "queue-num"
    }
    classes = {
        int(line[-1], 2): line[0]
        for line in under(lines, "classifiers", "dscp", "ROCE", "forwarding-class")
    }
    (lossless,) = (
        line[0] for line in under(lines, "forwarding-classes", "class") if line[1:] == ["no-loss"]
    )
    schedulers = {
        line[0]: line[2] for line in under(lines, "scheduler-maps", "ROCE", "forwarding-class")
    }
    paused = [
        (int(line[1], 2), int(line[3]))
        for line in under(lines, "congestion-notification-profile", "ROCE", "output", "ieee-802.1")
    ]
    (pausing,) = (
        int(line[1], 2)
        for line in under(lines, "congestion-notification-profile", "ROCE", "input", "dscp")
    )
    assert queues[lossless] == int(
        _one(lines, "forwarding-classes", "class", lossless, "pfc-priority")
    )
    assert paused == [(queues[lossless], queues[lossless])]
    assert set(schedulers) == set(queues)
    return {
        "dscp": {dscp: queues[name] for dscp, name in classes.items()},
        "lossless": queues[classes[pausing]],
        "strict": [
            queues[name]
            for name, scheduler in schedulers.items()
            if ["priority", "strict-high"] in under(lines, "schedulers", scheduler)
        ],
        "ecn": ["explicit-congestion-notification"]
        in under(lines, "schedulers", schedulers[lossless]),
        "watched": bool(under(lines, "congestion-notification-profile", "ROCE", "pfc-watchdog")),
    }
