"""The candidates of a search: every combination of what is on offer, as inventories.

Owns their order, which is the inventory's own choice first, then the catalog's; of candidates that
prove to be the same fabric the first is kept. One switch model serves all tiers, except in the
inventory's own choice, which may name several.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Literal, NamedTuple

from fabricgen.core.diagnostics import Finding, Refusal, suggest
from fabricgen.core.terms import Design, Role
from fabricgen.inventory.search import Search
from fabricgen.inventory.sizing import HbDomain, HostChoice, NicChoice, SwitchChoice, Switches
from fabricgen.planning.excluded_hosts import resolve_positions
from fabricgen.planning.resolve import host_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.switch import Switch
    from fabricgen.inventory.fabric import FabricSpec

TIERS = (1, 2, 3)


def whole(spec: FabricSpec) -> FabricSpec:
    """Return the fabric that is scored.

    The reserve is installed at once, and no room is described, so parts are selected by an assumed
    reach. NICs have no names, which depend on the planes.
    """
    site = spec.site if spec.site and spec.site.lengths == "unknown" else None
    gpus = spec.reserve.gpus if spec.reserve else spec.gpus
    host = HostChoice(model=spec.host.model) if spec.host and spec.host.model else None
    own = {"gpus": gpus, "reserve": None, "phases": (), "site": site, "search": None, "host": host}
    return spec.model_copy(update=own)


def candidates(spec: FabricSpec, catalog: Catalog) -> Iterator[FabricSpec]:
    """Yield every combination on offer, possible or not.

    Raises Refusal `unknown-model`, or what is wrong with the inventory itself.
    """
    offered = spec.search or Search()
    check_models(offered, catalog)
    base = whole(spec)
    own = resolve_positions(base, catalog)
    choices = list(_choices(offered))
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
            for switches, choice in product(
                _switches(base, offered, catalog, transports, speed), choices
            ):
                yield _candidate(cluster, planes, speed, switches, choice)


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
) -> list[Switches]:
    """Return the switches on offer for NIC ports of a speed in Gbps.

    They are the requested ones, else the inventory's own and every model that fits.
    """
    fitting = (
        model
        for model in catalog.switches()
        if model.transport in transports and _split(model, speed)
    )
    models = [catalog.switch(model) for model in offered.switches] or list(fitting)
    chosen = [
        Switches(leaf=SwitchChoice(model=model.model, breakout=_split(model, speed)))
        for model in models
        if model
    ]
    return chosen if offered.switches else [base.switches, *chosen]


def _split(model: Switch, speed: int) -> str | None:
    """Return the split of a cage with the most ports of a speed."""
    modes = [mode for mode in model.breakouts if mode.speed_gbps == speed]
    return max(modes, key=lambda mode: mode.count).name if modes else None


class Choice(NamedTuple):
    """What is chosen beside the switches."""

    design: Design
    tiers: int
    per_switch: int | Literal["auto"]
    ratio: Fraction


def _choices(offered: Search) -> Iterator[Choice]:
    """Yield the other choices.

    A fat-tree has no rails to share a switch, and one tier has no uplinks to oversubscribe.
    """
    for design, tiers in product(offered.designs, TIERS):
        shares = (1,) if design is Design.FAT_TREE else offered.per_switch
        ratios = offered.oversubscription if tiers > 1 else (Fraction(1),)
        yield from (Choice(design, tiers, *rest) for rest in product(shares, ratios))


def _candidate(
    cluster: FabricSpec, planes: int, speed: int, switches: Switches, choice: Choice
) -> FabricSpec:
    """Return the inventory with a combination."""
    rails = cluster.rails.model_copy(
        update={"planes": planes, "tiers": choice.tiers, "per_switch": choice.per_switch}
    )
    nic = cluster.nic if cluster.host else cluster.nic.model_copy(update={"speed": speed})
    changes = {
        "design": choice.design,
        "rails": rails,
        "nic": nic,
        "switches": switches,
        "oversubscription": choice.ratio,
    }
    return cluster.model_copy(update=changes)
