"""The leaf ports that devices of a network keep when the cluster grows.

Owns `KeptBonds` and its form in a plan file. `lifecycle.change.keep_networks` decides what is kept.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fabricgen.planning.baseline.run_length import decode_runs, encode_runs

if TYPE_CHECKING:
    from collections.abc import Sequence


class KeptBonds(NamedTuple):
    """The stripe of each bond, and its place there among the bonds of its speed; from 0.

    `groups` has the group of leaves that each stripe belongs to: older stripes come first. `slot`
    has the slot of each port, from which its address and the label of its cable follow; it is
    empty where all follow the rule.
    """

    groups: tuple[int, ...]
    stripe: tuple[int, ...]
    place: tuple[int, ...]
    slot: tuple[int, ...] = ()
    cages: tuple[int, ...] = ()
    """The cages that ports keep on leaves of any group; empty where all follow the rule."""
    kinds: tuple[int, ...] = ()
    """What each of `cages` is for: the kind of its ports, counted on from group to group. Kinds are
    the downlinks of each speed, the uplinks, and the links to a peer."""
    uplinks: tuple[int, ...] = ()
    """The uplinks of a leaf of each group; empty where they are those of the widest leaf."""

    def cages_of(self, group: int, kinds: int) -> tuple[tuple[int, ...], ...]:
        """Return the cages of each of so many kinds on the leaves of a group; empty for none."""
        if not self.cages:
            return ()
        each: list[list[int]] = [[] for _ in range(kinds)]
        for cage, number in zip(self.cages, self.kinds, strict=True):
            of_group, kind = divmod(number, kinds)
            if of_group == group:
                each[kind].append(cage)
        return tuple(map(tuple, each))

    def fits(self, bonds: Sequence[Sequence[int]], columns: int) -> bool:
        """Return whether these are the bonds of a network, given by group and speed.

        `columns` are the ports of a bond.
        """
        many = sum(map(sum, bonds))
        known = set(self.groups) == set(range(len(bonds)))
        stripes = max(self.stripe, default=0) < len(self.groups)
        slots = len(self.slot) in {0, many * columns}
        cages = len(self.cages) == len(self.kinds)
        uplinks = len(self.uplinks) in {0, len(bonds)}
        known = known and uplinks
        return known and stripes and slots and cages and len(self.stripe) == len(self.place) == many

    def document(self) -> dict[str, Any]:
        """Return the form of a plan file; columns are runs of [first, step, count]."""
        columns = {name: np.array(column) for name, column in self._asdict().items() if column}
        return {name: encode_runs(column) for name, column in columns.items()}


def read_kept_bonds(values: Any) -> KeptBonds | None:  # noqa: ANN401 - any value of a plan file
    """Read the form of a plan file; None where there is nothing.

    Raises KeyError, TypeError or ValueError where it does not have this form.
    """
    if values is None:
        return None
    some = {name: values[name] for name in ("slot", "cages", "kinds", "uplinks") if name in values}
    found = {name: values[name] for name in ("groups", "stripe", "place")} | some
    kept = KeptBonds(**{name: tuple(decode_runs(runs).tolist()) for name, runs in found.items()})
    if min(chain.from_iterable(kept), default=0) < 0:
        raise ValueError("a port of a network is below zero")
    return kept
