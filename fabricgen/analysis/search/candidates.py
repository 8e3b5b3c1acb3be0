"""The candidates of a search: every combination of what is on offer, as inventories.

Owns their order, which is the inventory's own choice first, then the catalog's; of candidates that
prove to be the same fabric the first is kept. One switch model serves all tiers, except in the
inventory's own choice, which may name several. All else that an inventory can state of a fabric
varies, unless the key `search` offers less.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Literal, NamedTuple

from fabricgen.core.diagnostics import Finding, Refusal, suggest
from fabricgen.core.divisors import divisors
from fabricgen.core.terms import Design, Role
from fabricgen.inventory.search import Search
from fabricgen.inventory.sizing import (
    HbDomain,
    HostChoice,
    NicChoice,
    ScalableUnit,
    SwitchChoice,
    Switches,
    UpperSwitchChoice,
)
from fabricgen.planning.block_shape import Shape
from fabricgen.planning.circuit_conflicts import medium_of
from fabricgen.planning.designs import Sizer
from fabricgen.planning.excluded_hosts import resolve_positions
from fabricgen.planning.resolve import host_of

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.switch import Switch
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.resolve import ResolvedFabric

TIERS: tuple[Literal[1, 2, 3], ...] = (1, 2, 3)


def whole(spec: FabricSpec) -> FabricSpec:
    """Return the fabric that is scored.

    It is the compute fabric alone. The reserve is installed at once, and no room is described, so
    parts are selected by an assumed reach. NICs have no names, which depend on the planes.
    """
    site = spec.site if spec.site and spec.site.lengths == "unknown" else None
    gpus = spec.reserve.gpus if spec.reserve else spec.gpus
    host = HostChoice(model=spec.host.model) if spec.host and spec.host.model else None
    own: dict[str, object] = {
        "gpus": gpus,
        "reserve": None,
        "phases": (),
        "site": site,
        "search": None,
        "host": host,
    }
    own |= {"leaf_ports": spec.leaf_rule}
    return spec.without_networks().model_copy(update=own)


class Candidate(NamedTuple):
    """One combination: a fabric with its NICs, switches and rails, and the shape of its blocks."""

    sizer: Sizer
    shape: Shape

    def fabric(self) -> ResolvedFabric:
        """Return the fabric with its shape in its inventory; no other key depends on it."""
        fabric, shape = self.sizer.fabric, self.shape
        update = {"tiers": shape.tiers, "per_switch": shape.per_switch}
        rails = fabric.spec.rails.model_copy(update=update)
        changes = {"rails": rails, "oversubscription": shape.ratio, "spread": shape.spread}
        return replace(fabric, spec=fabric.spec.model_copy(update=changes))


def candidates(spec: FabricSpec, catalog: Catalog, refused: Counter[str]) -> Iterator[Candidate]:
    """Yield every combination on offer whose keys agree, whether it can be sized or not.

    Those whose keys contradict each other are counted in `refused`, by code. Raises Refusal
    `unknown-model`, or what is wrong with the inventory itself.
    """
    offered = spec.search or Search()
    check_models(offered, catalog)
    base = whole(spec)
    own = resolve_positions(base, catalog)
    for cluster in _clusters(base, offered, catalog):
        host = host_of(cluster, catalog)
        nic = catalog.nic(host.nic) if host else own.nic
        for planes in offered.planes or (
            tuple(sorted(host.speeds_gbps)) if host else (base.rails.planes,)
        ):
            speed = (
                cluster.nic.speed
                or (host.speeds_gbps.get(planes) if host else None)
                or own.speed_gbps
            )
            transports = nic.transports if nic else (own.port_layouts[Role.LEAF].model.transport,)
            for switches in _switches(base, offered, catalog, transports, speed):
                equipped = _equipped(cluster, planes, speed, switches)
                if switches is not base.switches:
                    equipped = _on_medium(equipped, catalog)
                yield from _railed(equipped, offered, catalog, refused)


def check_models(offered: Search, catalog: Catalog) -> None:
    """Refuse switches and hosts that the catalog does not have."""
    findings = [
        Finding(
            "unknown-model",
            f"the catalog has no `{model}` among its {kind}",
            ("search", kind, at),
            (),
            suggest(model, catalog.names(kind), _SHOWN[kind]),
        )
        for kind, models in (("switches", offered.switches), ("hosts", offered.hosts))
        for at, model in enumerate(models)
        if model not in catalog.names(kind)
    ]
    if findings:
        raise Refusal(findings)


_SHOWN = {
    kind: f"`fabricgen catalog list {kind}` shows what there is" for kind in ("switches", "hosts")
}


def _clusters(base: FabricSpec, offered: Search, catalog: Catalog) -> Iterator[FabricSpec]:
    """Yield the inventory with each HB domain on offer, and switches that certainly fit it."""
    own = base.hb_domain
    for model in offered.hosts:
        host = catalog.host(model)
        if host and not (base.host and base.host.model == model):
            rails = base.rails.model_copy(update={"count": None})
            domain = HbDomain(gpus=host.hb_domain_gpus)
            yield base.model_copy(
                update={
                    "host": HostChoice(model=model),
                    "hb_domain": domain,
                    "nic": NicChoice(),
                    "rails": rails,
                }
            )
    if not offered.hosts or (base.host and base.host.model in offered.hosts):
        for gpus in offered.hb_domains or (own.gpus,):
            same = gpus == own.gpus
            rails = base.rails if same else base.rails.model_copy(update={"count": None})
            yield base.model_copy(
                update={
                    "hb_domain": (
                        own if same else own.model_copy(update={"gpus": gpus, "hosts": None})
                    ),
                    "rails": rails,
                }
            )


def _switches(
    base: FabricSpec, offered: Search, catalog: Catalog, transports: tuple[str, ...], speed: int
) -> Iterator[Switches]:
    """Yield the switches on offer for NIC ports of a speed in Gbps.

    They are the requested ones, else the inventory's own and every model that fits.
    """
    media = offered.media or (base.rails.medium,)
    if not offered.switches and base.rails.medium in media:
        yield base.switches
    models = [catalog.switch(model) for model in offered.switches] or [
        model
        for model in catalog.switches()
        if model.transport in transports and medium_of(model) in media
    ]
    for model in models:
        yield from _splits(model, speed) if model else ()


def _splits(model: Switch, speed: int) -> Iterator[Switches]:
    """Yield a model in all tiers, with each way to split its cages.

    Leaves split them into ports of the NICs' speed. Spines do the same, or have faster ports, so
    that there are fewer uplinks than downlinks.
    """
    for leaf, above in product(model.breakouts, model.breakouts):
        if leaf.speed_gbps == speed and (above == leaf or above.speed_gbps > speed):
            spine = UpperSwitchChoice(model=model.model, breakout=above.name)
            yield Switches(
                leaf=SwitchChoice(model=model.model, breakout=leaf.name),
                spine=None if above == leaf else spine,
            )


def _equipped(cluster: FabricSpec, planes: int, speed: int, switches: Switches) -> FabricSpec:
    """Return the inventory with its NICs and switches."""
    rails = cluster.rails.model_copy(update={"planes": planes})
    nic = cluster.nic if cluster.host else cluster.nic.model_copy(update={"speed": speed})
    return cluster.model_copy(update={"rails": rails, "nic": nic, "switches": switches})


def _on_medium(equipped: FabricSpec, catalog: Catalog) -> FabricSpec:
    """Return the inventory with rails of the medium that its leaf makes."""
    model = catalog.switch(equipped.switches.leaf.model or "")
    medium = medium_of(model) if model else equipped.rails.medium
    rails = equipped.rails.model_copy(update={"medium": medium})
    return equipped.model_copy(update={"rails": rails})


def _railed(
    equipped: FabricSpec, offered: Search, catalog: Catalog, refused: Counter[str]
) -> Iterator[Candidate]:
    """Yield each design, number of rails and shape of the same NICs and switches."""
    for (design, count), unit in product(_designs(equipped, offered), _units(equipped)):
        rails = equipped.rails.model_copy(update={"count": count, "per_switch": 1})
        own = {"design": design, "rails": rails, "scalable_unit": unit}
        asked = equipped.model_copy(update=own)
        shapes = list(_shapes(asked, offered))
        try:
            sizer = Sizer(resolve_positions(asked, catalog))
        except Refusal as refusal:
            refused[refusal.findings[0].code] += len(shapes)
        else:
            yield from (Candidate(sizer, shape) for shape in shapes)


def _units(equipped: FabricSpec) -> list[ScalableUnit | None]:
    """Return the scalable unit with each rule for its uplinks, the inventory's own first."""
    own = equipped.scalable_unit
    if own is None:
        return [None]
    rules = dict.fromkeys((own.uplinks, "used", "all"))
    return [own.model_copy(update={"uplinks": each}) for each in rules]


