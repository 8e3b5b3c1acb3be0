"""The part of a fabric that a lab boots: everything, some rails, or some HB domains."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.core.diagnostics import refuse
from fabricgen.lab.bootability import check_bootable
from fabricgen.lab.topology import LabLayout
from fabricgen.planning.direct_conflicts import require_switches

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan


def lay_out(plan: Plan, rails: int | None = None, domains: int | None = None) -> LabLayout:
    """Choose what is booted: everything, whole rails, or some HB domains with every kind of path.

    Raises Refusal where the files cannot boot on Linux.
    """
    require_switches(plan.spec, "lab up")
    check_bootable(plan)
    every = plan.fabric.coordinates.domains
    some = frozenset(range(min(rails or plan.fabric.rails, plan.fabric.rails)))
    if domains is None or domains >= every:
        return LabLayout(plan, some, tuple(range(every)))
    return LabLayout(plan, some, choose_domains(plan, domains), SLICE_WIDTH)


def one_rail(layout: LabLayout, rail: int) -> LabLayout:
    """Return one rail of a lab, with all its HB domains. Raises Refusal where blocks span rails."""
    if layout.plan.mapping.spans_rails:
        fact = (
            f"the rails of a {layout.plan.fabric.design} fabric meet, so none can be booted alone"
        )
        raise refuse(
            "lab-rails-meet", fact, path=("design",), hint="`--hb-domains 8` boots a slice instead"
        )
    return replace(layout, rails=frozenset({rail}), in_turn=True)


SLICE_WIDTH = 2
"""Spines of a pod and cores of a group in a slice: two, so that one may fail and paths still
spread."""


def choose_domains(plan: Plan, count: int) -> tuple[int, ...]:
    """Choose HB domains so that paths stay on a leaf, cross spines and cross cores.

    They come in turn from the first leaf, the last one and the second.
    """
    fabric = plan.fabric
    first = np.arange(0, fabric.gpus, fabric.domain_gpus)
    leaf = Reach(plan).slots[first] // plan.sizing.leaf_down
    sources = dict.fromkeys([leaf[0], leaf[-1], *leaf[leaf != leaf[0]][:1]])
    turns = chain.from_iterable(
        zip_longest(*(np.flatnonzero(leaf == source).tolist() for source in sources))
    )
    ordered = [domain for domain in turns if domain is not None] + np.flatnonzero(
        ~np.isin(leaf, list(sources))
    ).tolist()
    return tuple(sorted(ordered[:count]))
