"""Notes on systems that do not set up unnumbered BGP with each other, as their packs declare it.

Every link between two switches has such a session, and every host link that is unnumbered, whose
hosts run FRR.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from fabricgen.build.pack_outputs import config_packs, every_config_pack
from fabricgen.core.terms import ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.context import BuildContext

HOSTS = "hosts"
"""The name of unnumbered hosts beside those of systems."""


def interoperation_notes(context: BuildContext) -> list[str]:
    """Return a note on each pair of systems that is known for sessions that fail."""
    if "configs" not in context.selection.groups:
        return []
    packs = every_config_pack(context)
    pairs = dict.fromkeys(pair for own in context.each for pair in _joined(own))
    return [
        f"unnumbered BGP between {ends}: {reason}"
        for one, other, ends in pairs
        for nos, peer in ((one, other), (other, one))
        if (pack := packs.get(nos)) and (reason := pack.unnumbered_with.get(peer))
    ]


def _joined(context: BuildContext) -> Iterator[tuple[str, str, str]]:
    """Yield each two systems with a session between them, and what their ends are."""
    plan, packs = context.plan, config_packs(context)
    if not packs or (plan.fabric.network and plan.fabric.network.vlan):
        return
    for segment in range(plan.mapping.segments):
        layouts = plan.port_layouts(segment)
        roles = [role for role in ROLES if role in layouts and role in plan.roles]
        for lower, upper in pairwise(roles):
            one, other = layouts[lower].nos, layouts[upper].nos
            if one != other and one in packs and other in packs:
                yield one, other, f"{lower} switches of {one} and {upper} switches of {other}"
        leaf = layouts[roles[0]].nos if roles and not plan.fabric.network else ""
        if leaf in packs and plan.spec.addressing.host_links == "unnumbered":
            yield leaf, HOSTS, f"leaf switches of {leaf} and hosts, which run FRR"
