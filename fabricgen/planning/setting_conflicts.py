"""Settings of an inventory that cancel each other or have no effect.

Owns the checks of relays, RoCE classes, trays and prices. `consistency` has those of numbers
and of the host model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, Path, suggest
from fabricgen.core.terms import Design
from fabricgen.planning.price_book import PRICED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.host import Host
    from fabricgen.inventory.fabric import FabricSpec


def relay_conflicts(spec: FabricSpec, host: Host | None) -> Iterator[Finding]:
    """Refuse a rail-only fabric without relays: its rails meet only inside HB domains."""
    rails = spec.rails.count or spec.hb_domain.gpus
    if spec.design is not Design.RAIL_ONLY or rails == 1:
        return
    apart = f"{rails} rails meet nowhere but inside HB domains"
    other = "use `design: rail-optimized`, whose rails meet at the spines"
    if host and not host.scale_up:
        because = (
            apart,
            (
                f"the GPUs of a {host.model} share no scale-up interconnect,"
                " so none of them can relay for another"
            ),
        )
        yield Finding(
            "relay-impossible",
            f"no traffic could cross rails between hosts of {host.model}",
            ("host", "model"),
            because,
            other,
        )
    if not spec.nccl.pxn:
        because = (
            apart,
            "with PXN off a GPU sends through its own NIC only, which reaches its own rail only",
        )
        yield Finding(
            "relay-impossible",
            "no traffic could cross rails without PXN",
            ("nccl", "pxn"),
            because,
            f"leave `pxn` out, or {other}",
        )


def roce_conflicts(spec: FabricSpec) -> Iterator[Finding]:
    """Refuse RoCE settings that cancel each other."""
    roce = spec.roce
    path: Path
    for key, own, notified in (
        ("dscp", roce.dscp, roce.cnp_dscp),
        ("priority", roce.priority, roce.cnp_priority),
    ):
        if own == notified:
            path = ("roce", key if key in roce.model_fields_set else f"cnp_{key}")
            because = (
                f"`{key}` and `cnp_{key}` are both {own}",
                "a notification behind the traffic that it shall slow down comes too late",
            )
            default = type(roce).model_fields[str(path[-1])].default
            hint = f"use `{path[-1]}: {default}`" if default != own else f"use another `{path[-1]}`"
            yield Finding(
                "roce-contradicts-itself",
                "RoCE traffic and its congestion notifications share a class",
                path,
                because,
                hint,
            )
    low, high = roce.ecn_minimum_bytes, roce.ecn_maximum_bytes
    if low >= high:
        path = (
            "roce",
            "ecn_minimum_bytes"
            if "ecn_minimum_bytes" in roce.model_fields_set
            else "ecn_maximum_bytes",
        )
        proof = f"marking starts at {low} bytes and is complete at {high} bytes"
        hint = (
            f"use an `ecn_minimum_bytes` below {high}" if high > 1 else "raise `ecn_maximum_bytes`"
        )
        yield Finding(
            "roce-contradicts-itself",
            "ECN marking would be complete before it starts",
            path,
            (proof,),
            hint,
        )


def tray_conflicts(spec: FabricSpec) -> Iterator[Finding]:
    """Refuse an incomplete section of a tray, and a fill limit without a section."""
    tray = spec.site.tray if spec.site else None
    if tray is None or (tray.width_mm and tray.depth_mm):
        return
    missing = [f"`{key}`" for key in ("width_mm", "depth_mm") if not getattr(tray, key)]
    stated = next(
        (key for key in ("fill_percent", "width_mm", "depth_mm") if getattr(tray, key)), None
    )
    if stated:
        because = ("how full a tray is follows from its width and its depth",)
        hint = f"add {' and '.join(missing)} beside it, or leave `{stated}` out"
        yield Finding(
            "tray-without-section",
            f"`{stated}` has no effect without {' and '.join(missing)}",
            ("site", "tray", stated),
            because,
            hint,
        )


def price_conflicts(spec: FabricSpec, catalog: Catalog) -> Iterator[Finding]:
    """Refuse prices and preferences of unknown parts and vendors: they would have no effect."""
    yield from _unknown_preferences(spec, catalog)
    if not spec.prices.parts:
        return
    known = {name for kind in PRICED for name in catalog.names(kind)}
    begins = ("generic-", *(f"{name}-" for name in catalog.names("trunks")))
    for part in spec.prices.parts:
        if part not in known and not part.startswith(begins):
            hint = suggest(part, known, "`fabricgen catalog list` shows what there is")
            yield Finding(
                "unknown-model",
                f"the catalog has no part `{part}` to price",
                ("prices", "parts", part),
                hint=hint,
            )


def _unknown_preferences(spec: FabricSpec, catalog: Catalog) -> Iterator[Finding]:
    """Refuse preferred parts and vendors that the catalog does not have."""
    asked = spec.prices.prefer
    if not asked.parts and not asked.vendors:
        return
    known = [*catalog.transceivers(), *catalog.cables()]
    for key, what, names, have in (
        ("part", "module or cable", asked.parts, [part.model for part in known]),
        ("vendor", "module or cable of the vendor", asked.vendors, [part.vendor for part in known]),
    ):
        for name in names:
            if name.lower() not in {each.lower() for each in have}:
                listed = "`fabricgen catalog list` shows what there is"
                if key == "vendor":
                    listed = f"`vendor: generic` prefers parts by standard; {listed}"
                yield Finding(
                    "unknown-model",
                    f"the catalog has no {what} `{name}` to prefer",
                    ("prices", "prefer", key),
                    hint=suggest(name, sorted({*have}), listed),
                )
