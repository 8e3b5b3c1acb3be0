"""The controls of the page as settings of an inventory.

Owns which keys each control sets, and which control a refused key belongs to. Settings have the
form of `--set`, so that refusals read as on the command line. A control with the value of the
inventory sets nothing, so that the inventory keeps its models.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fabricgen.bom.comparison import as_design
from fabricgen.core.terms import ROLES, Design, ratio_text
from fabricgen.planning.price_book import DEFAULT_BOOK

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.core.diagnostics import Path
    from fabricgen.inventory.fabric import FabricSpec

KEYS = {
    "gpus": "gpus",
    "design": "design",
    "host": "host",
    "hb_domain": "hb_domain.gpus",
    "leaf": "switches",
    "radix": "switches",
    "rails": "rails.count",
    "per_switch": "rails.per_switch",
    "planes": "rails.planes",
    "oversubscription": "oversubscription",
    "prices": "prices.book",
}
"""The controls by their names in a query, each with its key; some set more keys than that."""

ANY_HOST, GENERIC = "any", "generic"
"""The values of a host that the inventory does not name, and of a generic switch."""

LISTED = {"host": "hosts", "leaf": "switches", "prices": "prices"}
"""The controls that take a name of the catalog, each with the kind of its models."""


class QueryError(Exception):
    """A query that the page does not send."""


def settings(asked: Mapping[str, str], spec: FabricSpec, catalog: Catalog) -> dict[str, list[str]]:
    """Return the settings of all controls but `radix`, by control.

    `asked` are texts as they were typed. Raises QueryError for a name that the catalog lacks: no
    text of a query becomes a path.

    >>> from fabricgen.catalog.catalog import Catalog
    >>> from fabricgen.inventory.fabric import FabricSpec
    >>> sizes = {"gpus": 64, "hb_domain": {"gpus": 8}, "rails": {"per_switch": 2}}
    >>> switches = {"leaf": {"generic": {"radix": 8}}}
    >>> spec = FabricSpec.model_validate({"name": "a", **sizes, "switches": switches})
    >>> settings({"gpus": "128", "hb_domain": "8", "design": "fat-tree"}, spec, Catalog())
    {'gpus': ['gpus=128'], 'design': ['design=fat-tree', 'rails.per_switch=1']}
    >>> settings({"leaf": "sn5600", "prices": "paper-v5", "rails": "4"}, spec, Catalog())
    {'leaf': ['switches={leaf: {model: sn5600}}'], 'rails': ['rails.count=4']}
    """
    stated = values(spec)
    changed = {name: text for name, text in asked.items() if text != stated.get(name)}
    for name, kind in LISTED.items():
        if changed.get(name, ANY_HOST) not in (ANY_HOST, *catalog.names(kind)):
            raise QueryError(f"`{name}` is one of {', '.join(catalog.names(kind))}")
    found = {name: list(_set(name, text, spec, catalog)) for name, text in changed.items()}
    # the host comes first: it sets keys of which other controls change one
    order = sorted(found, key=lambda name: name != "host")
    return {name: found[name] for name in order if found[name]}


def values(spec: FabricSpec) -> dict[str, str]:
    """Return the values of an inventory by control; an unstated count of rails is empty."""
    return {
        "gpus": str(spec.gpus),
        "design": spec.design.value,
        "host": (spec.host and spec.host.model) or ANY_HOST,
        "hb_domain": str(spec.hb_domain.gpus),
        "leaf": spec.switches.leaf.model or GENERIC,
        "rails": str(spec.rails.count or ""),
        "per_switch": str(spec.rails.per_switch),
        "planes": str(spec.rails.planes),
        "oversubscription": ratio_text(spec.oversubscription),
        "prices": ", ".join(spec.prices.books) or DEFAULT_BOOK,
    }


def _set(name: str, text: str, spec: FabricSpec, catalog: Catalog) -> Iterator[str]:
    """Yield the settings of one control with another value than the inventory's."""
    if name == "design":
        yield from _redesigned(spec, text)
    elif name == "host":
        yield from _rehosted(spec, text, catalog)
    elif name == "leaf":
        yield from _switched(spec, text, catalog)
    elif name != "radix":
        yield f"{KEYS[name]}={text}"


