"""The controls of the page as settings of an inventory.

Owns which keys each control sets. They have the form of `--set`, so that refusals read as on the
command line. A control with the value of the inventory sets nothing, so that the inventory keeps
its models.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fabricgen.bom.comparison import as_design
from fabricgen.core.terms import ROLES, Design

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabricgen.inventory.fabric import FabricSpec

CONTROLS = ("gpus", "hb_domain", "radix", "design", "planes")
"""The controls, by their names in a query."""


def settings(asked: Mapping[str, str], spec: FabricSpec) -> list[str]:
    """Return the settings of all controls but `radix`; `asked` are texts as they were typed.

    >>> from fabricgen.inventory.fabric import FabricSpec
    >>> sizes = {"gpus": 64, "hb_domain": {"gpus": 8}, "rails": {"per_switch": 2}}
    >>> switches = {"leaf": {"generic": {"radix": 8}}}
    >>> spec = FabricSpec.model_validate({"name": "a", **sizes, "switches": switches})
    >>> settings({"gpus": "128", "hb_domain": "8", "design": "fat-tree"}, spec)
    ['gpus=128', 'design=fat-tree', 'rails.per_switch=1']
    """
    numbers = {
        "gpus": ("gpus", spec.gpus),
        "hb_domain": ("hb_domain.gpus", spec.hb_domain.gpus),
        "planes": ("rails.planes", spec.rails.planes),
    }
    found = [
        f"{key}={asked[name]}"
        for name, (key, value) in numbers.items()
        if asked.get(name, str(value)) != str(value)
    ]
    return [*found, *_redesigned(spec, asked.get("design", spec.design.value))]


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
