"""The names of devices with a management address, and the refusal of any other.

It needs a whole plan, with its networks; `management` gives the addresses of each.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, Refusal, suggest
from fabricgen.planning.management import KEY, port_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.plan import Plan


def check_addresses(*plans: Plan) -> None:
    """Refuse names under `addresses` that no device has in any plan of an inventory.

    Further plans are those of its later phases. Plans of other designs and of compute alone lack
    some of the names, and are not verified. Raises Refusal `bad-management-address`.
    """
    asked = plans[0].spec.management
    if asked is None:
        return
    known = [name for plan in plans for name in _known_names(plan)]
    every, path = set(known), (KEY, "addresses")
    unknown = [
        Finding(
            "bad-management-address",
            f"no switch or host is called `{name}`",
            path,
            hint=suggest(name, known, "see `plan`"),
        )
        for name in asked.addresses
        if name not in every
    ]
    if unknown:
        raise Refusal(unknown)


def _known_names(plan: Plan) -> Iterator[str]:
    """Yield the names of hosts, of switches, and of management ports after the first."""
    yield from plan.hosts
    for own in plan.cluster:
        names = [
            name for segment in range(own.mapping.segments) for name in own.naming.switches(segment)
        ]
        yield from names
        yield from filter(None, chain(*port_names(own, names)))
