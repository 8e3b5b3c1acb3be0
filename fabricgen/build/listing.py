"""Every output with who reads it.

Owns the list of the files that no pack writes; those of packs are told by their pack.yaml.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.build.selection import ELSEWHERE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.job import Job
    from fabricgen.outputs.packs.pack_yaml import Output, Pack
    from fabricgen.outputs.packs.render import Packs


class Listed(NamedTuple):
    """One output: the pack that writes it, empty where none does; the word for `--only` and `outputs`; its path and its reader."""

    pack: str
    group: str
    path: str
    reader: str


OWN = (
    Listed(
        "",
        "",
        "manifest.json",
        "whoever checks that nothing was changed: every file with its SHA-256",
    ),
    Listed(
        "",
        "",
        "plan.json",
        "fabricgen, instead of the inventory; and programs that want the numbers",
    ),
    Listed(
        "",
        "cabling",
        "cabling/cables.schema.json",
        "programs that read cables.csv: what each column means (a Table Schema)",
    ),
    Listed("", "cabling", "cabling/cables.xlsx", "whoever wires, in a spreadsheet"),
    Listed("", "bom", "bom/bom.xlsx", "whoever buys, in a spreadsheet"),
    Listed("", "forwarding", "forwarding/domains.json", "a host's agent: the HB domains in order"),
    Listed(
        "",
        "forwarding",
        "hosts/{host}/forwarding.json",
        "a host's agent: which GPU to hand a packet to for every rail, and its backups",
    ),
    Listed(
        "", "forwarding", "forwarding/{switch}.json", "programs that look into a switch's routes"
    ),
    Listed(
        "",
        "dcim",
        "dcim/point-to-point.xlsx",
        "NVIDIA's Cable Validation Tool: both ends of every link",
    ),
    Listed("", "graph", "graph/fabric.json", "networkx and programs that read node-link data"),
    Listed(
        "",
        "report",
        "report.html",
        "people, in a browser, without a server or a network: everything of the fabric on one page",
    ),
    Listed("", "graph", "graph/fabric.graphml", "yEd, Gephi, Cytoscape and networkx"),
)
"""What is written without a pack."""


def every_output(packs: Packs) -> list[Listed]:
    """List the outputs of every pack, and what no pack writes, sorted by path."""
    found = [pack for pack in map(packs.pack, packs.names()) if pack]
    listed = [row for pack in found for row in (*_rows(pack, list(pack.outputs)), *_mounted(pack))]
    return sorted({*OWN, *listed}, key=lambda row: (row.path, row.pack))


def outputs_of(job: Job) -> list[Listed]:
    """List the outputs that a build calls for, whether it writes them at once or, being long, on request only."""
    own = [row for row in OWN if row.group in ("", *job.groups) and row.group not in job.alone]
    return sorted(
        {*own, *(row for group in job.groups for row in _of_group(job, group))},
        key=lambda row: (row.path, row.pack),
    )


def _of_group(job: Job, group: str) -> Iterator[Listed]:
    """List what the packs of a group write for a plan."""
    if group == "configs":
        for own in job.config_packs.values():
            yield from _rows(
                own, [output for output in own.outputs if job.wants("configs", own.name)]
            )
    if group == "lab" and job.fitting("lab"):
        yield from (row for own in job.config_packs.values() for row in _mounted(own))
    for name in job.packs.names():
        pack = job.packs.pack(name)
        if (
            pack
            and pack.nos is None
            and ELSEWHERE.get(pack.group, pack.group) == group
            and job.wants(group, name)
        ):
            fits = {output for owner, output in job.fitting(pack.group) if owner == name}
            yield from _rows(
                pack,
                [
                    output
                    for output in pack.outputs
                    if output in fits
                    and (group != "configs" or (name, output) in job.subnet_outputs)
                ],
            )


def _mounted(pack: Pack) -> Iterator[Listed]:
    """Tell of the files that are written for the containers of a pack alone."""
    binds = (
        bind for container in pack.containers.values() for bind in container.binds if bind.template
    )
    yield from (
        Listed(pack.name, "lab", bind.file, f"the switch's container in a lab: {bind.at}")
        for bind in binds
    )


def _rows(pack: Pack, outputs: list[Output]) -> Iterator[Listed]:
    """Tell of the outputs of one pack."""
    group = "configs" if pack.nos else ELSEWHERE.get(pack.group, pack.group)
    yield from (Listed(pack.name, group, output.path, output.reader) for output in outputs)
