"""Reads from the files of a switch by what it can be reached: address, route, SSH, users, clock.

Each reader knows the words of its NOS from the vendor's documents, and nothing of the packs.
"""

from __future__ import annotations

import json
import re
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

Files = dict[str, str]


class Reached(NamedTuple):
    """How a switch can be reached with its files alone."""

    address: str
    gateway: str
    ssh: bool
    keys: frozenset[str]
    """Users with a key, and rights to change the configuration."""
    clocks: frozenset[str]
    allowed: frozenset[str] = frozenset()
    """The prefixes from which SSH and SNMP are reached; none where there is no filter."""


def _one(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    return found[1] if found else ""


def _all(pattern: str, text: str) -> frozenset[str]:
    return frozenset(re.findall(pattern, text, re.MULTILINE))


def _eos(files: Files) -> Reached:
    text = files["startup-config.cfg"]
    port = _one(r"^interface Management1\n((?: .*\n)+)", text)
    vrf = _one(r"^ +vrf (\S+)$", port)
    admins = _all(r"^username (\S+) privilege 15 role network-admin ", text)
    return Reached(
        _one(r"^ +ip address (\S+)$", port),
        _one(rf"^ip route vrf {vrf} 0\.0\.0\.0/0 (\S+)$", text),
        bool(
            re.search(
                rf"^management ssh\n(?: +ip.*\n)* +vrf {vrf}\n +no shutdown$", text, re.MULTILINE
            )
        ),
        admins & _all(r"^username (\S+) ssh-key (?:ssh|ecdsa)-\S+ AAAA", text),
        _all(rf"^ntp server vrf {vrf} (\S+)", text),
        _eos_allowed(text, vrf),
    )


def _eos_allowed(text: str, vrf: str) -> frozenset[str]:
    """Return what the list of both VRFs permits, if that of IPv6 denies all."""
    ssh = _one(r"^management ssh\n((?: .*\n)+)", text)
    lists = [
        _one(rf"^ +{ip} access-group (\S+){scope} in$", ssh)
        for ip, scope in product(("ip", "ipv6"), (f" vrf {vrf}", ""))
    ]
    if not lists[0] or lists[0] != lists[1] or lists[2] != lists[3]:
        return frozenset()
    denied = f"ipv6 access-list standard {lists[2]}\n   1000 deny any\n" in text
    listed = _one(rf"^ip access-list standard {lists[0]}\n((?: .*\n)+)", text)
    snmp = "snmp-server user" not in text or f"ipv4 access-list {lists[0]} vrf {vrf}\n" in text
    return _all(r"^ +\d+ permit (\S+)$", listed) if denied and snmp else frozenset()


def _nvue(files: Files) -> Reached:
    text = files["commands.txt"]
    in_vrf = "nv set interface eth0 vrf mgmt\n" in text
    admins = _all(r"^nv set system aaa user (\S+) role system-admin$", text)
    return Reached(
        _one(r"^nv set interface eth0 ipv4 address (\S+)$", text),
        _one(r"^nv set interface eth0 ipv4 gateway (\S+)$", text) if in_vrf else "",
        "nv set system ssh-server state enabled\n" in text,
        admins & _all(r"^nv set system aaa user (\S+) ssh authorized-key \S+ key AAAA", text),
        _all(r"^nv set system ntp server (\S+)", text),
        _nvue_allowed(text),
    )


def _nvue_allowed(text: str) -> frozenset[str]:
    """Return what the bound list of IPv4 permits before it denies SSH and SNMP, as that of IPv6."""
    found: dict[str, set[str]] = {}
    for name in _all(r"^nv set system control-plane acl (\S+) inbound$", text):
        rules = _all(rf"^nv set acl {name} rule (\d+) action deny$", text)
        denied = {
            _one(rf"^nv set acl {name} rule {rule} match ip \w+ dest-port (\d+)$", text)
            for rule in rules
        }
        if {"22", "161"} <= denied:
            found[_one(rf"^nv set acl {name} type (\S+)$", text)] = {
                _one(rf"^nv set acl {name} rule {rule} match ip source-ip (\S+)$", text)
                for rule in _all(rf"^nv set acl {name} rule (\d+) action permit$", text)
                if all(int(rule) < int(other) for other in rules)
            }
    return frozenset(found.get("ipv4", ())) if found.get("ipv6") == set() else frozenset()


def _sonic(files: Files) -> Reached:
    tables = json.loads(files["config_db.json"])
    ports: dict[str, Any] = tables.get("MGMT_INTERFACE", {})
    name, row = next(iter(ports.items())) if ports else ("", dict[str, str]())
    users = files["users.sh"]
    admins = _all(r"^add (\S+) sudo,docker '[^']*' '(?:ssh|ecdsa)-\S+ AAAA", users)
    # sshd runs unless a table of SSH_SERVER moves it
    ssh = "SSH_SERVER" not in tables and tables["MGMT_PORT"]["eth0"]["admin_status"] == "up"
    clocks = tables.get("NTP_SERVER", {}) if tables["NTP"]["global"]["vrf"] == "mgmt" else {}
    return Reached(
        name.partition("|")[2],
        row.get("gwaddr", ""),
        ssh,
        admins,
        frozenset(clocks),
        _sonic_allowed(tables),
    )


def _sonic_allowed(tables: dict[str, Any]) -> frozenset[str]:
    """Return what both services accept, as caclmgrd reads it: tables by name, rules by priority.

    It drops all that no rule accepts. BFD of neighbors is accepted with all else that they send
    from link-local addresses, so both services have to be denied to these before.
    """
    services: dict[str, list[str]] = {"SSH": [], "SNMP": []}
    open_to_neighbors = {*services}
    for name, table in sorted(tables.get("ACL_TABLE", {}).items()):
        (service,) = table["services"] if table["type"] == "CTRLPLANE" else [""]
        own = [one for key, one in tables["ACL_RULE"].items() if key.split("|")[0] == name]
        for one in sorted(own, key=lambda rule: rule["PRIORITY"], reverse=True):
            if one["PACKET_ACTION"] == "DROP":
                open_to_neighbors -= {service} if one.get("SRC_IPV6") == "::/0" else set()
            elif service == "ANY" and open_to_neighbors:
                return frozenset()
            elif service in services:
                services[service].append(one["SRC_IP"])
    bfd = "NEIGHBORS_IPV6|LINK_LOCAL" in tables.get("ACL_RULE", {})
    return (
        frozenset(services["SSH"]) if bfd and services["SSH"] == services["SNMP"] else frozenset()
    )


def _srlinux(files: Files) -> Reached:
    tree: dict[str, Any] = json.loads(files["config.json"])
    system = tree["srl_nokia-system:system"]
    ports = {one["name"]: one for one in tree["srl_nokia-interfaces:interface"]}
    instances = {one["name"]: one for one in tree["srl_nokia-network-instance:network-instance"]}
    mgmt = instances["mgmt"]
    groups = mgmt["srl_nokia-next-hop-groups:next-hop-groups"]["group"]
    hops = {one["name"]: one["nexthop"][0]["ip-address"] for one in groups}
    routes = mgmt["srl_nokia-static-routes:static-routes"]["route"]
    default = next((one["next-hop-group"] for one in routes if one["prefix"] == "0.0.0.0/0"), "")
    users = system["srl_nokia-aaa:aaa"]["authentication"]["user"]
    attached = {"name": "mgmt0.0"} in mgmt["interface"]
    ip = ports["mgmt0"]["subinterface"][0]["ipv4"]["address"] if attached else []
    return Reached(
        next((one["ip-prefix"] for one in ip), ""),
        hops.get(default, ""),
        any(
            one["network-instance"] == "mgmt" and one["admin-state"] == "enable"
            for one in system["srl_nokia-ssh:ssh-server"]
        ),
        frozenset(
            one["username"] for one in users if one.get("ssh-key") and "admin" in one["role"]
        ),
        frozenset(one["address"] for one in system["srl_nokia-ntp:ntp"]["server"]),
        _srlinux_allowed(tree),
    )


def _srlinux_allowed(tree: dict[str, Any]) -> frozenset[str]:
    """Return what the filter of IPv4 accepts before it drops SSH and SNMP, as that of IPv6."""
    plane = tree["srl_nokia-system:system"].get("control-plane-traffic", {"input": {}})
    bound = plane["input"].get("srl_nokia-acl:acl", {"acl-filter": []})["acl-filter"]
    accepted: dict[str, list[str]] = {}
    for one in tree.get("srl_nokia-acl:acl", {"acl-filter": []})["acl-filter"]:
        kind, ports = one["type"], set[int]()
        sources = accepted[kind] = list[str]()
        for entry in sorted(one["entry"], key=lambda each: each["sequence-id"]):
            match = entry.get("match", {})
            if "drop" in entry["action"]:
                ports.add(match["transport"]["destination-port"]["value"])
            elif match and not ports:
                sources.append(match[kind]["source-ip"]["prefix"])
        if {"name": one["name"], "type": kind} not in bound or not {22, 161} <= ports:
            del accepted[kind]
    return frozenset(accepted.get("ipv4", ())) if accepted.get("ipv6") == [] else frozenset()


def _junos(files: Files) -> Reached:
    text = files["junos.set"]
    vrf = "mgmt_junos" if "set system management-instance\n" in text else "-"
    admins = _all(r"^set system login user (\S+) class super-user$", text)
    return Reached(
        _one(r"^set interfaces re0:mgmt-0 unit 0 family inet address (\S+)$", text),
        _one(
            rf"^set routing-instances {vrf} routing-options static route 0\.0\.0\.0/0"
            r" next-hop (\S+)$",
            text,
        ),
        "set system services ssh\n" in text,
        admins & _all(r'^set system login user (\S+) authentication ssh-\w+ "\S+ AAAA', text),
        _all(rf"^set system ntp server (\S+) routing-instance {vrf}$", text),
        _junos_allowed(text),
    )


def _junos_allowed(text: str) -> frozenset[str]:
    """Return the prefixes of the filter that the loopback and the management port both have."""
    lists = dict[str, str]()
    for family in ("inet", "inet6"):
        uses = re.findall(
            rf"^set interfaces (\S+) unit \d+ family {family} filter input (\S+)$",
            text,
            re.MULTILINE,
        )
        names = {name for _, name in uses}
        if {port for port, _ in uses} == {"lo0", "re0:mgmt-0"} and len(names) == 1:
            term = f"set firewall family {family} filter {names.pop()} term"
            ports = _all(rf"^{term} \w+ from destination-port (\d+)$", text)
            if {"22", "161"} <= ports and f"{term} TCP then discard\n" in text:
                lists[family] = _one(rf"^{term} \w+ from source-prefix-list (\S+)$", text)
    if not lists.get("inet") or lists.get("inet6") != "":
        return frozenset()
    return _all(rf"^set policy-options prefix-list {lists['inet']} (\S+)$", text)


def _nxos(files: Files) -> Reached:
    text = files["nxos.cfg"]
    port = _one(r"^interface mgmt0\n((?: .*\n)+)", text)
    context = _one(r"^vrf context management\n((?: .*\n)+)", text)
    admins = _all(r"^username (\S+) password 5 \S+ role network-admin$", text)
    return Reached(
        _one(r"^ +ip address (\S+)$", port) if "vrf member management" in port else "",
        _one(r"^ +ip route 0\.0\.0\.0/0 (\S+)$", context),
        "\nfeature ssh\n" in text,
        admins & _all(r"^username (\S+) sshkey (?:ssh|ecdsa)-\S+ AAAA", text),
        _all(r"^ntp server (\S+) use-vrf management$", text),
        _nxos_allowed(text),
    )


def _nxos_allowed(text: str) -> frozenset[str]:
    """Return what the list of the lines of SSH permits, if SNMP and the port have the same."""
    line = _one(r"^line vty\n((?: .*\n)+)", text)
    name, other = (_one(rf"^  {ip}access-class (\S+) in$", line) for ip in ("", "ipv6 "))
    port = _one(r"^  ip access-group (\S+) in$", text)
    own, rules = (_one(rf"^ip access-list {each}\n((?: .*\n)+)", text) for each in (name, port))
    permitted = _all(r"^  \d+ permit ip (\S+) any$", own)
    same = _all(r"^  \d+ permit ip (\S+) any$", rules) - {"any"} == permitted
    ports = {"22", "161"} <= _all(r"^  \d+ deny \w+ any any eq (\d+)$", rules)
    denied = f"ipv6 access-list {other}\n  3000 deny ipv6 any any\n" in text
    snmp = "snmp-server user" not in text or f"use-ipv4acl {name} use-ipv6acl {other}\n" in text
    return permitted if same and ports and denied and snmp else frozenset()


def _frr(files: Files) -> Reached:
    text = files["interfaces"]
    port = _one(r"^iface eth0 inet static\n((?: .*\n?)+)", text)
    vrf = _one(r"^ +vrf (\S+)$", port)
    started = f"ExecStart=/usr/sbin/ip vrf exec {vrf} /usr/sbin/sshd " in files["ssh.conf"]
    bound = f"bindacqdevice {vrf}\n" in files["chrony.conf"]
    return Reached(
        _one(r"^ +address (\S+)$", port),
        _one(r"^ +gateway (\S+)$", port),
        started and f"\niface {vrf}\n" in text,
        _all(r"^add (\S+) sudo,frrvty '[^']*' '(?:ssh|ecdsa)-\S+ AAAA", files["users.sh"]),
        _all(r"^server (\S+)", files["chrony.conf"]) if bound else frozenset(),
        _frr_allowed(files.get("nftables.conf", "")),
    )


def _frr_allowed(text: str) -> frozenset[str]:
    """Return the sources that nftables accepts before it drops SSH and SNMP from all others."""
    rules = re.findall(r"^        (.+)$", text, re.MULTILINE)
    if rules[-2:] != ["tcp dport { 22 } drop", "udp dport { 161 } drop"]:
        return frozenset()
    accepted = [rule for rule in rules if rule.startswith("ip saddr ") and rule.endswith(" accept")]
    return frozenset(re.findall(r"[\d.]+/\d+", accepted[0])) if accepted else frozenset()


READERS: dict[str, Callable[[Files], Reached]] = {
    "eos": _eos,
    "nvue": _nvue,
    "sonic": _sonic,
    "srlinux": _srlinux,
    "junos": _junos,
    "nxos": _nxos,
    "frr": _frr,
}
