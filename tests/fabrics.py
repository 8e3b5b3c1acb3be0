"""Small fabrics that many tests plan, and the plan, the refusal or the cables of an inventory."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.build.context import BuildContext
from fabricgen.build.job import BuildJob, make_job
from fabricgen.build.selection import BuildScope, GroupSelection
from fabricgen.catalog.catalog import Catalog
from fabricgen.core.diagnostics import Refusal
from fabricgen.inventory.fabric import FabricSpec
from fabricgen.inventory.load import read_inventory
from fabricgen.outputs.groups import GROUPS, LIMITS
from fabricgen.planning.plan import Plan, make_plan
from fabricgen.planning.resolve import ResolvedFabric, resolve
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.outputs.packs.render import Packs
    from fabricgen.views.cables.view import CableView

CATALOG = Catalog()

Inventory = dict[str, Any]
"""The keys of an inventory."""


def spec_of(**keys: Any) -> FabricSpec:  # noqa: ANN401 - keys of an inventory
    """Validate an inventory. `name` may be left out, and `radix` gives the leaf a generic model."""
    radix = keys.pop("radix", None)
    leaf = {"switches": {"leaf": {"generic": {"radix": radix}}}} if radix else {}
    return FabricSpec.model_validate({"name": "test", **leaf, **keys})


def request_of(**keys: Any) -> ResolvedFabric:  # noqa: ANN401 - keys of an inventory
    """Resolve an inventory: every default is filled in."""
    return resolve(spec_of(**keys), CATALOG)


def plan_of(catalog: Catalog = CATALOG, /, **keys: Any) -> Plan:  # noqa: ANN401 - keys of an inventory
    """Plan an inventory."""
    return make_plan(spec_of(**keys), catalog)


@cache
def plan_file(path: Path) -> Plan:
    """Plan an inventory file."""
    return make_plan(read_inventory(str(path)).spec, Catalog(base=path.parent))


def refusal_codes(**keys: Any) -> list[str]:  # noqa: ANN401 - keys of an inventory
    """Return the codes of the findings with which an inventory is refused."""
    with pytest.raises(Refusal) as refused:
        plan_of(**keys)
    return [finding.code for finding in refused.value.findings]


def cables_of(plan: Plan) -> list[CableView]:
    """Return the cables of every segment."""
    views = Views(plan)
    return [cable for segment in range(plan.mapping.segments) for cable in views.cables(segment)]


def cluster_cables(plan: Plan) -> dict[str, list[CableView]]:
    """Return the cables of each network by its name, compute first."""
    every = [plan, *plan.networks.values()]
    return {each.fabric.network_name: cables_of(each) for each in every}


def build_context(
    plan: Plan,
    packs: Packs,
    groups: tuple[str, ...] = tuple(GROUPS),
    named: frozenset[str] = frozenset(),
    scope: BuildScope | None = None,
) -> BuildContext:
    """Return what a build of some groups starts from, `named` ones asked for by name."""
    return BuildContext(plan, packs, GroupSelection(groups, named), scope)


def build_job(
    plan: Plan,
    packs: Packs,
    groups: tuple[str, ...] = tuple(GROUPS),
    named: frozenset[str] = frozenset(),
    scope: BuildScope | None = None,
) -> BuildJob:
    """List the work of a build, as `build_context` has it."""
    return make_job(build_context(plan, packs, groups, named, scope))


def set_limit(patch: pytest.MonkeyPatch, word: str, most: int) -> None:
    """Set the limit above which the files of a word are written on request only."""
    patch.setitem(LIMITS, word, LIMITS[word]._replace(most=most))


def generic(radix: int, **more: Any) -> Inventory:  # noqa: ANN401 - keys of an inventory
    """Return an inventory of one generic switch model, with 256 GPUs in HB domains of 4."""
    return {
        "gpus": 256,
        "hb_domain": {"gpus": 4},
        "switches": {"leaf": {"generic": {"radix": radix}}},
        **more,
    }


SMALL: Inventory = {
    "name": "small",
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "switches": {"leaf": {"generic": {"radix": 4}}},
}
CO_PACKAGED: Inventory = {
    "design": "rail-optimized",
    "gpus": 576,
    "hb_domain": {"gpus": 72, "hosts": 18},
    "host": {"model": "gb300-nvl72"},
    "rails": {"count": 4},
    "switches": {"leaf": {"model": "q3450"}},
}
SUPERPOD: Inventory = {
    "name": "pod",
    "design": "rail-optimized",
    "gpus": 256,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "qm9700"}},
    "prices": {"book": "street-2026-09"},
    "spares": {"transceivers": {"percent": 2, "minimum": 2}},
}

CLUSTER: Inventory = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "qm9700"}},
    "networks": {
        "storage": {"switches": {"leaf": {"model": "qm9700"}}},
        "inband": {"switches": {"leaf": {"model": "sn4600c"}}, "speed": "100G"},
        "oob": {
            "switches": {"leaf": {"model": "sn2201"}},
            "speed": "1G",
            "uplink": {"network": "inband"},
        },
    },
    "devices": [{"name": "mgmt-{n}", "count": 2, "ports": {"inband": 2, "oob": 1}}],
    "spares": {"cables": {"percent": 10}},
}
"""A compute fabric with three networks beside it, and devices on them."""

ZONED: Inventory = {
    "model": "ds5000",
    "breakout": "2x400G",
    "zones": {"down": "1-16", "up": "26,28,38-63"},
}
"""A leaf that leaves cages for other networks."""
IN_COMPUTE: Inventory = {
    "converged_with": "compute",
    "speed": "200G",
    "bond": 1,
    "leaves": 2,
    "peer_links": 2,
}
"""A network on two leaves of compute, which links join."""
ON_COMPUTE: Inventory = {
    "gpus": 24,
    "hb_domain": {"gpus": 4},
    "rails": {"per_switch": 2},
    "nos": "frr",
    "spare_ports": {"leaf": 8},
    "switches": {"leaf": ZONED, "spine": {"model": "ds5000", "breakout": "1x800G"}},
    "networks": {
        "storage": IN_COMPUTE | {"cages": "27,29,31,33,35,37"},
        "oob": {
            "switches": {"leaf": {"model": "s3248t-on"}},
            "speed": "1G",
            "nos": "frr",
            "uplink": {"network": "compute", "speed": "10G", "ports": 2},
        },
    },
}
"""Leaves of two rails each; storage in VRFs that links join, and uplinks in others."""


def small_plan(catalog: Catalog = CATALOG, /, **keys: Any) -> Plan:  # noqa: ANN401 - keys of an inventory
    """Plan the small fabric with some of its keys replaced."""
    return plan_of(catalog, **SMALL | keys)


OTHER_NUMBERS: Inventory = {
    "addressing": {
        "host_pool": "172.16.0.0/16",
        "loopback_pool": "192.168.0.0/20",
        "asn_base": 64512,
        "mtu": 4200,
        "bfd": False,
        "bgp": {
            "ttl_security": True,
            "graceful_restart": True,
            "password": "env:BGP_KEY",
            "max_prefixes": "warn",
        },
    },
    "roce": {
        "dscp": 24,
        "priority": 4,
        "cnp_dscp": 46,
        "cnp_priority": 7,
        "ecn_minimum_bytes": 1000,
        "ecn_maximum_bytes": 2000,
    },
}
"""A value that is not the default for each number of a configuration."""

IPV6: Inventory = {
    "host_pool": "2001:db8:100::/40",
    "loopback_pool": "2001:db8:200::/40",
    "router_id_pool": "10.128.0.0/10",
}
"""Pools of IPv6, under `addressing`."""

SESSIONS: Inventory = {
    "password": "env:BGP_KEY",
    "hosts_password": "env:BGP_HOSTS_KEY",
    "max_prefixes": "teardown",
}
"""Keys and limits of BGP sessions, under `addressing.bgp`."""

IPV6_UNNUMBERED: Inventory = {**IPV6, "host_links": "unnumbered", "bgp": SESSIONS}

VARIANTS: dict[str, Inventory] = {
    "one tier": generic(64),
    "two tiers": generic(16),
    "three tiers": generic(8),
    "two planes": generic(16, rails={"planes": 2}),
    "shared boxes": generic(128, rails={"per_switch": 2}),
    "shared boxes below spines": generic(32, rails={"per_switch": 2}),
    "unnumbered hosts": generic(16, addressing={"host_links": "unnumbered"}),
    "unnumbered hosts on shared boxes": generic(
        32, rails={"per_switch": 2}, addressing={"host_links": "unnumbered", "bgp": SESSIONS}
    ),
    "IPv6 pools": generic(16, addressing=IPV6),
    "IPv6 pools and unnumbered hosts on shared boxes": generic(
        32, rails={"per_switch": 2}, addressing=IPV6_UNNUMBERED
    ),
    "oversubscribed": generic(16, oversubscription="3:1"),
    "room to grow": generic(16, reserve={"gpus": 512}),
    "rail-optimized": generic(32, design="rail-optimized"),
    "fat-tree": generic(32, design="fat-tree"),
    "fat-tree of three tiers": generic(8, design="fat-tree", gpus=128),
    "four rails for eight GPUs": generic(16, hb_domain={"gpus": 8}, rails={"count": 4}),
    "other numbers": generic(16, **OTHER_NUMBERS),
    "two speeds": {
        "gpus": 320,
        "hb_domain": {"gpus": 2},
        "rails": {"tiers": 2},
        "switches": {
            "leaf": {"model": "sn5600", "breakout": "2x400G"},
            "spine": {"model": "sn5600", "breakout": "1x800G"},
        },
    },
    "a real host": {
        "gpus": 512,
        "hb_domain": {"gpus": 8},
        "host": {"model": "dgx-h100"},
        "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
    },
}
"""A fabric for each thing that makes the configuration of a switch or a host look different."""
