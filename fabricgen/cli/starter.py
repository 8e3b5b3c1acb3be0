"""The commented inventory that `init` writes from its options, and its notes on the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabricgen.core.terms import LinkKind, Role, speed_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.host import Host
    from fabricgen.catalog.models.prices import PriceBook
    from fabricgen.catalog.models.switch import Switch
    from fabricgen.outputs.packs.render import Packs
    from fabricgen.planning.plan import Plan

DOMAIN_GPUS, RADIX, GROWTH = 8, 64, 4
"""Values of an inventory without models, and the growth that its comment shows."""

HALF = 0.5
"""The share of ports in use up to which `init` names it, and of the bandwidth of a leaf from which.
"""


def _nos(asked: str | None, leaf: Switch | None) -> str:
    """Return the NOS of the leaf: the one asked for, by the name that the model has for it."""
    if leaf is None:
        return asked or ""
    return leaf.nos_name(asked or leaf.default_nos)


def _nics(host: Host, planes: int | None) -> str:
    """Describe the NICs of a GPU of a host."""
    ports = planes or min(host.speeds_gbps)
    speed = speed_text(host.speeds_gbps.get(ports, max(host.speeds_gbps.values())))
    return f"{host.nic}, {host.nics_per_gpu} per GPU, {ports} x {speed}"


def _newest_book(leaf: str, catalog: Catalog) -> PriceBook | None:
    """Return the newest dated price book with a price for a switch."""
    books = [catalog.price_book(name) for name in catalog.names("prices")]
    dated = {book.date: book for book in books if book and book.date and book.price(leaf)}
    return dated[max(dated)] if dated else None


def _prices(book: PriceBook | None) -> str:
    """Return the line of a price book; a comment where the default applies."""
    from fabricgen.planning.price_book import DEFAULT_BOOK

    if book is None:
        return f"# prices: {DEFAULT_BOOK}  # the default"
    return f"prices: {book.name}  # {book.currency} of {book.date}"


def starter_notes(plan: Plan) -> Iterator[str]:
    """Yield what a user should know of the fabric before building it."""
    from fabricgen.analysis.search.cheaper import leaf_lost_pct
    from fabricgen.analysis.search.cheaper_notes import cheaper_notes

    used, lost = plan.link_count(LinkKind.HOST), leaf_lost_pct(plan)
    ports = plan.switch_count(Role.LEAF) * plan.sizing.leaf_down * plan.mapping.segment_blocks
    if used <= HALF * ports:
        share = f"{used:,} of their {ports:,} ports to hosts ({100 * used / ports:.3g} %)"
        yield f"leaves use {share}: choose smaller ones"
    if lost >= 100 * HALF and plan.mapping.segment_blocks > 1:
        yield (
            f"a failed leaf takes {lost:.3g} % of the bandwidth: `rails.per_switch: 1` takes more"
            " leaves, each of which serves fewer GPUs"
        )
    yield from cheaper_notes(plan)


def starter_text(wanted: dict[str, Any], catalog: Catalog, packs: Packs, schema: str) -> str:
    """Render the inventory; the host model provides what the options leave out."""
    from fabricgen.inventory.settings import Addressing

    leaf = catalog.switch(wanted["leaf"]) if wanted["leaf"] else None
    pack = packs.for_nos(_nos(wanted["nos"], leaf))
    limit = pack.limits.get("addressing.mtu") if pack else None
    host = catalog.host(wanted["host"]) if wanted["host"] else None
    nic = catalog.nic(host.nic) if host else None
    mtu = (limit.most if limit else None) or Addressing().mtu
    from_host = {
        "hb_domain": host.hb_domain_gpus if host else DOMAIN_GPUS,
        "hosts": host.hb_domain_hosts if host else 1,
        "planes": min(host.speeds_gbps) if host else 1,
        "radix": RADIX,
        "reserve": GROWTH * wanted["gpus"],
        "mtu": min(mtu, (nic.maximum_mtu if nic else None) or mtu),
        "nics": _nics(host, wanted["planes"]) if host else "",
        "prices": _prices(_newest_book(leaf.model, catalog) if leaf else None),
    }
    given = {key: value for key, value in wanted.items() if value is not None}
    open_keys = dict.fromkeys(("host", "leaf", "nos"))
    return packs.render(
        "init", "fabric.yaml.j2", **{**open_keys, **from_host, **given, "schema": schema}
    )
