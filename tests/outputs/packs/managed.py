"""A small fabric of each NOS with everything that `management` has, and its files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabricgen.inventory.fields import KEY_EXAMPLE
from fabricgen.outputs.packs.render import Packs
from fabricgen.views.factory import Views
from tests.fabrics import plan_of

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan

Keys = dict[str, Any]

LEAVES: dict[str, Keys] = {
    "nvue": {"model": "sn5600", "breakout": "2x400G"},
    "sonic": {"model": "sn5600", "breakout": "2x400G"},
    "frr": {"model": "sn5600", "breakout": "2x400G"},
    "eos": {"model": "7060x6-64pe", "breakout": "2x400G"},
    "nxos": {"model": "n9364e-sg2", "breakout": "2x400G"},
    "junos": {"model": "qfx5240", "breakout": "2x400G"},
    "srlinux": {"model": "7220-ixr-h5-64", "breakout": "2x400G"},
}
"""A leaf that runs each NOS."""

LEAST: Keys = {
    "pool": "10.200.0.0/24",
    "ntp": ["10.200.0.123"],
    "users": [{"name": "ops", "key": KEY_EXAMPLE}],
}
"""The keys that `management` requires."""

READER = {"name": "monitor", "auth": "env:SNMP_AUTH", "privacy": "env:SNMP_PRIVACY"}
FULL: Keys = LEAST | {
    "dns": ["10.200.0.53", "10.200.0.54"],
    "ntp": ["10.200.0.123", "ntp.example.com"],
    "syslog": ["10.200.0.51", "log.example.com"],
    "snmp": {"users": [READER], "location": "Hall B, row 3", "contact": "noc@example.com"},
    "aaa": {"protocol": "tacacs", "servers": ["10.200.0.49"], "secret": "env:AAA_KEY"},
    "users": [
        {"name": "ops", "key": f"{KEY_EXAMPLE} ops@site", "secret": "env:OPS_SECRET"},
        {"name": "watch", "role": "operator", "secret": "env:WATCH_SECRET"},
    ],
    "banner": 'Authorized "use" only.\nIt\'s logged \\ kept: {{ 7 * 7 }} ^C #%\n',
    "allow": ["192.0.2.128/25", "10.200.0.0/24", "192.0.2.0/25"],
    "api": ["gnmi", "http", "netconf"],
    "time_zone": "Europe/Berlin",
}
"""All of it, with a banner that tries out every quotation."""

SECRETS = {
    "env:OPS_SECRET": "$6$saltsalt$CANARY0ops",
    "env:WATCH_SECRET": "$6$saltsalt$CANARY1watch",
    "env:AAA_KEY": "CANARY2aaa",
    "env:SNMP_AUTH": "CANARY3auth",
    "env:SNMP_PRIVACY": "CANARY4privacy",
    "env:BGP_KEY": "CANARY5bgp",
    "env:BGP_HOSTS_KEY": "CANARY6hosts",
}
"""A value for each reference of `FULL`, and for those of `addressing.bgp`."""


def managed_plan(nos: str, management: Keys, /, **keys: Any) -> Plan:  # noqa: ANN401 - keys of an inventory
    """Plan a fabric of 32 GPUs whose switches run a NOS."""
    return plan_of(
        **{
            "gpus": 32,
            "hb_domain": {"gpus": 4},
            "nos": nos,
            "switches": {"leaf": LEAVES[nos]},
            "addressing": {"mtu": 9000},
            "management": management,
        }
        | keys
    )


def managed_files(plan: Plan, secrets: Keys | None = None) -> dict[str, str]:
    """Render the files of the first switch, with these secrets."""
    packs = Packs()
    packs.secrets.values = secrets or {}
    switch = next(iter(Views(plan).switches(0)))
    pack = packs.for_nos(switch.nos)
    assert pack
    with packs.secrets:
        return {
            output.path.split("/")[-1]: packs.render(pack.name, output.template, switch=switch)
            for output in pack.outputs
            if output.is_written(switch.management)
        }
