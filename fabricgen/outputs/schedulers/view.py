"""What templates of schedulers and of automation see: the shapes of finished, named values.

The rules of `views` hold here too: every decision is text or number, and a template only loops,
tests and joins. `scheduling` makes these views.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class DomainView:
    """One HB domain."""

    name: str
    stripe: str
    nodes: str
    """Its hosts as a node expression of Slurm."""
    hosts: list[str]


@dataclass(slots=True)
class StripeView:
    """The HB domains that share the same leaf in every rail."""

    name: str
    nodes: str
    """Its hosts as a node expression of Slurm."""
    batches: list[list[str]]
    """Its hosts, as many at once as one command takes."""
    domains: list[DomainView]
    ranges: list[str]
    """Its hosts as host ranges of Ansible."""
    group: str
    """Its name as a group of Ansible."""
    pod: str = ""
    """Its pod, where `ClusterView.pods` has pods."""


@dataclass(slots=True)
class PodView:
    """The stripes whose leaves share their spines in every rail."""

    name: str
    children: str
    """The names of its stripes, as Slurm writes lists of names."""
    names: list[str]
    """The same, one by one."""


@dataclass(slots=True, kw_only=True)
class ClusterView:
    """The hosts of a fabric as schedulers see them."""

    fabric: str
    design: str
    stripes: list[StripeView]
    pods: list[PodView]
    """What joins stripes below the root; none below three tiers, and where it adds no level."""
    root: str
    """What joins the pods, or else the stripes, or an empty text.

    It is empty for one stripe alone, and where hosts of two stripes may share no rail.
    """
    children: str
    """The names of what the root joins, as Slurm writes lists of names."""
    names: list[str]
    """The same, one by one."""
    last: str
    """The name of the last stripe."""
    notes: list[str]
    """What a reader should know of the stripes and of what joins them, a sentence each."""
    block_sizes: list[int]
    """Hosts of an HB domain, then of a stripe and of a pod that are a power of two of them."""
    domain_hosts: int
    has_leaves: bool
    """Whether a stripe stands for leaves; direct rails have none."""
    levels: list[str]
    """Labels of Kubernetes nodes, from the widest level to the host."""
    widest: str
    """The label of the whole fabric, a level only where the stripes have a root."""


@dataclass(slots=True)
class ManagedDeviceView:
    """One switch of an automation's inventory, with its facts by name."""

    name: str
    facts: dict[str, str | int | list[int]]


@dataclass(slots=True)
class GroupView:
    """A group of switches: with their facts, or named once more as ranges."""

    name: str
    devices: list[ManagedDeviceView]
    ranges: list[str]


@dataclass(slots=True)
class DevicesView:
    """The devices of a fabric in groups."""

    fabric: str
    roles: list[GroupView]
    """Switches by role, with their facts."""
    others: list[GroupView]
    """The same switches by rail, by plane and by system."""
    stripes: list[StripeView]
    """The hosts."""
    managed: bool = False
    """Whether switches have management addresses."""
    hosts: list[ManagedDeviceView] = field(default_factory=list)
    """The hosts that have management addresses."""
    networks: list[GroupView] = field(default_factory=list)
    """The switches of each network beside the compute fabric, with their facts."""
