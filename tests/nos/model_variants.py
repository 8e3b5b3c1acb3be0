"""Small fabrics of real switch models, for each NOS whose interface names are a model's own."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from tests.fabrics import CATALOG, IPV6, IPV6_UNNUMBERED, OTHER_NUMBERS, plan_of
from tests.nos.switch_files import SwitchFiles, render_switches
from tests.outputs.packs.managed import FULL, LEAST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.plan import Plan
    from tests.fabrics import Inventory

MODELS = {
    "eos": "7060x6-64pe",
    "frr": "sn5600",
    "junos": "qfx5240",
    "nvue": "sn5600",
    "nxos": "n9364e-sg2",
    "sonic": "sn5600",
    "srlinux": "7220-ixr-h5-64",
}
"""A switch model for each NOS."""
LARGEST_OF_EOS = {"mtu": 9214}

SHARED = {"gpus": 96, "hb_domain": {"gpus": 4}, "rails": {"per_switch": 2, "tiers": 2}}
TWO_TIERS = {"gpus": 48, "hb_domain": {"gpus": 2}, "rails": {"tiers": 2}}
UNNUMBERED = {"addressing": {"host_links": "unnumbered"}}
ALL_KEYS = FULL | {
    "subnet": "10.200.0.0/24",
    "pool": "10.200.0.0/25",
    "host_pool": "10.200.0.128/25",
    "gateway": "10.200.0.1",
    "vrf": "mgmt",
}
"""Every key of `management`, with TACACS+."""
TACACS = FULL["aaa"]

KEYED: dict[str, Inventory] = {
    "every number": TWO_TIERS
    | {
        "addressing": {
            "host_links": "numbered",
            "host_pool": "172.16.0.0/16",
            "loopback_pool": "192.168.0.0/20",
            "router_id_pool": "192.168.16.0/20",
            "asn": {"leaf": 64512, "spine": 64600, "core": 64700, "hosts": 64900},
            "mtu": 4200,
            "bfd": True,
            "timers": {
                "hold_s": 30,
                "connect_retry_s": 5,
                "bfd_interval_ms": 500,
                "bfd_multiplier": 4,
            },
        },
        "roce": {
            "dscp": 24,
            "priority": 4,
            "cnp_dscp": 46,
            "cnp_priority": 7,
            "ecn_minimum_bytes": 100000,
            "ecn_maximum_bytes": 200000,
            "ecn_probability_percent": 50,
            "pfc_watchdog_ms": 300,
            "pfc_restore_ms": 400,
            "headroom_bytes": 300000,
        },
    },
    "every number, unnumbered hosts": TWO_TIERS
    | {
        "addressing": {"host_links": "unnumbered", "asn_base": 65000, "mtu": 9000},
    },
    "IPv6 pools": {**TWO_TIERS, "addressing": IPV6},
    "IPv6 pools and unnumbered hosts on shared boxes": {**SHARED, "addressing": IPV6_UNNUMBERED},
}
"""Fabrics that have, together, every key of `addressing` and `roce`."""

MANAGED: dict[str, Inventory] = {
    "TTL security": TWO_TIERS
    | {"addressing": {"host_links": "unnumbered", "bgp": {"ttl_security": True}}},
    "the least of management": TWO_TIERS | {"management": LEAST},
    "management": TWO_TIERS
    | {"management": ALL_KEYS | {"addresses": {"r0-leaf-1": "10.200.0.100"}}},
    "management with RADIUS, on shared boxes": SHARED
    | {"management": ALL_KEYS | {"aaa": {**TACACS, "protocol": "radius"}}},
    "management with LDAP": TWO_TIERS
    | {
        "management": ALL_KEYS
        | {
            "aaa": TACACS
            | {"protocol": "ldap", "base_dn": "dc=example,dc=com", "bind_dn": "cn=switch"}
        }
    },
}
"""Fabrics that have, together, every key of `management` and of `addressing.bgp`."""

VARIANTS: dict[str, Inventory] = KEYED | {
    "one tier": {"gpus": 32, "hb_domain": {"gpus": 4}},
    "two tiers": {"gpus": 264, "hb_domain": {"gpus": 2}},
    "two planes": {"gpus": 48, "hb_domain": {"gpus": 2}, "rails": {"tiers": 2, "planes": 2}},
    "shared boxes": {"gpus": 32, "hb_domain": {"gpus": 4}, "rails": {"per_switch": 2}},
    "shared boxes below spines": SHARED,
    "unnumbered hosts": {**TWO_TIERS, **UNNUMBERED},
    "unnumbered hosts on shared boxes": {**SHARED, **UNNUMBERED},
    "graceful restart on shared boxes": {
        **SHARED,
        "addressing": {"host_links": "unnumbered", "bgp": {"graceful_restart": True}},
    },
    "fat-tree": {"gpus": 192, "hb_domain": {"gpus": 2}, "design": "fat-tree"},
    "other numbers": {**TWO_TIERS, **OTHER_NUMBERS},
}


def variant_plan(name: str, nos: str, /, **keys: object) -> Plan:
    """Plan a variant on the model that runs a NOS, with some of its keys replaced."""
    inventory = (VARIANTS | MANAGED)[name]
    if nos == "eos":
        inventory = inventory | {"addressing": LARGEST_OF_EOS | inventory.get("addressing", {})}
    leaf = {"model": MODELS[nos], "breakout": "2x400G"}
    return plan_of(**inventory | {"nos": nos, "switches": {"leaf": leaf}} | keys)


@cache
def variant_files(name: str, nos: str) -> list[SwitchFiles]:
    """Render the switches of a variant once for all tests, which must not change the texts."""
    return render_switches(variant_plan(name, nos))


@cache
def files_without_secrets(nos: str) -> list[SwitchFiles]:
    """Render the management of switches as a build does that resolves no secret."""
    return render_switches(variant_plan("management", nos), secrets={})


def in_each_breakout(nos: str, *models: str) -> Iterator[SwitchFiles]:
    """Render one leaf of each model in each breakout that its cages have."""
    for model in models:
        described = CATALOG.switch(model)
        assert described is not None
        for breakout in described.breakouts:
            leaf = {"model": model, "breakout": breakout.name}
            plan = plan_of(gpus=32, hb_domain={"gpus": 4}, switches={"leaf": leaf}, nos=nos)
            yield render_switches(plan)[0]


def interface_names(one: SwitchFiles) -> dict[str, set[str]]:
    """Return the names of a switch's ports, and of its cages that are split."""
    switch = one.switch
    return {
        "port": {port.interface for port in switch.ports}
        | {port.interface for port in switch.idle_ports},
        "cage": {cage.whole for cage in switch.cages if cage.split},
    }


def edited(text: str, good: str, bad: str) -> str:
    """Replace the first occurrence of a text that must be there."""
    assert good in text
    return text.replace(good, bad, 1)
