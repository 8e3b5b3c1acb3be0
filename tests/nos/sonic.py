"""Reads the files of the pack `sonic` back.

Ports and addresses are in config_db.json, routing is in frr.conf.
"""

from __future__ import annotations

import json
from ipaddress import ip_interface
from typing import Any

from tests.nos.frr import Box, port_of, read_routing

ConfigDb = dict[str, dict[str, dict[str, Any]]]


def read(config_db: str, frr_conf: str) -> Box:
    """Read the files of one switch."""
    tables: ConfigDb = json.loads(config_db)
    box = read_routing(frr_conf)
    assert tables["DEVICE_METADATA"]["localhost"]["hostname"] == box.name
    addresses = dict(key.split("|") for key in tables["INTERFACE"] if "|" in key)
    for name, row in tables["PORT"].items():
        if row["admin_status"] == "up":
            port = port_of(
                row["description"], ip_interface(addresses[name]) if name in addresses else None
            )
            neighbour = tables["DEVICE_NEIGHBOR"][name]
            assert (port.peer, port.peer_interface) == (neighbour["name"], neighbour["port"])
            port.vrf, port.mtu = tables["INTERFACE"][name].get("vrf_name", ""), int(row["mtu"])
            box.ports[name] = port
    for key in tables["LOOPBACK_INTERFACE"]:
        if "|" in key:
            name, address = key.split("|")
            box.loopbacks[tables["LOOPBACK_INTERFACE"][name].get("vrf_name", "")] = ip_interface(
                address
            )
    return box
