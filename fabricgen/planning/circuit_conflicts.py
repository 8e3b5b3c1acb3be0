"""Keys of an inventory that contradict rails of light: `rails.medium: ocs` and `patch-panel`.

A rail of light is one tier of boxes that join ports two by two, so it needs such a box for its
leaf, has no spine, and meets no other rail. `designs` sizes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding
from fabricgen.core.terms import Design, Role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.switch import Switch
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.inventory.sizing import Switches

LIGHT = ("ocs", "patch-panel")
"""The media whose leaves forward light."""

_BOXES = {
    "packet": "a packet switch",
    "ocs": "an optical circuit switch",
    "patch-panel": "a patch panel",
}


def medium_of(model: Switch) -> str:
    """Return the medium of rails that end on a box."""
    if model.circuits is None:
        return "packet"
    return "patch-panel" if model.circuits.moved_by == "hand" else "ocs"


def circuit_conflicts(spec: FabricSpec, catalog: Catalog) -> Iterator[Finding]:
    """Refuse boxes that do not make rails of the medium, and shapes that light does not have."""
    medium = spec.rails.medium if spec.rails.medium in LIGHT else "packet"
    yield from _boxes(spec.switches, ("switches",), medium, catalog)
    if medium == "packet":
        return
    if spec.design is not Design.RAIL_ONLY:
        yield Finding(
            "medium-needs-rail-only",
            f"a {spec.design} fabric has no rails of the medium `{medium}`",
            ("rails", "medium"),
            (
                f"{_BOXES[medium]} joins two ports at a time, and nothing between two of them",
                f"in a {spec.design} fabric rails meet at switches",
            ),
            "write `design: rail-only`, or `medium: packet`",
        )
    if spec.rails.tiers not in ("auto", 1):
        yield Finding(
            "medium-has-one-tier",
            f"rails of the medium `{medium}` have one tier, not {spec.rails.tiers}",
            ("rails", "tiers"),
            (f"{_BOXES[medium]} has the endpoints of a rail, and no uplinks",),
            "write `tiers: auto`, or leave it out",
        )


def network_boxes(spec: FabricSpec, catalog: Catalog) -> Iterator[Finding]:
    """Refuse networks beside the compute fabric on boxes that forward light."""
    for name, network in spec.networks.each().items():
        yield from _boxes(network.switches, ("networks", name, "switches"), "packet", catalog)


def spare_conflicts(spec: FabricSpec) -> Iterator[Finding]:
    """Refuse spares of rails where there are none, or in parts of HB domains."""
    spare = spec.spare
    if spare.leaves_per_rail and (
        spec.design is not Design.RAIL_ONLY or spec.rails.medium == "direct"
    ):
        what = spec.design if spec.design is not Design.RAIL_ONLY else "direct"
        yield Finding(
            "bad-spare",
            f"a {what} fabric has no leaves of a rail to spare",
            ("spare", "leaves_per_rail"),
            ("a spare leaf takes the cables of a failed leaf of its rail",),
            "leave it out, or buy spares for the shelf: `spares: {switches: {minimum: 1}}`",
        )
    each = spec.hb_domain.gpus // (spec.rails.count or spec.hb_domain.gpus) or 1
    domains = spec.gpus // spec.hb_domain.gpus
    if spare.gpus_per_rail % each or spare.gpus_per_rail // each >= max(domains, 1):
        most = (domains - 1) * each
        whole = min(-(-spare.gpus_per_rail // each) * each, most)
        yield Finding(
            "bad-spare",
            f"{spare.gpus_per_rail} GPUs of each rail cannot be spare",
            ("spare", "gpus_per_rail"),
            (
                f"an HB domain has {each} GPUs on a rail, and its GPUs are spare together",
                f"there are {domains} HB domains, of which one works at least",
            ),
            f"write `gpus_per_rail: {whole}`" if whole else "leave it out",
        )


def _boxes(
    switches: Switches, path: tuple[str, ...], medium: str, catalog: Catalog
) -> Iterator[Finding]:
    """Refuse a leaf that does not make rails of a medium, and spines and cores of light."""
    for role in Role:
        choice = getattr(switches, role)
        wanted = medium if role is Role.LEAF else "packet"
        model = catalog.switch(choice.model) if choice and choice.model else None
        generic = bool(choice and choice.generic) and wanted != "packet"
        found = medium_of(model) if model else "packet"
        if generic or (model and found != wanted):
            yield _mismatch((*path, role.value), model, found, wanted, catalog)


def _mismatch(
    path: tuple[str, ...], model: Switch | None, found: str, wanted: str, catalog: Catalog
) -> Finding:
    """Return the refusal of a box of another medium than the rails."""
    name = f"`{model.model}`" if model else "a generic switch"
    fitting = [each.model for each in catalog.switches() if medium_of(each) == wanted]
    because = (
        f"{name} is {_BOXES[found]}"
        if model
        else "`generic` is a radix of a packet switch: no loss or time of circuits is known of it"
    )
    several = "`fabricgen catalog list switches` shows what there is"
    boxes = several if wanted == "packet" else f"choose one of {', '.join(fitting)}"
    other = f"; or write `rails: {{medium: {found}}}`" if model and path[-1] == "leaf" else ""
    return Finding(
        "medium-needs-other-box",
        f"{name} makes no rails of the medium `{wanted}`",
        (*path, "model") if model else path,
        (because,),
        f"{boxes}{other}" if path[0] == "switches" else boxes,
    )