def _rehosted(spec: FabricSpec, name: str, catalog: Catalog) -> Iterator[str]:
    """Yield the settings of another host, which fixes the HB domain, the NIC and the planes."""
    host = catalog.host(name)
    if host is None:
        yield "host=null"
        return
    yield f"host={{model: {name}}}"
    yield f"hb_domain={{gpus: {host.hb_domain_gpus}, hosts: {host.hb_domain_hosts}}}"
    if spec.nic != type(spec.nic)():
        yield "nic={}"
    if host.speeds_gbps and spec.rails.planes not in host.speeds_gbps:
        yield f"rails.planes={min(host.speeds_gbps)}"


def _switched(spec: FabricSpec, name: str, catalog: Catalog) -> Iterator[str]:
    """Yield the settings of another switch; a NOS that it does not run is left out."""
    switch = catalog.switch(name)
    if switch is None or name == GENERIC:  # another radix makes a switch generic
        return
    yield f"switches={{leaf: {{model: {name}}}}}"
    stated = {*spec.nos.rails.values(), *(getattr(spec.nos, role) for role in ROLES)} - {None}
    if not stated <= switch.interfaces.keys():
        yield "nos={}"


def control_of(path: Path, asked: Mapping[str, str], made: Mapping[str, list[str]]) -> str:
    """Return the control that a refused key belongs to; empty where no control was changed.

    It is the one that set the key, else the one of the key, else the one that was changed last.

    >>> control_of(("hb_domain", "gpus"), {"host": "gh200"}, {"host": ["host=x", "hb_domain=y"]})
    'host'
    >>> control_of(("rails", "planes"), {"gpus": "8"}, {"gpus": ["gpus=8"]})
    'planes'
    >>> control_of(("site",), {"gpus": "8"}, {"gpus": ["gpus=8"]})
    'gpus'
    """
    by_control = {name: [text.partition("=")[0] for text in texts] for name, texts in made.items()}
    known = {name: [key] for name, key in KEYS.items() if name != "radix"}
    for keys in (by_control, known):
        for name, each in keys.items():
            if any(_touches(path, tuple(key.split("."))) for key in each):
                return name
    return list(asked)[-1] if asked else ""


def _touches(path: Path, key: Path) -> bool:
    """Return whether a path is a key, or is within it."""
    return path[: len(key)] == key


def _redesigned(spec: FabricSpec, design: str) -> Iterator[str]:
    """Yield the settings of another design, and of what the comparison of designs changes too."""
    if design == spec.design.value:
        return
    yield f"design={design}"
    wanted = as_design(spec, Design(design)) if design in list(Design) else spec
    yield from (
        f"rails.{key}={getattr(wanted.rails, key)}"
        for key in ("tiers", "per_switch")
        if getattr(wanted.rails, key) != getattr(spec.rails, key)
    )
    if spec.site and wanted.site:
        changed = {
            key: value
            for key, value in wanted.site.model_dump(mode="json").items()
            if value != spec.site.model_dump(mode="json")[key]
        }
        yield from (f"site.{key}={json.dumps(value)}" for key, value in changed.items())


def radix_overrides(radix: str, spec: FabricSpec, modelled: int | None) -> list[str]:
    """Return the settings of another radix, for each tier with that of the leaf.

    A model has a fixed radix, `modelled`; for another one a generic switch replaces it.

    >>> from fabricgen.inventory.fabric import FabricSpec
    >>> common = {"name": "a", "gpus": 64, "hb_domain": {"gpus": 8}}
    >>> switches = {"leaf": {"generic": {"radix": 8}}, "spine": {"generic": {"radix": 4}}}
    >>> radix_overrides("16", FabricSpec.model_validate({**common, "switches": switches}), None)
    ['switches.leaf.generic.radix=16']
    >>> named = {"switches": {"leaf": {"model": "sn5600"}}, "nos": "sonic"}
    >>> radix_overrides("64", FabricSpec.model_validate({**common, **named}), 128)
    ['switches={leaf: {generic: {radix: 64}}}', 'nos={}']
    """
    leaf = spec.switches.leaf.generic
    if radix == str(leaf.radix if leaf else modelled):
        return []
    if leaf is None:  # the model's breakout and its NOS fit no generic switch
        return [
            f"switches={{leaf: {{generic: {{radix: {radix}}}}}}}",
            *(["nos={}"] if spec.nos != type(spec.nos)() else []),
        ]
    stated = {role: getattr(spec.switches, role) for role in ROLES}
    alike = [
        role
        for role, choice in stated.items()
        if choice and choice.generic and choice.generic.radix == leaf.radix
    ]
    return [f"switches.{role}.generic.radix={radix}" for role in alike]
