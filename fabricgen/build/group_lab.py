"""The group of labs: a script for each GPU, and topologies for engines that run containers.

Owns their tasks, and where a lab cannot be written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.analysis.forwarding.gpu_routes import gpu_view, has_hb_addresses
from fabricgen.build.task import OneFile
from fabricgen.build.write.files import Root, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.build.context import BuildContext, Task
    from fabricgen.build.write.manifest import Written
    from fabricgen.outputs.packs.pack_yaml import Output

LAB_GPUS = 1024
"""Above so many GPUs a lab is written on request only."""


def lab(sources: BuildContext) -> Iterator[Task]:
    """List the scripts of a lab's GPUs and its topologies, where they can be written and are not too many to be written unasked."""
    fabric, named, outputs = sources.plan.fabric, "lab" in sources.named, sources.fitting("lab")
    if fabric.gpus > LAB_GPUS and not named:
        sources.skipped.append(
            f"lab/: {fabric.gpus:,} GPUs are more than {LAB_GPUS:,}; `--only lab` writes it all the same"
        )
    elif not outputs or not has_hb_addresses(fabric.domain_gpus):
        why = (
            "on InfiniBand nothing routes by IP"
            if not outputs
            else "an HB domain has more GPUs than the addresses that are set aside for tests"
        )
        sources.skipped.extend([f"lab/: {why}"] if named else [])
    else:
        scripts = [(pack, output) for pack, output in outputs if output.each == "gpu"]
        yield from (
            GpuScripts(run, pack, output) for pack, output in scripts for run in sources.host_runs()
        )
        yield from () if sources.part else _topologies(sources, outputs)


def _topologies(sources: BuildContext, outputs: list[tuple[str, Output]]) -> Iterator[Task]:
    """List the topologies of a lab in containers and the files that switches have there alone, where every switch has a container."""
    if gap := sources.topologies.gap():
        sources.skipped.append(f"lab topologies: {gap}")
        return
    yield from (ContainerFiles(segment, boxes) for segment, boxes in sources.switch_runs())
    yield from (
        Topology(output.path, pack, output.template, each_node=output.each == "node")
        for pack, output in outputs
        if output.each in ("lab", "node")
    )


@dataclass(frozen=True)
class GpuScripts:
    """The scripts of the GPUs of a run of hosts."""

    run: Sequence[int]
    pack: str
    output: Output

    def paths(self, sources: BuildContext) -> Iterator[str]:
        """List a file for each GPU."""
        return (
            self.output.path.format(gpu=sources.tables.ends.gpu(gpu))
            for gpu in sources.gpus(self.run)
        )

    def prepare(self, sources: BuildContext) -> None:
        """Work out what all GPUs share."""
        sources.tables.prepare()

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Render them."""
        for gpu in sources.gpus(self.run):
            view = gpu_view(sources.tables.ends, gpu)
            text = sources.packs.render(self.pack, self.output.template, gpu=view)
            yield write_text(root, self.output.path.format(gpu=view.name), [text], self.output.bits)


@dataclass(frozen=True)
class ContainerFiles:
    """The files that a run of switches has in its containers alone."""

    segment: int
    boxes: Sequence[int]

    def paths(self, sources: BuildContext) -> Iterator[str]:
        """List them."""
        return sources.topologies.extra_paths(
            self.segment, sources.switches(self.segment, self.boxes)
        )

    def prepare(self, sources: BuildContext) -> None:
        """Work out what all segments share."""
        sources.views.prepare()

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Render them."""
        return (
            write_text(root, path, [text])
            for path, text in sources.topologies.extra_files(self.segment, self.boxes)
        )


@dataclass(frozen=True)
class Topology(OneFile):
    """One file over the whole lab, rendered at once or node by node."""

    pack: str
    template: str
    each_node: bool

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Render it."""
        view = sources.topologies.view
        if self.each_node:
            texts = (
                sources.packs.render(self.pack, self.template, lab=view, node=node)
                for node in sources.topologies.filled()
            )
        else:
            texts = (sources.packs.render(self.pack, self.template, lab=view) for _ in range(1))
        yield write_text(root, self.path, texts)
