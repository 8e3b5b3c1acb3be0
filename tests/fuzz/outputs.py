"""The files of a build, read back and counted against the plan."""

from __future__ import annotations

import csv
import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def count_faults(out: Path, summary: dict[str, Any]) -> Iterator[str]:
    """List what in OUT does not agree with the summary of `plan --json`."""
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    yield from manifest_faults(out, manifest["files"])
    if "cabling" in manifest["groups"]:
        yield from _cable_faults(out / "cabling", summary)
    if "graph" in manifest["groups"] and (out / "graph/fabric.json").exists():
        yield from _graph_faults(out / "graph/fabric.json", summary)
    if "bom" in manifest["groups"]:
        yield from _bill_faults(out / "bom/bom.csv", summary)
    configured = {path.name for path in (out / "configs").glob("*/")}
    if len(configured) > (most := _of_cluster(summary, "switches")):
        yield f"{len(configured)} switches are configured, and the plan has {most}"


def manifest_faults(out: Path, files: dict[str, str]) -> Iterator[str]:
    """Every file is in the manifest, unchanged."""
    found = {path.relative_to(out).as_posix(): path for path in out.rglob("*") if path.is_file()}
    found.pop("manifest.json")
    if sorted(found) != sorted(files):
        yield "the manifest names other files than there are"
    wrong = [
        name
        for name, path in found.items()
        if hashlib.sha256(path.read_bytes()).hexdigest() != files.get(name)
    ]
    if wrong:
        yield f"the manifest is wrong about {wrong[0]}"


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _of_cluster(summary: dict[str, Any], what: str) -> int:
    """Return how many of something the compute fabric and all networks have."""
    every = [summary[what], *(network[what] for network in summary.get("networks", {}).values())]
    return sum(own if isinstance(own, int) else own["total"] for own in every)


def _cable_faults(folder: Path, summary: dict[str, Any]) -> Iterator[str]:
    """Cables by their rows, links by their labels and ends."""
    cables = _rows(folder / "cables.csv")
    if len(cables) != (planned := _of_cluster(summary, "cables")):
        yield f"cables.csv has {len(cables)} rows, and the plan {planned} cables"
    rows = _rows(folder / "links.csv") if (folder / "links.csv").exists() else cables
    links = {ends for row in rows for ends in _links(row)}
    if len(links) != (planned := _of_cluster(summary, "links")):
        yield f"cables join {len(links)} pairs of ports, and the plan has {planned} links"
    if len({row["cable"] for row in rows}) != len(rows):
        yield "two links have one label"
    ends = [end for row in links for end in (row[:2], row[2:])]
    if len(set(ends)) != len(ends):
        yield "two links share a port"


def _links(row: dict[str, str]) -> Iterator[tuple[str, ...]]:
    """Yield the ends of the links of a cable, which has several at a split cage."""
    names = "a_device", "a_interface", "b_device", "b_interface"
    columns = [row[name].split(" ") for name in names]
    most = max(map(len, columns))
    yield from zip(*(column * (most // len(column)) for column in columns), strict=True)


def _graph_faults(path: Path, summary: dict[str, Any]) -> Iterator[str]:
    """Links of the graph between NICs and switches, and switches."""
    graph = json.loads(path.read_text(encoding="utf-8"))
    switches = len({node["switch"] for node in graph["nodes"] if "switch" in node})
    if switches != (planned := _of_cluster(summary, "switches")):
        yield f"the graph has {switches} switches, and the plan {planned}"


def _bill_faults(path: Path, summary: dict[str, Any]) -> Iterator[str]:
    """Switches and cables of the bill are those of the plan."""
    rows = [row for row in _rows(path) if row.get("row", "part") == "part"]
    for kind, total in (
        ("switch", _of_cluster(summary, "switches")),
        ("cable", _of_cluster(summary, "cables")),
    ):
        counted = sum(int(row["quantity"]) for row in rows if row["class"].startswith(kind))
        if counted != total:
            yield f"the bill has {counted} of class {kind}, and the plan {total}"
