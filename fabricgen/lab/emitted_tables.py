"""The emitted forwarding tables, read back.

It depends on the keys of the documents, and shares no code with the program that writes them.
"""

from __future__ import annotations

import ipaddress
import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

Instance = tuple[str, str]
"""A routing instance: switch and VRF."""

KNOWN = 1 << 16
"""Addresses and prefixes whose numbers are kept: every switch has routes to the same ones."""


@lru_cache(maxsize=KNOWN)
def number_of(address: str) -> int:
    """Return an address as a number."""
    return int(ipaddress.ip_address(address))


@lru_cache(maxsize=KNOWN)
def _network(prefix: str) -> tuple[int, int]:
    """Return the host bits of a prefix, and its network as a number without them."""
    network = ipaddress.ip_network(prefix)
    shift = network.max_prefixlen - network.prefixlen
    return shift, int(network.network_address) >> shift


class Routes:
    """The routes of one table, found by the longest prefix, then by the lowest metric."""

    def __init__(self, routes: Iterable[tuple[str, int, Any]]) -> None:
        """Sort routes, each a prefix, a metric and a next hop, by length and network."""
        self.by_length: dict[int, dict[int, list[tuple[int, Any]]]] = {}
        for prefix, metric, hop in routes:
            shift, network = _network(prefix)
            self.by_length.setdefault(shift, {}).setdefault(network, []).append((metric, hop))
        self.shifts = sorted(self.by_length)

    def entries(self) -> Iterator[tuple[int, Any]]:
        """Yield every metric and next hop."""
        return (
            entry
            for networks in self.by_length.values()
            for found in networks.values()
            for entry in found
        )

    def find(self, address: int) -> list[Any]:
        """Return the next hops at the longest prefix of an address, best first."""
        for shift in self.shifts:
            if found := self.by_length[shift].get(address >> shift):
                return [hop for _, hop in sorted(found, key=lambda entry: entry[0])]
        return []


class EmittedTables:
    """The emitted tables of one fabric."""

    def __init__(
        self,
        hosts: Iterable[dict[str, Any]],
        switches: Iterable[dict[str, Any]],
        domains: dict[str, Any],
    ) -> None:
        """Index the documents of hosts, of switches and of the domains."""
        self.gpus = {
            gpu["gpu"]: gpu | {"domain": host["hb_domain"], "host": host["host"]}
            for host in hosts
            for gpu in host["gpus"]
        }
        self.domains: dict[int, list[str]] = {
            domain["hb_domain"]: [gpu for gpu in domain["gpus"] if gpu in self.gpus]
            for domain in domains["domains"]
        }
        self.third_rails: dict[int, dict[str, list[int]]] = {
            domain["hb_domain"]: domain["third_rails"] for domain in domains["domains"]
        }
        self.instances: dict[Instance, Routes] = {}
        self.at: dict[tuple[str, str], Instance] = {}
        for switch in switches:
            for instance in switch["instances"]:
                key = switch["switch"], instance["vrf"]
                self.instances[key] = Routes(
                    (prefix, 0, route["next_hops"])
                    for route in instance["routes"]
                    for prefix in route["prefixes"]
                )
                self.at |= {
                    (switch["switch"], hop["interface"]): key
                    for route in instance["routes"]
                    for hop in route["next_hops"]
                }
        self.ports = {
            (gpu["host"], port["interface"]): f"{name}/{port['plane']}"
            for name, gpu in self.gpus.items()
            for port in gpu["ports"]
        }
        self.addresses = {
            number_of(port["address"]): f"{name}/{port['plane']}"
            for name, gpu in self.gpus.items()
            for port in gpu["ports"]
        }
        self.landed = {
            name: [(number_of(port["address"]), port) for port in gpu["ports"]]
            for name, gpu in self.gpus.items()
        }
        self.routes = {
            name: Routes((route["prefix"], route["metric"], route) for route in gpu["routes"])
            for name, gpu in self.gpus.items()
            if gpu["routes"]
        }
        self._exits: dict[tuple[str, int], list[str]] = {}

    def exits(self, gpu: str, rail: int) -> list[str]:
        """Return the relays of a GPU: on a rail, on its own rail, then on the others in order."""
        if (gpu, rail) not in self._exits:
            source = self.gpus[gpu]
            thirds = self.third_rails[source["domain"]][str(rail)]
            self._exits[gpu, rail] = [
                relay
                for each in dict.fromkeys([rail, source["rail"], *thirds])
                for relay in source["relays"][str(each)]
                if relay in self.gpus
            ]
        return self._exits[gpu, rail]

    @classmethod
    def read(
        cls, out: Path, hosts: Iterable[str] = ("*",), switches: Iterable[str] = ("*",)
    ) -> EmittedTables:
        """Read the tables of a build: all of them, or those of some hosts and switches."""
        by_host = [
            _read(path)
            for name in hosts
            for path in sorted((out / "hosts").glob(f"{name}/forwarding.json"))
        ]
        by_switch = [
            _read(path)
            for name in switches
            for path in sorted((out / "forwarding").glob(f"{name}.json"))
            if path.stem != "domains"
        ]
        return cls(by_host, by_switch, _read(out / "forwarding" / "domains.json"))


def _read(path: Path) -> dict[str, Any]:
    """Return a document."""
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document
