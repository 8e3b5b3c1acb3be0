"""Everything that a plan is rendered into, group by group, and written at once.

Owns the list of artefact groups, what each holds, and the work of filling them: configurations unit by unit and tables in runs of rows,
on every core, so that memory stays level whatever the size. Contents come from packs, workbook and graph; files go through `writing`.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

from fabricgen.bom import make_bom
from fabricgen.diagnostics import refuse
from fabricgen.forwarding.routes import gpu_view, has_hb_addresses
from fabricgen.forwarding.tables import Tables, document_text, host_table, switch_table
from fabricgen.hosting import Hosts
from fabricgen.summary import Comparison, compare, summarize
from fabricgen.tabulating import bom_view, comparison_view
from fabricgen.terms import Role
from fabricgen.topologies import Topologies
from fabricgen.viewing import Views
from fabricgen.views import Chunk
from fabricgen.writing import Written, adopt, json_document, reserve, staging, write_manifest, write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fabricgen.bom import Bom
    from fabricgen.packs import Output, Pack, Packs
    from fabricgen.planner import Plan
    from fabricgen.views import CableView

Group = Literal["cabling", "bom", "configs", "hosts", "forwarding", "graph", "lab"]
GROUPS: tuple[Group, ...] = get_args(Group)

WORKBOOK_CABLES, GRAPH_LINKS = 100_000, 100_000
"""Above this many rows a workbook takes ten seconds to write and as long to open, and a graph file more; both are then written on request only."""

HOST_PORTS = 32_768
"""Above this many NIC ports the files of the hosts are more than those of all switches; they are then written on request only."""

TABLE_ENTRIES, LAB_GPUS = 500_000, 1024
"""Above so many exits and landings the forwarding tables, and above so many GPUs the scripts of a lab, are written on request only."""

RUN, SWITCHES, HOSTS = 8192, 128, 64
"""Rows of a table that are rendered at once, and switches and hosts that one task configures."""

SERIAL_LINKS = 20_000
"""Below this a second process costs more than it brings."""


@dataclass(frozen=True)
class Job:
    """One build: a plan, its packs, and the groups asked for. `named` are the groups that the caller named rather than took by default."""

    plan: Plan
    packs: Packs
    groups: tuple[Group, ...] = GROUPS
    named: frozenset[str] = frozenset()
    skipped: list[str] = field(default_factory=list)
    """What the job leaves out, in a sentence each; filled while the job is laid out."""

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
    def host_outputs(self) -> list[tuple[str, Output]]:
        """What is written for each host and NIC of this fabric, with the name of its pack."""
        return self._fitting("hosts")

    def _fitting(self, group: Group) -> list[tuple[str, Output]]:
        """List what the packs of a group write for hosts, NICs or GPUs that are linked as these are, with the name of the pack."""
        links, transport = self.plan.spec.addressing.host_links, self.plan.request.fronts[Role.LEAF].model.transport
        outputs = ((pack.name, output) for pack in self.packs.group(group) for output in pack.outputs)
        return [(name, output) for name, output in outputs if output.transport in (None, transport) and output.host_links in (None, links)]

    @cached_property
    def tables(self) -> Tables:
        """The forwarding tables of the plan."""
        return Tables(self.plan)

    @cached_property
    def topologies(self) -> Topologies:
        """The lab of the plan."""
        return Topologies(self.plan, self.packs, self.config_packs)

    @cached_property
    def config_packs(self) -> dict[Role, Pack]:
        """The pack of each role's NOS. Raises Refusal where the inventory names a NOS without one, or the model lacks what the pack needs."""
        found: dict[Role, Pack] = {}
        for role in self.plan.roles:
            front = self.plan.request.fronts[role]
            pack = self.packs.for_nos(front.nos)
            if pack:
                self._check_needs(role, pack)
                found[role] = pack
            elif getattr(self.plan.spec.nos, role):
                known = ", ".join(nos for name in self.packs.names() if (shown := self.packs.pack(name)) and (nos := shown.nos))
                raise refuse(
                    "no-pack", f"no pack writes configurations for `{front.nos}`", path=("nos", role.value), hint=f"packs: {known}; or leave `nos` out"
                )
            else:
                self.skipped.append(f"no configurations for the {role} switches: no pack writes {front.nos}")
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

    @cached_property
    def tasks(self) -> list[Task]:
        """The work of this job, in an order that is the same on any machine."""
        tasks: list[Task] = []
        if "cabling" in self.groups:
            tasks += self._documents("cabling")
            if self.plan.cables <= WORKBOOK_CABLES or "workbook" in self.named:
                tasks.append(Task("workbook", "cabling/cables.xlsx"))
            else:
                self.skipped.append(f"cables.xlsx: {self.plan.cables:,} rows are more than {WORKBOOK_CABLES:,}; `--only workbook` writes it all the same")
        if "bom" in self.groups:
            tasks += [*self._documents("bom"), Task("bom-workbook", "bom/bom.xlsx")]
        if "graph" in self.groups:
            tasks += self._documents("graph")
            if self.plan.links <= GRAPH_LINKS or "graph" in self.named:
                tasks.append(Task("graph", "graph/fabric.json"))
            else:
                self.skipped.append(
                    f"fabric.json and fabric.graphml: {self.plan.links:,} links are more than {GRAPH_LINKS:,}; `--only graph` writes them all the same"
                )
        if "configs" in self.groups and self.config_packs:
            tasks += self._config_tasks()
        if "hosts" in self.groups:
            tasks += self._host_tasks()
        if "forwarding" in self.groups:
            tasks += self._table_tasks()
        if "lab" in self.groups:
            tasks += self._lab_tasks()
        return tasks

    def _table_tasks(self) -> Iterator[Task]:
        """Cut the forwarding tables into those of runs of hosts and of switches, unless they are too long to be written unasked."""
        if self.tables.entries <= TABLE_ENTRIES or "forwarding" in self.named:
            yield Task("domain-table", "forwarding/domains.json")
            yield from (Task("host-tables", hosts=hosts) for hosts in self._host_runs())
            yield from (replace(task, kind="switch-tables") for task in self._config_tasks())
        else:
            why = f"{self.tables.entries:,} entries are more than {TABLE_ENTRIES:,}"
            self.skipped.append(f"forwarding tables: {why}; `--only forwarding` writes them all the same")

    def _lab_tasks(self) -> Iterator[Task]:
        """List the scripts of a lab's GPUs and its topologies, where they can be written and are not too many to be written unasked."""
        request, named, outputs = self.plan.request, "lab" in self.named, self._fitting("lab")
        if request.gpus > LAB_GPUS and not named:
            self.skipped.append(f"lab/: {request.gpus:,} GPUs are more than {LAB_GPUS:,}; `--only lab` writes their scripts all the same")
        elif not outputs or not has_hb_addresses(request.domain_gpus):
            why = "on InfiniBand nothing routes by IP" if not outputs else "an HB domain has more GPUs than the addresses that are set aside for tests"
            self.skipped.extend([f"lab/: {why}"] if named else [])
        else:
            for pack, output in outputs:
                if output.each == "gpu":
                    yield from (Task(output.each, output.path, pack, output.template, hosts=hosts, bits=output.bits) for hosts in self._host_runs())
            yield from self._topology_tasks(outputs)

    def _topology_tasks(self, outputs: list[tuple[str, Output]]) -> Iterator[Task]:
        """List the topologies of a lab in containers and the files that switches have there alone, where every switch has a container."""
        if gap := self.topologies.gap():
            self.skipped.append(f"lab topologies: {gap}")
            return
        yield from (replace(task, kind="lab-files") for task in self._config_tasks())
        yield from (Task(output.each, output.path, pack, output.template) for pack, output in outputs if output.each in ("lab", "node"))

    def _host_runs(self) -> Iterator[range]:
        """Cut the hosts into runs."""
        count = len(self.plan.hosts)
        return (range(first, min(first + HOSTS, count)) for first in range(0, count, HOSTS))

    def _host_tasks(self) -> Iterator[Task]:
        """Cut the hosts into runs, unless they are too many to be written unasked."""
        ports = len(self.plan.hosts) * len(self.hosts.ports)
        if ports <= HOST_PORTS or "hosts" in self.named:
            yield from (Task("hosts", hosts=hosts) for hosts in self._host_runs())
        else:
            self.skipped.append(f"hosts/: {ports:,} NIC ports are more than {HOST_PORTS:,}; `--only hosts` writes their files all the same")

    def _config_tasks(self) -> Iterator[Task]:
        """Cut the switches into runs of one unit each, so that both many small units and one large one fill every core."""
        boxes = len(self.plan.naming.boxes)
        for unit in range(self.plan.mapping.units):
            yield from (Task("configs", unit=unit, boxes=range(first, min(first + SWITCHES, boxes))) for first in range(0, boxes, SWITCHES))

    def _documents(self, group: Group) -> Iterator[Task]:
        """List the files of the document packs of a group."""
        for pack in self.packs.group(group):
            for output in pack.outputs:
                yield Task(output.each, output.path, pack=pack.name, template=output.template)

    def paths(self) -> Iterator[str]:
        """List every file of the job without making any."""
        yield from ("manifest.json", "plan.json")
        for task in self.tasks:
            if task.kind == "configs":
                yield from (path for name, role in self._names(task) for path in self._config_paths(name, role))
            elif task.kind == "hosts":
                yield from (path for host in task.hosts for path in self._host_paths(self.plan.hosts[host]))
            elif task.kind == "host-tables":
                yield from (host_table(self.plan.hosts[host]) for host in task.hosts)
            elif task.kind == "switch-tables":
                yield from (switch_table(name) for name, _ in self._names(task))
            elif task.kind == "lab-files":
                yield from self.topologies.extra_paths(self._names(task))
            elif task.kind == "gpu":
                yield from (task.path.format(gpu=self.tables.ends.gpu(gpu)) for gpu in self._gpus(task))
            else:
                yield task.path
                if task.kind == "graph":
                    yield "graph/fabric.graphml"

    def _names(self, task: Task) -> Iterator[tuple[str, Role]]:
        """Name the installed switches of a run, with their roles."""
        names, boxes = self.plan.naming.switches(task.unit), self.plan.naming.boxes
        return ((names[index], boxes[index].role) for index in task.boxes if self.plan.installed[index])

    def _config_paths(self, switch: str, role: Role) -> Iterator[str]:
        """List the files of one switch."""
        for output in self._outputs(role):
            yield output.path.format(switch=switch)

    def _host_paths(self, host: str) -> Iterator[str]:
        """List the files of one host."""
        for _, output in self.host_outputs:
            names = [interface for _, _, interface in self.hosts.ports] if output.each == "nic" else [""]
            yield from (output.path.format(host=host, interface=name) for name in names)

    def _outputs(self, role: Role) -> list[Output]:
        """List what the pack of a role writes."""
        pack = self.config_packs.get(role)
        return [output for output in pack.outputs if role in output.roles] if pack else []

    def run(self, task: Task, root: Path) -> list[Written]:
        """Do one task below `root`."""
        if task.kind == "configs":
            return list(self._configs(task, root))
        if task.kind == "hosts":
            return list(self._host_files(task, root))
        if task.kind in ("domain-table", "host-tables", "switch-tables"):
            return [write_text(root, path, [document_text(document)]) for path, document in self._tables(task)]
        if task.kind in ("gpu", "lab-files", "lab", "node"):
            return list(self._lab_files(task, root))
        if task.kind == "cables":
            return [write_text(root, task.path, self._table(task))]
        if task.kind in ("workbook", "bom-workbook"):
            return [self._workbook(task, root)]
        if task.kind == "graph":
            return self._graph(root)
        view = {"bom": bom_view(self.bom, self.plan)} if task.kind == "bom" else {"comparison": comparison_view(self.comparison)}
        return [write_text(root, task.path, [self.packs.render(task.pack, task.template, **view)])]

    def _configs(self, task: Task, root: Path) -> Iterator[Written]:
        """Render the configurations of a run of switches."""
        for switch in self.views.switches(task.unit, tuple(self.config_packs), task.boxes):
            role = Role(switch.role)
            for output in self._outputs(role):
                text = self.packs.render(self.config_packs[role].name, output.template, switch=switch)
                yield write_text(root, output.path.format(switch=switch.name), [text])

    def _host_files(self, task: Task, root: Path) -> Iterator[Written]:
        """Render the files of a run of hosts."""
        for host in self.hosts.views(task.hosts):
            for pack, output in self.host_outputs:
                for nic in host.nics if output.each == "nic" else [None]:
                    text = self.packs.render(pack, output.template, host=host, nic=nic)
                    path = output.path.format(host=host.name, interface=nic.interface if nic else "")
                    yield write_text(root, path, [text], output.bits)

    def _tables(self, task: Task) -> Iterator[tuple[str, dict[str, Any]]]:
        """Make the forwarding tables of a task, with their paths."""
        if task.kind == "domain-table":
            yield task.path, self.tables.domains()
        elif task.kind == "host-tables":
            yield from ((host_table(self.plan.hosts[host]), self.tables.host(host)) for host in task.hosts)
        else:
            yield from ((switch_table(name), document) for name, document in self.tables.switches(task.unit, task.boxes))

    def _gpu_files(self, task: Task, root: Path) -> Iterator[Written]:
        """Render a file for each GPU of a run of hosts."""
        for gpu in self._gpus(task):
            view = gpu_view(self.tables.ends, gpu)
            yield write_text(root, task.path.format(gpu=view.name), [self.packs.render(task.pack, task.template, gpu=view)], task.bits)

    def _lab_files(self, task: Task, root: Path) -> Iterator[Written]:
        """Render the scripts of a run of GPUs, what a run of switches has in its containers alone, a topology, or one file over all nodes."""
        if task.kind == "gpu":
            yield from self._gpu_files(task, root)
        elif task.kind == "lab-files":
            yield from (write_text(root, path, [text]) for path, text in self.topologies.extra_files(task.unit, task.boxes))
        elif task.kind == "lab":
            yield write_text(root, task.path, [self.packs.render(task.pack, task.template, lab=self.topologies.view)])
        else:
            rendered = (self.packs.render(task.pack, task.template, lab=self.topologies.view, node=node) for node in self.topologies.filled())
            yield write_text(root, task.path, rendered)

    def _gpus(self, task: Task) -> range:
        """Count out the GPUs of a run of hosts."""
        gpus = self.plan.request.host_gpus
        return range(task.hosts.start * gpus, task.hosts.stop * gpus)

    def chunks(self) -> Iterator[Chunk]:
        """Cut the cables into runs, unit by unit."""
        units, name, rows = self.plan.mapping.units, self.plan.spec.name, len(self.plan.unit.kind)
        for unit in range(units):
            for start in range(0, rows, RUN):
                stop = min(start + RUN, rows)
                yield Chunk(name, self.views.cables(unit, start, stop), first=unit == start == 0, last=unit == units - 1 and stop == rows)

    def _rows(self) -> Iterator[list[CableView]]:
        """Return the rows of every run."""
        return (chunk.rows for chunk in self.chunks())

    def _table(self, task: Task) -> Iterator[str]:
        """Render a table of cables run by run."""
        return (self.packs.render(task.pack, task.template, chunk=chunk) for chunk in self.chunks())

    def _workbook(self, task: Task, root: Path) -> Written:
        """Write a workbook."""
        from fabricgen.workbook import write_bom, write_cables  # noqa: PLC0415 - XlsxWriter costs 0.1 s, and most builds of one group need none

        target = reserve(root, task.path)
        if task.kind == "workbook":
            write_cables(target, self.plan.spec.name, self._rows(), self.plan.cables)
        else:
            write_bom(target, bom_view(self.bom, self.plan), comparison_view(self.comparison))
        return adopt(root, task.path)

    def _graph(self, root: Path) -> list[Written]:
        """Write the graph in both forms."""
        from fabricgen.graph import graph, graphml, node_link  # noqa: PLC0415 - networkx costs 0.2 s

        made = graph(self.plan)
        return [write_text(root, "graph/fabric.json", [node_link(made)]), write_text(root, "graph/fabric.graphml", [graphml(made)])]


