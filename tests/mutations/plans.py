"""The correct plans of the mutations.

They are small, and have every design, one to three tiers, planes, shared boxes and a reserve.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from fabricgen.analysis.checks.plan_evidence import evidence_of
from fabricgen.inventory.fields import KEY_EXAMPLE
from fabricgen.lifecycle.change.expand import grow
from tests.fabrics import CATALOG, IPV6, plan_of, spec_of

if TYPE_CHECKING:
    from fabricgen.analysis.checks.evidence import Evidence

PLANS: dict[str, dict[str, Any]] = {
    # Two tiers, two parallel links between any leaf and spine.
    "lab": {
        "gpus": 64,
        "hb_domain": {"gpus": 8},
        "rails": {"tiers": 2},
        "switches": {"leaf": {"generic": {"radix": 8}}, "spine": {"generic": {"radix": 4}}},
    },
    # Two tiers with hosts that speak BGP.
    "unnumbered": {
        "gpus": 16,
        "hb_domain": {"gpus": 4},
        "radix": 8,
        "addressing": {"host_links": "unnumbered"},
    },
    # Two tiers with IPv6 pools.
    "ipv6": {"gpus": 32, "hb_domain": {"gpus": 4}, "radix": 8, "addressing": IPV6},
    # One tier, with management.
    "managed": {
        "gpus": 16,
        "hb_domain": {"gpus": 8},
        "radix": 64,
        "management": {
            "pool": "10.200.0.0/24",
            "ntp": ["10.200.0.123"],
            "users": [{"name": "ops", "key": KEY_EXAMPLE}],
        },
    },
    # Two rails on every leaf box, and two planes.
    "shared": {
        "gpus": 64,
        "hb_domain": {"gpus": 8},
        "rails": {"planes": 2, "per_switch": 2, "tiers": 2},
        "radix": 16,
    },
    # One box for all rails of a plane.
    "one-box": {"gpus": 32, "hb_domain": {"gpus": 4}, "rails": {"per_switch": "auto"}, "radix": 32},
    # Three tiers, four pods of two leaves.
    "pods": {"gpus": 128, "hb_domain": {"gpus": 8}, "radix": 4},
    # Three tiers with four links between a spine and its core.
    "thick": {"gpus": 64, "hb_domain": {"gpus": 2}, "rails": {"tiers": 3}, "radix": 8},
    # Three tiers, one leaf in the last pod, and an idle port on every leaf.
    "last-pod": {
        "design": "rail-optimized",
        "gpus": 8,
        "hb_domain": {"gpus": 2},
        "rails": {"count": 1, "tiers": 3},
        "radix": 6,
    },
    # Three tiers, and in the last pod a leaf that is reserved.
    "reserved-pod": {"gpus": 18, "hb_domain": {"gpus": 2}, "reserve": {"gpus": 24}, "radix": 4},
    # A stripe of catalog parts.
    "superpod": {
        "design": "rail-optimized",
        "gpus": 256,
        "hb_domain": {"gpus": 8},
        "host": {"model": "dgx-h100"},
        "switches": {"leaf": {"model": "qm9700"}},
    },
    # Hosts behind panels.
    "patched": {
        "design": "rail-optimized",
        "gpus": 64,
        "hb_domain": {"gpus": 8},
        "host": {"model": "dgx-h100"},
        "switches": {"leaf": {"model": "qm9700"}},
        "cabling": {"where": {"host": "structured"}, "trunks": {"fibres": 48}},
    },
    # Switches with optics of their own, co-packaged.
    "photonic": {
        "design": "rail-optimized",
        "gpus": 576,
        "hb_domain": {"gpus": 72, "hosts": 18},
        "host": {"model": "gb300-nvl72"},
        "rails": {"count": 4},
        "switches": {"leaf": {"model": "q3450"}},
    },
    # Leaves of five down and three up, of which four down are used.
    "slack": {
        "design": "rail-optimized",
        "gpus": 8,
        "hb_domain": {"gpus": 4},
        "rails": {"count": 2, "tiers": 2},
        "radix": 8,
        "oversubscription": "2:1",
    },
    # Two planes whose blocks span rails.
    "planes": {
        "design": "fat-tree",
        "gpus": 64,
        "hb_domain": {"gpus": 8},
        "rails": {"planes": 2},
        "radix": 16,
    },
    # Three uplinks over two spines.
    "minimal": {
        "design": "fat-tree",
        "gpus": 12,
        "hb_domain": {"gpus": 2},
        "rails": {"tiers": 2},
        "radix": 6,
        "spread": "minimal",
    },
    # Five uplinks over two spines.
    "minimal-wide": {
        "design": "fat-tree",
        "gpus": 20,
        "hb_domain": {"gpus": 2},
        "rails": {"tiers": 2},
        "radix": 10,
        "spread": "minimal",
    },
    # Six ports down and two up of nine.
    "idle": {
        "gpus": 64,
        "hb_domain": {"gpus": 4},
        "rails": {"tiers": 2},
        "radix": 9,
        "oversubscription": "3:1",
    },
    # Half of a leaf installed, the rest reserved.
    "reserve": {
        "gpus": 16,
        "hb_domain": {"gpus": 8},
        "rails": {"tiers": 2},
        "reserve": {"gpus": 64},
        "switches": {"leaf": {"generic": {"radix": 8}}, "spine": {"generic": {"radix": 4}}},
    },
    "sn5600": {
        "gpus": 64,
        "hb_domain": {"gpus": 8},
        "nic": {"speed": "400G"},
        "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
    },
    "ds5000": {
        "gpus": 64,
        "hb_domain": {"gpus": 8},
        "nic": {"speed": "200G"},
        "switches": {"leaf": {"model": "ds5000", "breakout": "4x200G"}},
    },
    "mixed": {
        "design": "fat-tree",
        "gpus": 256,
        "hb_domain": {"gpus": 8},
        "host": {"model": "dgx-h100"},
        "oversubscription": "3:1",
        "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
        "rails": {"tiers": 2},
    },
    # Two tiers whose leaves have cages for each direction, and more uplinks than they need.
    "zones": {
        "design": "rail-optimized",
        "gpus": 64,
        "hb_domain": {"gpus": 8},
        "rails": {"per_switch": 4, "tiers": 2},
        "nic": {"speed": "400G"},
        "scalable_unit": {"domains": 8, "uplinks": 32},
        "switches": {
            "leaf": {
                "model": "ds5000",
                "breakout": "2x400G",
                "zones": {"down": "1-16", "up": "26,28,30-59"},
            },
            "spine": {"model": "ds5000", "breakout": "1x800G", "minimum": 2},
        },
    },
    # Fibre to the hosts, twin copper between switches of one rack.
    "copper": {
        "design": "rail-optimized",
        "gpus": 256,
        "hb_domain": {"gpus": 8},
        "host": {"model": "dgx-h100"},
        "site": {"rack": {"units": 48}, "hosts_per_rack": 4},
        "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
    },
}


GROWN = {"patched-grown": ("patched", 72)}
"""Plans that grew: the plan that they grew from, and their GPUs."""


@cache
def evidence(name: str) -> Evidence:
    """Return the evidence about a correct plan."""
    if name not in GROWN:
        return evidence_of(plan_of(**PLANS[name]))
    base, gpus = GROWN[name]
    old = plan_of(**PLANS[base])
    return evidence_of(grow(old, spec_of(**PLANS[base] | {"gpus": gpus}), CATALOG))
