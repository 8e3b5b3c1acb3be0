"""The group of labs: a script for each GPU, and topologies for engines that run containers.

Owns their tasks, and the reasons for which a lab cannot be written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.analysis.forwarding.direct_gpus import DirectGpus
from fabricgen.analysis.forwarding.gpu_routes import gpu_view, has_hb_addresses
from fabricgen.build.context import per_build
from fabricgen.build.network_tasks import OfNetwork
from fabricgen.build.pack_outputs import config_packs, fitting_outputs
from fabricgen.build.runs import gpus_of, host_runs, installed_switches, switch_runs
from fabricgen.build.selection import Skipped
from fabricgen.build.task import OneFile
from fabricgen.build.write.files import Root, write_text
from fabricgen.outputs.lab_topologies.build import Topologies

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.analysis.forwarding.gpu_routes import GpuView
    from fabricgen.build.context import BuildContext
    from fabricgen.build.task import BuildTask
    from fabricgen.build.write.manifest import Written
    from fabricgen.outputs.packs.pack_output import PackOutput


def tasks(context: BuildContext) -> Iterator[BuildTask | Skipped]:
    """List the tasks of the lab, where it can be written."""
    fabric, outputs = context.plan.fabric, fitting_outputs(context, "lab")
    if over := context.selection.over("lab", fabric.gpus):
        yield over
    elif not outputs:
        yield from _impossible(context, "on InfiniBand nothing routes by IP")
    elif not has_hb_addresses(fabric.domain_gpus):
        why = "an HB domain has more GPUs than the addresses that are reserved for tests"
        yield from _impossible(context, why)
    else:
        for pack, output in outputs:
            if output.each == "gpu":
                yield from (GpuScripts(run, pack, output) for run in host_runs(context))
        if context.scope is None:
            yield from _topologies(context, outputs)


def _beside(context: BuildContext) -> Iterator[BuildTask | Skipped]:
    """List the files of the containers of networks, and the networks that no container runs."""
    for name in context.plan.switched:
        own = context.networks[name]
        if gap := topologies(own).gap():
            yield Skipped(f"lab/ has no containers of {name}: {gap}")
        else:
            yield from (
                OfNetwork(name, ContainerFiles(segment, boxes))
                for segment, boxes in switch_runs(own)
            )


def _impossible(context: BuildContext, why: str) -> Iterator[Skipped]:
    """Skip the lab, and report that only where it was requested by name."""
    if "lab" in context.selection.named:
        yield Skipped(f"lab/: {why}")


def _topologies(
    context: BuildContext, outputs: list[tuple[str, PackOutput]]
) -> Iterator[BuildTask | Skipped]:
    """List the topologies of a lab in containers, and the files of its containers alone."""
    if gap := topologies(context).gap():
        yield Skipped(f"lab topologies: {gap}")
        return
    yield from _beside(context)
    yield from (ContainerFiles(segment, boxes) for segment, boxes in switch_runs(context))
    nodes = topologies(context).size
    for pack, output in outputs:
        if output.each == "device" and topologies(context).devices:
            yield DeviceScripts(pack, output)
        if output.each not in ("lab", "node"):
            continue
        if output.most_lines and nodes > output.most_lines:
            why = f"{nodes:,} nodes are more than the {output.most_lines:,} that its reader takes"
            yield Skipped(f"{output.path}: {why}")
        else:
            yield Topology(output.path, pack, output.template, each_node=output.each == "node")


@per_build
def topologies(context: BuildContext) -> Topologies:
    """Return the maker of the topologies."""
    networks = [topologies(context.networks[name]) for name in context.plan.switched]
    beside = [own for own in networks if own.gap() is None]
    return Topologies(context.views, context.packs, config_packs(context), context.texts, beside)


@per_build
def _direct_gpus(context: BuildContext) -> DirectGpus:
    """Return what makes the views of the GPUs of direct rails."""
    return DirectGpus(context.plan)


def _gpu_view(context: BuildContext, gpu: int) -> GpuView:
    """Return the view of a GPU as a router."""
    direct = context.plan.mapping.topology
    return _direct_gpus(context).view(gpu) if direct else gpu_view(context.tables.ends, gpu)


@dataclass(frozen=True)
class GpuScripts:
    """The scripts of the GPUs of a run of hosts."""

    run: Sequence[int]
    pack: str
    output: PackOutput

    def paths(self, context: BuildContext) -> Iterator[str]:
        """List a file for each GPU."""
        return (
            self.output.path.format(gpu=context.plan.fabric.coordinates.name(gpu))
            for gpu in gpus_of(context, self.run)
        )

    def prepare(self, context: BuildContext) -> None:
        """Make what all GPUs share."""
        if not context.plan.mapping.topology:
            context.tables.prepare()

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render them."""
        for gpu in gpus_of(context, self.run):
            view = _gpu_view(context, gpu)
            text = context.packs.render(self.pack, self.output.template, gpu=view)
            path = self.output.path.format(gpu=view.name)
            context.texts.keep(path, text)
            yield write_text(root, path, text, self.output.bits)


@dataclass(frozen=True)
class DeviceScripts:
    """The scripts of the hosts and devices of networks."""

    pack: str
    output: PackOutput

    def paths(self, context: BuildContext) -> Iterator[str]:
        """List a file for each host and device."""
        devices = topologies(context).devices
        return (self.output.path.format(device=device.name) for device in devices)

    def prepare(self, context: BuildContext) -> None:
        """Make the views."""
        _ = topologies(context).devices

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render them."""
        for device in topologies(context).devices:
            text = context.packs.render(self.pack, self.output.template, device=device)
            path = self.output.path.format(device=device.name)
            context.texts.keep(path, text)
            yield write_text(root, path, text, self.output.bits)


@dataclass(frozen=True)
class ContainerFiles:
    """The files of a run of switches that only their containers need."""

    segment: int
    boxes: Sequence[int]

    def paths(self, context: BuildContext) -> Iterator[str]:
        """List them."""
        return topologies(context).extra_paths(
            self.segment, installed_switches(context, self.segment, self.boxes)
        )

    def prepare(self, context: BuildContext) -> None:
        """Make what all segments share."""
        context.views.prepare()

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render them."""
        return (
            write_text(root, path, text)
            for path, text in topologies(context).extra_files(self.segment, self.boxes)
        )


@dataclass(frozen=True)
class Topology(OneFile):
    """One file over the whole lab, rendered at once or node by node."""

    pack: str
    template: str
    each_node: bool

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render it."""
        view = topologies(context).view
        if self.each_node:
            texts = (
                context.packs.render(self.pack, self.template, lab=view, node=node)
                for node in topologies(context).filled()
            )
        else:
            texts = (context.packs.render(self.pack, self.template, lab=view) for _ in range(1))
        yield write_text(root, self.path, texts)
