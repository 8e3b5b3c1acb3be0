"""What the templates of network simulators see: numbered nodes, links, and a block as a tree.

Nodes are numbered as in SimAI: GPUs first, domain by domain, then HB domains, each of which is one
switch, then leaves, spines and cores. `build` makes these.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class SimulatedTier:
    """A tier of a block in htsim; tier 0 is the leaves."""

    number: int
    speed_gbps: int
    """Of the links below it."""
    down: int
    up: int
    """Ports; the highest tier has none."""
    oversubscribed: int
    bundle: int
    """Parallel links to each switch below."""


@dataclass(slots=True, kw_only=True)
class SimulatedBlock:
    """A block as a uniform tree: a rail on a plane, or a plane of all rails."""

    fabric: str
    blocks: int
    """The number of equal blocks."""
    endpoints: int
    """Places on its leaves, in whole leaves; a place may be vacant."""
    vacant: int
    unplanned_leaves: int
    """Leaves without hosts that fill the last pod in htsim, whose pods are all alike."""
    pod: int
    """Endpoints of a pod."""
    height: int
    ports: int
    """Of the switch with the most."""
    tiers: list[SimulatedTier]


@dataclass(slots=True, kw_only=True)
class Simulation:
    """A whole fabric."""

    fabric: str
    rail_only: bool
    gpus: int
    domain_gpus: int
    domains: int
    switches: int
    """Without HB domains; a box that several rails share is one for each."""
    all_switches: int
    """With HB domains."""
    nodes: int
    links: int
    """Lines of links: those of HB domains, and parallel links as one."""
    merged: int
    """Maximum parallel links in one line."""
    accelerator: str
    hb_gbps: int
    hb_gbytes: str
    nic_gbytes: str
    """Of a GPU, over all its ports, one direction."""
    oversubscription: str
    rates_bps: list[int]
    """Every rate of a link, in rising order."""
    hb_ids: str
    switch_ids: str
    names: list[tuple[int, str, str, str]] = field(repr=False)
    """Number, name, kind and rail of every node; the rail is empty where it serves several."""


@dataclass(slots=True)
class SimulatedRun:
    """A run of links: the numbers of both ends, the rate in Gbps, whether in an HB domain."""

    rows: list[tuple[int, int, int, bool]]
    first: bool
    last: bool
