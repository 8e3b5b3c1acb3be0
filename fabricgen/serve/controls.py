"""What the controls of the page say, as settings of an inventory.

Owns which keys each control sets: they are written as `--set` takes them, so that whatever is
refused reads as on the command line. A control that stands as the inventory has it sets nothing,
and so the inventory keeps its models.
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
"""What can be turned, by its name in an address."""


def settings(asked: Mapping[str, str], spec: FabricSpec) -> list[str]:
    """Return what the controls but `radix` set, as `--set` takes it; `asked` are texts as they were typed.

    >>> from fabricgen.inventory.fabric import FabricSpec
    >>> leaf = {"generic": {"radix": 8}}
    >>> spec = FabricSpec.model_validate({"name": "a", "gpus": 64, "hb_domain": {"gpus": 8}, "rails": {"per_switch": 2}, "switches": {"leaf": leaf}})
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
    """Set another design, and what has to change with it, as the comparison of the designs does."""
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
    """Set another radix: of each tier that has the leaf's. A model has the radix that it has, `modelled`; for another one a generic switch stands in.

    >>> from fabricgen.inventory.fabric import FabricSpec
    >>> common = {"name": "a", "gpus": 64, "hb_domain": {"gpus": 8}}
    >>> switches = {"leaf": {"generic": {"radix": 8}}, "spine": {"generic": {"radix": 4}}}
    >>> radix_overrides("16", FabricSpec.model_validate({**common, "switches": switches}), None)
    ['switches.leaf.generic.radix=16']
    >>> radix_overrides("64", FabricSpec.model_validate({**common, "switches": {"leaf": {"model": "sn5600"}}, "nos": "sonic"}), 128)
    ['switches={leaf: {generic: {radix: 64}}}', 'nos={}']
    """
    leaf = spec.switches.leaf.generic
    if radix == str(leaf.radix if leaf else modelled):
        return []
    if leaf is None:  # neither its splits nor its system are those of any other switch
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
