"""What one rack holds, and the refusal of devices that overflow it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Refusal, refuse
from fabricgen.core.terms import Role
from fabricgen.planning.room.footprints import HOST, WORDS, amount

if TYPE_CHECKING:
    from fabricgen.inventory.site import Site
    from fabricgen.planning.naming import DeviceNames
    from fabricgen.planning.room.footprints import Shares


def check_boxes(shares: Shares) -> None:
    """Refuse devices that no rack holds. Raises Refusal with every kind that is too large."""
    large = [kind for kind in shares.of if not shares.fits((kind, 1))]
    if large:
        raise Refusal(
            [
                finding
                for kind in large
                for finding in overflow(shares, f"a {kind} overflows a rack", (kind, 1)).findings
            ]
        )


def overflow(shares: Shares, fact: str, *loads: tuple[str, int], hint: str = "") -> Refusal:
    """Refuse the contents of a rack, with the sum of each limit that is exceeded."""
    because, needs = [], []
    limits = shares.limits(*loads)
    reserved = shares.rack.rack_units - (limits[0] or 0)
    for at, limit in enumerate(limits):
        terms = [(count, kind, shares.of[kind][at] or 0) for kind, count in loads if count]
        total = sum(count * each for count, _, each in terms)
        if limit is not None and total > limit:
            added = " + ".join(
                f"{counted(count, kind)} x {amount(at, each)}" for count, kind, each in terms
            )
            key = WORDS[at][0]
            beside = " beside its reserved ones" if key == "units" and reserved else ""
            because.append(
                f"{added} = {amount(at, total)}, and a rack has {amount(at, limit)}{beside}"
            )
            total += reserved if key == "units" else 0
            needs.append(f"{key}: {-(-total // 1000) if key == 'weight_kg' else total}")
    if not because:
        because.append("its reserved units leave no such gaps")
        hint = hint or "reserve units at the top or at the foot of the rack: `rack.reserved`"
    hint = hint or f"give the racks of the site more: `rack: {{{', '.join(needs)}}}`"
    return refuse("rack-overflow", fact, path=("site",), because=because, hint=hint)


def counted(count: int, kind: str) -> str:
    """Format a count of things."""
    many = "leaves" if kind == Role.LEAF else f"{kind}es" if kind.endswith("ch") else f"{kind}s"
    return f"{count} {kind if count == 1 else many}"


def hosts_of_a_rack(
    naming: DeviceNames, shares: Shares, site: Site, hosts: int, leaves: int
) -> int:
    """Return how many hosts share a rack: the number asked for, or the most that fit.

    Top-of-rack leaves are left room for. Raises Refusal `rack-overflow`.
    """
    fabric = naming.mapping.fabric

    def loads(each: int) -> tuple[tuple[str, int], tuple[str, int]]:
        return (HOST, each), (Role.LEAF, -(-leaves // -(-hosts // each)))

    most = min(
        shares.rack.rack_units // shares.of[HOST].rack_units,
        (fabric.host and fabric.host.hosts_per_rack) or hosts,
        hosts,
    )
    best = next((each for each in range(most, 0, -1) if shares.fits(*loads(each))), 0)
    asked = site.hosts_per_rack or best or 1
    if shares.fits(*loads(asked)):
        return asked
    hint = f"use `hosts_per_rack: {best}`" if best else ""
    raise overflow(
        shares, f"{counted(asked, HOST)} in a rack overflow it", *loads(asked), hint=hint
    )
