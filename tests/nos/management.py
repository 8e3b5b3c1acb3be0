"""Reads from the files of a switch by what it can be reached: address, route, SSH, users, clock.

Each reader knows the words of its NOS from the vendor's documents, and nothing of the packs.
"""

from __future__ import annotations

import json
import re
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
        bool(re.search(rf"^management ssh\n +vrf {vrf}\n +no shutdown$", text, re.MULTILINE)),
        admins & _all(r"^username (\S+) ssh-key (?:ssh|ecdsa)-\S+ AAAA", text),
        _all(rf"^ntp server vrf {vrf} (\S+)", text),
    )


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
    )


def _sonic(files: Files) -> Reached:
    tables = json.loads(files["config_db.json"])
    ports: dict[str, Any] = tables.get("MGMT_INTERFACE", {})
    name, row = next(iter(ports.items())) if ports else ("", dict[str, str]())
    users = files["users.sh"]
    admins = _all(r"^add (\S+) sudo,docker '[^']*' '(?:ssh|ecdsa)-\S+ AAAA", users)
    # sshd runs unless a table of SSH_SERVER moves it
    ssh = "SSH_SERVER" not in tables and tables["MGMT_PORT"]["eth0"]["admin_status"] == "up"
    clocks = tables.get("NTP_SERVER", {}) if tables["NTP"]["global"]["vrf"] == "mgmt" else {}
    return Reached(name.partition("|")[2], row.get("gwaddr", ""), ssh, admins, frozenset(clocks))


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
    )


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
    )


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
    )


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
    )


READERS: dict[str, Callable[[Files], Reached]] = {
    "eos": _eos,
    "nvue": _nvue,
    "sonic": _sonic,
    "srlinux": _srlinux,
    "junos": _junos,
    "nxos": _nxos,
    "frr": _frr,
}
