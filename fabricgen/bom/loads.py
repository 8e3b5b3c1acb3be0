"""Power, heat, weight and rack units of a fabric: in all, by role, or of one rack.

Owns `Load` and the facts behind it. Power covers everything that the bill counts, weight and rack
units cover boxes only: weights of modules and cables are not published. Facts of a box under
`site.footprints` override the catalog; unknown facts are listed, and the sum is then unknown.
Spares are not powered; spare leaves are in racks. `bom.counts` counts the parts, and `breakdown`
places them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.bom.bill import BESIDE, role_of
from fabricgen.core.terms import ROLES, Role
from fabricgen.inventory.site import Footprint
from fabricgen.planning.room.footprints import HOST

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fabricgen.bom.bill import Bom
    from fabricgen.catalog.models.device import Device
    from fabricgen.catalog.models.host import Host
    from fabricgen.catalog.models.switch import Switch
    from fabricgen.planning.plan import Plan

BTU_H_PER_W = Fraction("3.412")
"""British thermal units per hour for each watt: all power becomes heat."""

NOTHING = Fraction(0)

SPARE_LEAF = "spare leaf"
"""The boxes that are spare leaves, which are switched off."""

DEVICES = "device"
"""The role of boxes that are neither hosts nor switches."""

_Counts = tuple[tuple[str, int], ...]
_Held = tuple[_Counts, _Counts]


class PartLoad(NamedTuple):
    """Power, weight and rack units of one part; None where unknown."""

    power_w: Fraction | None
    power_max_w: Fraction | None
    weight_kg: Fraction | None = NOTHING
    rack_units: Fraction | None = NOTHING


PASSIVE = PartLoad(NOTHING, NOTHING)


class Load(NamedTuple):
    """Loads of several parts together; None where a fact is `unknown`, which lists the parts."""

    power_w: Fraction | None
    power_max_w: Fraction | None
    weight_kg: Fraction | None
    rack_units: Fraction | None
    unknown: dict[str, tuple[str, ...]]

    @property
    def heat_btu_h(self) -> Fraction | None:
        """Heat at typical power."""
        return None if self.power_w is None else self.power_w * BTU_H_PER_W

    @property
    def heat_max_btu_h(self) -> Fraction | None:
        """Heat at maximum power."""
        return None if self.power_max_w is None else self.power_max_w * BTU_H_PER_W

    @property
    def unknown_text(self) -> str:
        """The unknown facts as text."""
        return "; ".join(f"{key} of {', '.join(names)}" for key, names in self.unknown.items())


def load_of(parts: Iterable[tuple[str, PartLoad, int]]) -> Load:
    """Add up so many of each part, by name and facts.

    >>> box = PartLoad(Fraction(100), None, Fraction(9), Fraction(1))
    >>> load = load_of([("box", box, 2), ("module", PartLoad(Fraction(8), Fraction(8)), 4)])
    >>> load.power_w, load.power_max_w, load.rack_units, load.unknown_text
    (Fraction(232, 1), None, Fraction(2, 1), 'power_max_w of box')
    """
    sums, unknown = (
        dict.fromkeys(PartLoad._fields, NOTHING),
        defaultdict[str, dict[str, None]](dict),
    )
    for name, facts, count in parts:
        for key, fact in zip(PartLoad._fields, facts, strict=True):
            if count and fact is None:
                unknown[key][name] = None
            sums[key] += (fact or NOTHING) * count
    known = {key: None if key in unknown else sums[key] for key in PartLoad._fields}
    return Load(
        **known, unknown={key: tuple(unknown[key]) for key in PartLoad._fields if key in unknown}
    )


@dataclass(frozen=True)
class Loads:
    """The loads of a plan's parts: modules, cables and NICs by item, boxes by role."""

    parts: dict[str, PartLoad]
    """Those that take power, or may: no passive cable."""
    boxes: dict[str, PartLoad]
    models: dict[str, str]
    """The model of each role's box; a host that is not in the catalog is `host`."""
    counts: dict[str, Counter[str]]
    """Quantities of each part in each role; parts in hosts are under `host`."""
    switches: dict[str, int]
    """The number of boxes that are not hosts, by role."""
    roles: dict[str, str]
    """The role of each kind of box: of the switches of networks theirs, of devices `DEVICES`."""

    def of(self, parts: Mapping[str, int], boxes: Mapping[str, int]) -> Load:
        """Add up parts by item, without the models of boxes, and boxes by role.

        Most racks hold the same, so the sums are kept.
        """
        plugged = ((part, count) for part, count in parts.items() if part in self.parts)
        held = tuple(plugged), tuple(boxes.items())
        if held not in self._sums:
            own = [(part, self.parts[part], count) for part, count in held[0]]
            boxed = [(self.models[role], self.boxes[role], count) for role, count in held[1]]
            self._sums[held] = load_of([*own, *boxed])
        return self._sums[held]

    @cached_property
    def _sums(self) -> dict[_Held, Load]:
        """The sums so far, by parts and boxes: most racks hold the same."""
        return {}

    @property
    def everything(self) -> Counter[str]:
        """Quantities of each part in all."""
        return sum(self.counts.values(), Counter())

    @property
    def total(self) -> Load:
        """The load of the whole fabric, without hosts and devices."""
        return self.of(self.everything, self.fabric(self.switches))

    def fabric(self, boxes: Mapping[str, int]) -> dict[str, int]:
        """Return the boxes that are switches."""
        return {box: count for box, count in boxes.items() if self.roles[box] in ROLES}

    def of_role(self, role: str) -> Load:
        """Return the load of a role: its boxes, modules, cables and NICs."""
        return self.of(self.counts.get(role, Counter()), self.fabric(self.boxes_of(role)))

    def boxes_of(self, role: str) -> dict[str, int]:
        """Return the boxes of a role other than that of hosts."""
        return {box: count for box, count in self.switches.items() if self.roles[box] == role}


