"""Which switches an override matches, and the values that templates of a switch receive.

Owns the comparison. What an override writes belongs to `outputs.packs`.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.core.terms import COMPUTE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.inventory.overrides import OverrideMatch
    from fabricgen.planning.plan import Plan


class SwitchIdentity(NamedTuple):
    """What an override can match of a switch."""

    name: str
    role: str
    rails: tuple[int, ...]
    """The rails that it serves; empty where a block spans rails."""
    plane: int
    nos: str
    network: str = COMPUTE


def switch_identity(plan: Plan, segment: int, index: int, name: str) -> SwitchIdentity:
    """Return the identity of the switch at a box of a segment."""
    mapping, box = plan.mapping, plan.naming.boxes[index]
    blocks = range(mapping.segment_blocks) if box.block < 0 else [box.block]
    rails = (mapping.rail(segment, block) for block in blocks)
    return SwitchIdentity(
        name,
        box.role.value,
        tuple(rail for rail in rails if rail is not None),
        mapping.plane(segment),
        plan.port_layouts(segment)[box.role].nos,
        plan.fabric.network_name,
    )


def switch_identities(plan: Plan) -> Iterator[SwitchIdentity]:
    """Yield the identity of every installed switch, segment by segment."""
    for segment in range(plan.mapping.segments):
        for index, name in enumerate(plan.naming.switches(segment)):
            if plan.installed[index]:
                yield switch_identity(plan, segment, index, name)


def matches(match: OverrideMatch, switch: SwitchIdentity) -> bool:
    """Return whether a switch has every value of a match.

    >>> from fabricgen.inventory.overrides import OverrideMatch
    >>> leaf = SwitchIdentity("r0-leaf-1", "leaf", (0,), 0, "eos")
    >>> [matches(OverrideMatch(**given), leaf) for given in ({}, {"name": "r0-*"}, {"rail": 1})]
    [True, True, False]
    """
    return (
        (match.network or COMPUTE) == switch.network
        and match.role in (None, switch.role)
        and (match.rail is None or match.rail in switch.rails)
        and match.plane in (None, switch.plane)
        and (match.name is None or fnmatchcase(switch.name, match.name))
        and match.nos in (None, switch.nos)
    )


def switch_vars(spec: FabricSpec, switch: SwitchIdentity) -> dict[str, Any]:
    """Return the values for the templates of a switch; those of later overrides take precedence."""
    values: dict[str, Any] = dict(spec.vars)
    for override in spec.overrides:
        if override.vars and matches(override.match, switch):
            values |= override.vars
    return values
