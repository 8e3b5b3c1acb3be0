"""What the tasks of one build read: the plan, its packs, and the views and tables that several tasks share.

Owns `Sources`, each part of which is made when it is first asked for. Which files come of it is said by the modules of the groups.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, get_args

from fabricgen.bom import make_bom
from fabricgen.diagnostics import refuse
from fabricgen.forwarding.tables import Tables
from fabricgen.hosting import Hosts
from fabricgen.summary import Comparison, compare
from fabricgen.terms import Role
from fabricgen.topologies import Topologies
from fabricgen.viewing import Views
from fabricgen.views import Chunk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from fabricgen.bom import Bom
    from fabricgen.packs import Output, Pack, Packs
    from fabricgen.planner import Plan
    from fabricgen.writing import Written

Group = Literal["cabling", "bom", "configs", "hosts", "forwarding", "graph", "lab"]
GROUPS: tuple[Group, ...] = get_args(Group)

RUN, SWITCHES, HOSTS = 8192, 128, 64
"""Rows of a table that are rendered at once, and switches and hosts that one task configures."""


class Part(NamedTuple):
    """A part of a fabric, where not all of it is wanted: some boxes of some units, and some GPUs, counted over all HB domains."""

    units: tuple[int, ...]
    boxes: tuple[int, ...]
    gpus: frozenset[int]


class Task(Protocol):
    """One piece of a build: a file or a few. Tasks travel to worker processes, so they hold names and ranges only."""

    def paths(self, sources: Sources) -> Iterator[str]:
        """List the files of the task without making any."""

    def prepare(self, sources: Sources) -> None:
        """Have worked out what many tasks need, once; workers that are forked afterwards inherit it."""

    def write(self, sources: Sources, root: Path) -> Iterator[Written]:
        """Write the files of the task below `root`."""


@dataclass(frozen=True)
class Sources:
    """One build: a plan, its packs, and the groups asked for. `named` are the groups that the caller named rather than took by default.

    With a `part`, only the files and tables of its switches and GPUs are written; documents are of the whole fabric, and topologies are left out.
    """

    plan: Plan
    packs: Packs
    groups: tuple[Group, ...] = GROUPS
    named: frozenset[str] = frozenset()
    part: Part | None = None
    """What the files of switches, hosts and GPUs are limited to; None for the whole fabric."""
    skipped: list[str] = field(default_factory=list)
    """What the build leaves out, in a sentence each; filled while its tasks are listed."""

    @cached_property
    def bom(self) -> Bom:
        """The bill of materials."""
        return make_bom(self.plan)

    @cached_property
    def comparison(self) -> Comparison:
        """The three designs of this cluster."""
        return compare(self.plan.spec, self.plan.catalog)

    @cached_property
    def views(self) -> Views:
        """The views of the plan."""
        return Views(self.plan)

    @cached_property
    def hosts(self) -> Hosts:
        """The views of the plan's hosts."""
        return Hosts(self.plan)

    @cached_property
    def tables(self) -> Tables:
        """The forwarding tables of the plan."""
        return Tables(self.plan)

    @cached_property
    def topologies(self) -> Topologies:
        """The lab of the plan."""
        return Topologies(self.plan, self.packs, self.config_packs)

    @cached_property
    def host_outputs(self) -> list[tuple[str, Output]]:
        """What is written for each host and NIC of this fabric, with the name of its pack."""
        return self.fitting("hosts")

    def fitting(self, group: Group) -> list[tuple[str, Output]]:
        """List what the packs of a group write for hosts, NICs or GPUs that are linked as these are, with the name of the pack."""
        links, transport = self.plan.spec.addressing.host_links, self.plan.request.fronts[Role.LEAF].model.transport
        outputs = ((pack.name, output) for pack in self.packs.group(group) for output in pack.outputs)
        return [(name, output) for name, output in outputs if output.transport in (None, transport) and output.host_links in (None, links)]

    def outputs(self, role: Role) -> list[Output]:
        """List what the pack of a role writes."""
        pack = self.config_packs.get(role)
        return [output for output in pack.outputs if role in output.roles] if pack else []

    @cached_property
    def config_packs(self) -> dict[Role, Pack]:
        """The pack of each role's NOS. Raises Refusal where the inventory names a NOS without one, or the model lacks what the pack needs."""
        found: dict[Role, Pack] = {}
        for role in self.plan.roles:
            wanted = self.plan.request.fronts[role].nos
            pack = self.packs.for_nos(wanted)
            if pack:
                self._check_needs(role, pack)
                found[role] = pack
            elif getattr(self.plan.spec.nos, role):
                known = ", ".join(nos for name in self.packs.names() if (shown := self.packs.pack(name)) and (nos := shown.nos))
                raise refuse("no-pack", f"no pack writes configurations for `{wanted}`", path=("nos", role.value), hint=f"packs: {known}; or leave `nos` out")
            else:
                self.skipped.append(f"no configurations for the {role} switches: no pack writes {wanted}")
        return found

    def _check_needs(self, role: Role, pack: Pack) -> None:
        """Refuse a model that lacks a fact which the pack's files cannot do without."""
        model = self.plan.request.fronts[role].model
        for need in pack.needs:
            value: Any = model
            for key in need.split("."):
                value = getattr(value, key, None)
            if not value:
                because = (f"the pack `{pack.name}` needs `{need}`, and the catalog does not have it for {model.model}",)
                others = ", ".join(nos for nos in sorted(model.interfaces) if nos != pack.nos and self.packs.for_nos(nos))
                hint = f"use another `nos` ({others}), or add the fact in a catalog file of your own"
                raise refuse("pack-needs-fact", f"{model.model} cannot be configured for `{pack.nos}`", path=("nos", role.value), because=because, hint=hint)

    def switches(self, unit: int, boxes: Sequence[int]) -> Iterator[tuple[str, Role]]:
        """Name the installed switches of a run of a unit's boxes, with their roles."""
        names, every = self.plan.naming.switches(unit), self.plan.naming.boxes
        return ((names[index], every[index].role) for index in boxes if self.plan.installed[index])

    def chunks(self) -> Iterator[Chunk]:
        """Cut the cables into runs, unit by unit."""
        units, name, rows = self.plan.mapping.units, self.plan.spec.name, len(self.plan.unit.kind)
        for unit in range(units):
            for start in range(0, rows, RUN):
                stop = min(start + RUN, rows)
                yield Chunk(name, self.views.cables(unit, start, stop), first=unit == start == 0, last=unit == units - 1 and stop == rows)

    def switch_runs(self) -> Iterator[tuple[int, Sequence[int]]]:
        """Cut the switches into runs of one unit each, so that both many small units and one large one fill every core."""
        units = self.part.units if self.part else range(self.plan.mapping.units)
        boxes = self.part.boxes if self.part else range(len(self.plan.naming.boxes))
        return ((unit, boxes[first : first + SWITCHES]) for unit in units for first in range(0, len(boxes), SWITCHES))

    def host_runs(self) -> Iterator[Sequence[int]]:
        """Cut the hosts into runs."""
        hosts: Sequence[int] = range(len(self.plan.hosts))
        if self.part:
            hosts = sorted({gpu // self.plan.request.host_gpus for gpu in self.part.gpus})
        return (hosts[first : first + HOSTS] for first in range(0, len(hosts), HOSTS))

    def gpus(self, hosts: Sequence[int]) -> Iterator[int]:
        """Count out the GPUs of some hosts."""
        size = self.plan.request.host_gpus
        every = (gpu for host in hosts for gpu in range(host * size, (host + 1) * size))
        return (gpu for gpu in every if self.part is None or gpu in self.part.gpus)