def box_of(network: str, role: str) -> str:
    """Name the boxes of a role of a network beside the compute fabric.

    >>> box_of("storage", "leaf")
    'storage leaf'
    """
    return f"{network} {role}"


def cluster_loads(plan: Plan, bill: Bom) -> Loads:
    """Collect the known facts of every part on the bill of a cluster, and of all its devices.

    PDUs beside the rack units are left out: what they draw themselves is not published.
    """
    loads = loads_of(plan, bill)
    for name, network in plan.switched.items():
        for role in network.roles:
            box, model = box_of(name, role), network.fabric.port_layouts[role].model
            loads.models[box], loads.roles[box] = model.model, role.value
            loads.boxes[box] = _box(Footprint.model_construct(), model)
            loads.switches[box] = network.switch_count(role)
    for group in plan.spec.devices:
        part = plan.catalog.device(group.model)
        if part is None or part.rack_units != 0:
            loads.models[group.name], loads.roles[group.name] = group.model or group.name, DEVICES
            stated = group.footprint or Footprint.model_construct()
            loads.boxes[group.name] = _box(stated, part)
            loads.switches[group.name] = group.count
    return loads


def loads_of(plan: Plan, bom: Bom) -> Loads:
    """Collect the known facts of every part on a bill, and of the hosts."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    unboxed = [line for line in bom.lines if line.part_class not in {"switches", *BESIDE}]
    for line in unboxed:
        for purpose, count in line.purposes:
            counts[role_of(purpose)][line.item] += count
    port_layouts, host = plan.fabric.port_layouts, plan.fabric.host
    models = {
        HOST: host.model if host else HOST,
        **{role.value: port_layouts[role].model.model for role in plan.roles},
    }
    boxes = {
        HOST: _box(_stated(plan, HOST), host),
        **{role.value: _box(_stated(plan, role), port_layouts[role].model) for role in plan.roles},
    }
    powers = {line.item: PartLoad(line.unit_power_w, line.unit_power_max_w) for line in unboxed}
    parts = {item: power for item, power in powers.items() if power != PASSIVE}
    switches = {role.value: plan.switch_count(role) for role in plan.roles}
    found = Loads(parts, boxes, models, dict(counts), switches, {role: role for role in boxes})
    if plan.mapping.spare_leaves:
        leaf = Role.LEAF.value
        found.models[SPARE_LEAF], found.roles[SPARE_LEAF] = models[leaf], leaf
        off = {"power_w": NOTHING, "power_max_w": NOTHING}
        found.boxes[SPARE_LEAF] = boxes[leaf]._replace(**off)
        switches[SPARE_LEAF] = plan.mapping.spare_leaves
    return found


def _stated(plan: Plan, role: str) -> Footprint:
    """Return the facts of a role that the inventory states."""
    site = plan.spec.site
    stated: Footprint = getattr(site.footprints, role) if site else Footprint.model_construct()
    return stated


def _box(stated: Footprint, model: Host | Switch | Device | None) -> PartLoad:
    """Return the facts of a box from the inventory, or else from the catalog."""
    known: dict[str, Any] = {
        key: getattr(model, key, None)
        for key in ("typical_w", "maximum_w", "weight_kg", "rack_units")
    }
    found = (
        known["typical_w"],
        stated.power_w or known["maximum_w"],
        stated.weight_kg or known["weight_kg"],
        stated.units or known["rack_units"],
    )
    return PartLoad(*(None if fact is None else Fraction(str(fact)) for fact in found))