@dataclass(frozen=True)
class Task:
    """One piece of a job: a file, or the files of a run of one unit's switches or of a run of hosts."""

    kind: str
    path: str = ""
    pack: str = ""
    template: str = ""
    unit: int = 0
    boxes: range = range(0)
    hosts: range = range(0)
    bits: int | None = None


def build(job: Job, out: Path, advance: Callable[[int, int], None] | None = None) -> list[Written]:
    """Write everything a job holds to OUT, which is replaced whole or not at all; return the files, sorted by path.

    `advance(done, total)` is told of each task. Raises Refusal where something cannot be rendered or written.
    """
    tasks = job.tasks
    with staging(out) as root:
        summary = summarize(job.plan, job.bom)
        document = job.plan.document(summary)
        files = [write_text(root, "plan.json", [json_document(document)])]
        for done, written in enumerate(_work(job, tasks, root), start=1):
            files += written
            if advance:
                advance(done, len(tasks))
        _refuse_twice(files)
        write_manifest(root, files, document["inventory"], sorted(job.groups))
    return sorted(files)


def _refuse_twice(files: list[Written]) -> None:
    """Refuse packs that write one path twice; the second would have replaced the first unseen."""
    seen: set[str] = set()
    for file in files:
        if file.path in seen:
            raise refuse("path-twice", f"two outputs are written to `{file.path}`", hint="put `{switch}` into the `path` of the pack.yaml, or rename one")
        seen.add(file.path)