def _designs(equipped: FabricSpec, offered: Search) -> Iterator[tuple[Design, int | None]]:
    """Yield each design with each number of rails, the inventory's own first.

    A fat-tree has no rails.
    """
    domain = equipped.hb_domain.gpus
    own = equipped.rails.count or domain
    for design in offered.designs:
        counts = offered.rails or tuple(divisors(domain))
        if design is Design.FAT_TREE:
            counts = (own,)
        for count in sorted(counts, key=lambda count: (count != own, count)):
            yield design, None if count == domain else count


def _shapes(asked: FabricSpec, offered: Search) -> Iterator[Shape]:
    """Yield the shapes on offer.

    A fat-tree has no rails to share a switch, and one tier has no uplinks to oversubscribe or to
    spread.
    """
    rails = asked.rails.count or asked.hb_domain.gpus
    shares = offered.per_switch or tuple(divisors(rails))
    if asked.design is Design.FAT_TREE:
        shares = (1,)
    fitting = [shared for shared in shares if shared == "auto" or rails % shared == 0]
    for tiers in TIERS:
        ratios = offered.oversubscription if tiers > 1 else (Fraction(1),)
        spreads = offered.spread if tiers > 1 else offered.spread[:1]
        yield from (Shape(tiers, *rest) for rest in product(fitting, ratios, spreads))
