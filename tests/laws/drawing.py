"""Inventories drawn by hypothesis.

They have every design, one to three tiers, and every key that moves a link.

Most are valid and small. Some are refused, which is part of the law.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from fabricgen.core.divisors import divisors

Inventory = dict[str, Any]

DESIGNS = ("rail-only", "rail-optimized", "fat-tree")
RATIOS = ("1:1", "2:1", "3:1", "3:2", "1:2")
RADICES = (4, 5, 6, 7, 8, 10, 12, 16, 24, 32)

# A leaf, the speed of its NICs, and spines that may be above it; None is the leaf's own model.
BOXES: tuple[tuple[Inventory, str, tuple[Inventory | None, ...]], ...] = (
    (
        {"model": "sn5600", "breakout": "2x400G"},
        "400G",
        (None, {"model": "sn5600", "breakout": "1x800G"}, {"model": "sn5400"}),
    ),
    (
        {"model": "ds5000", "breakout": "4x200G"},
        "200G",
        (
            {"model": "ds5000", "breakout": "1x800G"},
            {"model": "ds5000", "breakout": "2x400G"},
            None,
        ),
    ),
    (
        {"model": "7220-ixr-h5-64", "breakout": "4x200G"},
        "200G",
        (None, {"model": "7220-ixr-h5-64", "breakout": "1x800G"}),
    ),
    (
        {"model": "7060dx5-64s", "breakout": "4x100G"},
        "100G",
        ({"model": "7060dx5-64s", "breakout": "1x400G"}, None),
    ),
    ({"model": "qm9700"}, "400G", (None, {"model": "qm8790"})),
    (
        {"model": "sn4700", "breakout": "2x200G"},
        "200G",
        (None, {"model": "sn5600", "breakout": "2x400G"}),
    ),
)

# A host of the catalog with its HB domain, its planes, and leaves that fit its ports.
HOSTS: tuple[tuple[str, int, int, tuple[Inventory, ...]], ...] = (
    ("dgx-a100", 8, 1, ({"model": "qm8790"}, {"model": "sn4700", "breakout": "2x200G"})),
    (
        "dgx-h100",
        8,
        1,
        ({"model": "qm9700"}, {"model": "sn5400"}, {"model": "sn5600", "breakout": "2x400G"}),
    ),
    (
        "dgx-b300",
        8,
        2,
        ({"model": "sn5600", "breakout": "2x400G"}, {"model": "z9864f", "breakout": "2x400G"}),
    ),
    ("dgx-b300", 8, 1, ({"model": "q3400"}, {"model": "sn5600", "breakout": "1x800G"})),
    ("pcie-8gpu", 8, 1, ({"model": "qm9700"}, {"model": "sn5600", "breakout": "2x400G"})),
    (
        "gb200-nvl72",
        72,
        1,
        ({"model": "sn5600", "breakout": "2x400G"}, {"model": "qfx5240", "breakout": "2x400G"}),
    ),
)


@st.composite
def _switches(draw: st.DrawFn) -> tuple[Inventory, Inventory]:
    """Draw switches and NICs that fit them.

    Small generic models are frequent, so that there are many tiers.
    """
    if draw(st.integers(0, 2)):
        choices = {"leaf": {"generic": {"radix": draw(st.sampled_from(RADICES))}}}
        for role in ("spine", "core"):
            if draw(st.integers(0, 3)) == 0:
                choices[role] = {"generic": {"radix": draw(st.sampled_from(RADICES))}}
        return choices, {}
    leaf, speed, spines = draw(st.sampled_from(BOXES))
    spine = draw(st.sampled_from(spines))
    return {"leaf": leaf} | ({"spine": spine} if spine else {}), {"speed": speed}


@st.composite
def inventories(draw: st.DrawFn) -> Inventory:
    """Draw an inventory of at most a few hundred GPUs, or a few thousand in large domains.

    With a reserve, `gpus` is below it.
    """
    domain = draw(st.sampled_from((1, 2, 4, 6, 8, 8, 12, 18)))
    planes = draw(st.sampled_from((1, 1, 1, 2)))
    switches, nic = draw(_switches())
    hosts: Inventory = {"hosts": draw(st.sampled_from(divisors(domain)))}
    host: Inventory = {"nic": {**nic, "per_gpu": draw(st.sampled_from(divisors(planes)))}}
    if draw(st.integers(0, 4)) == 0:
        model, domain, planes, leaves = draw(st.sampled_from(HOSTS))
        hosts, host, switches = (
            {},
            {"host": {"model": model}},
            {"leaf": draw(st.sampled_from(leaves))},
        )
    rails = draw(st.sampled_from(divisors(domain)))
    design = draw(st.sampled_from(DESIGNS))
    per_switch = draw(st.sampled_from([1, 1, "auto", *divisors(rails)]))
    domains = draw(st.integers(1, 40))
    inventory: Inventory = {
        "name": "law",
        "design": design,
        "gpus": domain * domains,
        "hb_domain": {"gpus": domain, **hosts},
        **host,
        "rails": {
            "count": rails,
            "planes": planes,
            "per_switch": 1 if design == "fat-tree" else per_switch,
            "tiers": draw(st.sampled_from(("auto", "auto", "auto", 1, 2, 3))),
        },
        "switches": switches,
        "oversubscription": draw(st.sampled_from(RATIOS)),
        "spread": draw(st.sampled_from(("even", "minimal"))),
        "addressing": {"host_links": draw(st.sampled_from(("numbered", "unnumbered")))},
    }
    if design != "fat-tree" and draw(st.integers(0, 4)) == 0:
        inventory["rails"]["grouping"] = "strided"
    if draw(st.integers(0, 2)) == 0:
        inventory["scalable_unit"] = {
            "domains": draw(st.integers(1, 12)),
            "leaf": draw(st.sampled_from(("per-unit", "per-unit", "packed"))),
            "uplinks": draw(st.sampled_from(("all", "used", 4))),
        }
    if draw(st.booleans()):
        inventory["reserve"] = {"gpus": domain * draw(st.integers(domains, 60))}
    return inventory


# For each key, values that a user may type: valid, at the limit, and beyond it.
WILD: dict[str, tuple[Any, ...]] = {
    "name": ("wild", "Wild", "", "a" * 41, 7, None),
    "design": ("rail-only", "rail-optimized", "fat-tree", "torus", None),
    "gpus": (1, 8, 64, 100, 512, 2**22 + 8, 2**63, 0, -8, 8.5, "8", True),
    "hb_domain": (
        {"gpus": 8},
        {"gpus": 1},
        {"gpus": 72, "hosts": 18},
        {"gpus": 8, "hosts": 3},
        {"gpus": 2**40},
        {},
        8,
        None,
    ),
    "host": (
        {"model": "dgx-h100"},
        {"model": "dgx-b300"},
        {"model": "gb200-nvl72"},
        {"model": "dgx-9"},
        {"model": "../dgx-h100"},
        "dgx-h100",
        None,
    ),
    "nic": (
        {"speed": "400G"},
        {"speed": "0G"},
        {"per_gpu": 3},
        {"speed": "33G"},
        {"model": "connectx-7"},
        {"model": "connectx-6", "speed": "200G"},
        None,
    ),
    "rails": (
        {"count": 4},
        {"count": 3},
        {"planes": 2},
        {"planes": 9},
        {"per_switch": "auto"},
        {"per_switch": 8},
        {"per_switch": 3},
        {"tiers": 1},
        {"tiers": 3},
        {"tiers": 4},
        [],
    ),
    "switches": (
        {"leaf": {"generic": {"radix": 1}}},
        {"leaf": {"generic": {"radix": 2}}},
        {"leaf": {"generic": {"radix": 64}}},
        {"leaf": {"generic": {"radix": 5000}}},
        {"leaf": {"generic": {"radix": 64, "speed": "1T"}}},
        {"leaf": {"generic": {"radix": 8}}, "spine": {"generic": {"radix": 1}}},
        {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
        {"leaf": {"model": "sn5600", "breakout": "8x100G"}},
        {"leaf": {"model": "ds5000", "breakout": "8x100G"}},
        {"leaf": {"model": "generic"}},
        {"leaf": {"model": "sn5600"}, "spine": {"model": "qm9700"}},
        {"leaf": {"model": "sn5600", "generic": {"radix": 8}}},
        {"leaf": {"model": "sn4700"}, "spine": {"model": "q3400"}},
        {"leaf": {"model": "sn5601"}},
        {"spine": {"model": "sn5600"}},
        {},
        None,
    ),
    "oversubscription": ("1:1", "7:1", "1:1000", "100000:1", 2, 0.3, "0:1", "1:0", "x", None),
    "spread": ("even", "minimal", "odd"),
    "reserve": ({"gpus": 512}, {"gpus": 8}, {"gpus": 513}, {"gpus": 2**40}, {}),
    "spares": (
        {"switches": {"minimum": 2}},
        {"cables": {"percent": 0.1}},
        {"nics": {"percent": 101}},
        {"cables": {"percent": "nan"}},
    ),
    "addressing": (
        {"host_links": "unnumbered"},
        {"host_pool": "10.0.0.0/24"},
        {"host_pool": "10.0.0.1/24"},
        {"host_pool": "0.0.0.0/0"},
        {"loopback_pool": "10.0.0.0/8"},
        {"loopback_pool": "192.0.2.0/30"},
        {"host_pool": "2001:db8::/40"},
        {"host_pool": "ff02::/40", "loopback_pool": "fe80::/64"},
        {"host_pool": "fd00::/96", "loopback_pool": "fd01::/120", "router_id_pool": "10.0.0.0/8"},
        {"asn_base": 4294967290},
        {"asn_base": 0},
        {"asn": {"leaf": 64512, "spine": [65000, 65001], "hosts": 1}},
        {"asn": {"leaf": []}},
        {"asn": 5},
        {"mtu": 100},
        {"mtu": 9000, "bfd": False},
        {"host_pool": "fd00::/64"},
    ),
    "exclude": (["host-2"], ["host-*"], ["host-[12]"], ["["], [], "host-2", [""], ["host-9999"]),
    "spare_ports": ({"leaf": 1}, {"leaf": 64}, {"spine": 3, "core": 4096}, {"leaf": -1}, 4),
    "vars": ({"a": "{{ 1 }}"}, {"A": 1}, {"a": {"b": [None, 1.5]}}, {"a": float("inf")}, [1], "a"),
    "overrides": (
        [{"text": "line"}],
        [{"match": {"role": "leaf"}, "vars": {"a": 1}}],
        [{"match": {"role": "core", "name": "["}, "text": ""}],
        [{"match": {"rail": -1}, "text": "a"}],
        [{"place": "/A/~2", "text": "{}"}],
        [{"place": ":", "text": "a"}],
        [{"file": "/etc/passwd"}],
        [{"file": "no-such-file"}],
        [{"text": "a", "file": "b"}],
        [{}],
        {"text": "a"},
    ),
    "naming": (
        {"leaf": "l{n}"},
        {"leaf": "r{rail}-l{n:03}"},
        {"leaf": "{n.__class__}"},
        {"spine": "{n!r}"},
        {"core": "{0}"},
        {"host": "{n:>9999999}"},
        {"host": "same"},
        {"leaf": "{"},
        {"leaf": "Leaf-{n}"},
        {"host": "{domain}-{host}"},
        {"leaf": "x" * 80},
    ),
    "prices": (
        "paper-v5",
        "street-2026-09",
        "no-such-book",
        {"book": "paper-v5", "parts": {"sn5600": 1}},
        {"parts": {"sn5600": -1}},
        {"parts": {"no-part": 1}},
        "/etc/passwd",
    ),
    "nos": ("frr", "sonic", "mlnxos", {"leaf": "sonic", "spine": "frr"}, "dos", 3),
    "site": (
        "unknown",
        "none",
        {},
        {"rack": {"units": 1}},
        {"positions": "no.csv"},
        {"positions": "/etc/passwd"},
        {"halls": 1, "rows": 1, "racks_per_row": 1},
        {
            "footprints": {
                "host": {"units": 8},
                "leaf": {"units": 1},
                "spine": {"units": 1},
                "core": {"units": 1},
            }
        },
        {"hosts_per_rack": 10**9},
        7,
    ),
    "nccl": ("2.30.7", "2.x", 2.3, {"pxn": False}, {"version": "2.18"}, {"pxn": 0}, None),
    "roce": ({"dscp": 26}, {"dscp": 48}, {"priority": 6}, {"ecn_minimum_bytes": 10**9}),
}
SOUND: Inventory = {
    "name": "wild",
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "switches": {"leaf": {"generic": {"radix": 64}}},
}


@st.composite
def wild_inventories(draw: st.DrawFn) -> Inventory:
    """Draw a valid inventory with up to four keys set to any value."""
    keys = draw(st.lists(st.sampled_from(sorted(WILD)), min_size=1, max_size=4, unique=True))
    return SOUND | {key: draw(st.sampled_from(WILD[key])) for key in keys}