_shared: list[tuple[Job, Path]] = []
"""The job of this process's workers; a forked worker finds it here instead of unpickling a plan."""


def _work(job: Job, tasks: list[Task], root: Path) -> Iterator[list[Written]]:
    """Do the tasks, on every core where it pays; the results come in the order of the tasks."""
    workers = min(os.cpu_count() or 1, len(tasks))
    if job.plan.links < SERIAL_LINKS or workers < 2 or "fork" not in multiprocessing.get_all_start_methods():  # noqa: PLR2004 - two make a crowd
        yield from (job.run(task, root) for task in tasks)
        return
    _prepare(job, tasks)
    _shared.append((job, root))
    try:
        with ProcessPoolExecutor(workers, multiprocessing.get_context("fork"), initializer=_start_worker) as pool:
            yield from pool.map(_run_shared, tasks)
    finally:
        _shared.pop()


def _prepare(job: Job, tasks: list[Task]) -> None:
    """Work out, before the fork, what every worker would work out again."""
    job.views.prepare()
    if any(task.kind == "hosts" for task in tasks):
        job.hosts.prepare()
    if any(task.kind in ("host-tables", "switch-tables", "gpu") for task in tasks):
        job.tables.prepare()
    if any(task.kind in ("bom", "bom-workbook") for task in tasks):
        _ = job.bom
    if any(task.kind in ("comparison", "bom-workbook") for task in tasks):
        _ = job.comparison


def _start_worker() -> None:
    """Keep the garbage collector from walking the plan again and again; views are freed by reference counts."""
    gc.freeze()
    gc.set_threshold(100_000, 50, 1000)


def _run_shared(task: Task) -> list[Written]:
    """Do one task of the shared job."""
    job, root = _shared[-1]
    return job.run(task, root)
