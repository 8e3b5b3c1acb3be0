"""`diff`: the steps from one plan to another."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from fabricgen.cli.command import Command
from fabricgen.cli.options import (
    FabricArguments,
    catalog_option,
    json_option,
    prices_option,
    templates_option,
)
from fabricgen.cli.output_file import OUTPUT_FILE, force_option, save
from fabricgen.cli.printing import echo, grouped, money, print_result, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from fabricgen.bom.bill import Bom
    from fabricgen.core.diagnostics import Finding
    from fabricgen.lifecycle.change.cable_changes import CableChanges
    from fabricgen.lifecycle.change.device_changes import DeviceChange
    from fabricgen.lifecycle.change.diff import Diff
    from fabricgen.lifecycle.change.network_diff import NetworkDiff
    from fabricgen.lifecycle.change.work_order import WorkStep

SHOWN = 20
"""Steps of each action, and groups of devices, that are printed without --all."""

WORDS = {
    "add": "pull {cable}: {start} - {end}",
    "remove": "remove {cable}: {start} - {end}",
    "move": "move {cable}: from {start} to {end}",
    "unplug": "unplug {cable}: from {start}, leave the end loose",
    "plug": "plug {cable}: the loose end into {end}",
    "relabel": "relabel {start}: {end}",
    "refit": "refit {cable}: {start}, then {end}",
}
"""Action -> its text for a technician."""

MARKDOWN = "### Changes of the fabric: "
MARKDOWN_MARK = re.escape(MARKDOWN)
"""How the Markdown of a diff begins."""


@click.command(cls=Command, examples=("fabricgen diff plan.json fabric.yaml",))
@click.argument(
    "old", type=click.Path(allow_dash=True), help="Inventory or saved plan to start from."
)
@click.argument(
    "new", type=click.Path(allow_dash=True), help="Inventory or saved plan to arrive at."
)
@prices_option
@catalog_option
@templates_option
@click.option("--all", "everything", is_flag=True, help="Print every step and every device.")
@click.option("--exit-code", is_flag=True, help="End with exit code 1 if the two fabrics differ.")
@click.option(
    "--markdown",
    type=OUTPUT_FILE,
    metavar="FILE",
    help="Write the steps and the changes of parts and cost as Markdown, for a pull request.",
)
@force_option
@json_option
def diff(
    old: str,
    new: str,
    prices: str | None,
    markdown: Path | None,
    roots: tuple[Path, ...],
    templates: tuple[Path, ...],
    *,
    everything: bool,
    exit_code: bool,
    as_json: bool,
) -> int:
    """List the steps that turn one fabric into another.

    Steps are listed in working order: new cables first, then the moves one by one, and last the
    cables that are no longer needed. The exit code is 0 also where they differ, unless --exit-code
    is given.
    """
    from fabricgen.lifecycle.change.diff import diff as compare

    older, _ = FabricArguments(old, {}, prices, (), roots, templates).plan()
    newer, inventory = FabricArguments(new, {}, prices, (), roots, templates).plan()
    with inventory.locate_findings():
        found = compare(older, newer)
        differing = [_differing(found)] if exit_code and found.differs else []
        if markdown:
            text = diff_text(found, None if everything else SHOWN)
            save(markdown, _markdown(text), mark=MARKDOWN_MARK)
        if as_json:
            print_result(found, differing)
        else:
            echo(diff_text(found, None if everything else SHOWN))
    return int(bool(differing))


def _differing(found: Diff) -> Finding:
    """Return the finding that two fabrics differ."""
    from fabricgen.core.diagnostics import Finding

    changed = (
        f"parts with another quantity: {grouped(len(found.parts))}",
        f"settings changed: {grouped(len(found.settings))}",
        f"devices added, removed or changed: {grouped(len(found.devices))}",
    )
    names = f"{found.old.spec.name} and {found.new.spec.name}"
    return Finding("fabrics-differ", f"{names} differ: {counts(found)}", because=changed)


def _markdown(text: str) -> str:
    """Return a comment of a pull request: the counts as a heading, the rest as it is printed.

    The fence is longer than any in the text, whose values come from the two inventories.
    """
    title, _, rest = text.partition("\n\n")
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", rest)), default=0))
    body = f"\n{fence}text\n{rest}\n{fence}\n" if rest else ""
    return f"{MARKDOWN}{title}\n{body}"


def diff_text(found: Diff, most: int | None) -> str:
    """Lay out a diff, with at most `most` steps of a kind and groups of devices."""
    parts = [
        [f"{found.old.spec.name} -> {found.new.spec.name}: {counts(found)}"],
        list(_steps(found.steps, most)),
        [_connectivity(found)] if found.steps else [],
        *_networks(found, most),
        _parts(found),
        [
            f"{setting.key}: {_value(setting.was)} -> {_value(setting.now)}"
            for setting in found.settings
        ],
        list(_devices(found.devices, most)),
        []
        if found.measured
        else ["positions and cable lengths are not compared: no `site` describes both rooms"],
    ]
    return "\n\n".join("\n".join(lines) for lines in parts if lines)


def _networks(found: Diff, most: int | None) -> Iterator[list[str]]:
    """Lay out the changes of each network; networks without any are listed together."""
    same = []
    for name, network in found.networks.items():
        if network.differs:
            yield _network(name, network, most)
        else:
            same.append(f"{name}: {counts(network)}")
    yield same


def _network(name: str, network: NetworkDiff, most: int | None) -> list[str]:
    """Lay out the changes of a network: cables, steps, and devices by what happens to them."""
    devices: dict[str, list[str]] = {}
    for device in network.devices:
        devices.setdefault(device.state, []).append(device.name)
    return [
        f"{name}: {counts(network)}",
        *_steps(network.steps, most),
        *([_connectivity(network)] if network.moved or network.removed else []),
        *(f"{state}: {_listed(names)}" for state, names in devices.items()),
    ]


def counts(found: CableChanges) -> str:
    """Return the counts of cables in words."""
    words = [
        (found.moved, "cables moved"),
        (found.added, "added"),
        (found.removed, "removed"),
        (found.kept, "kept"),
    ]
    text = ", ".join(f"{grouped(count)} {verb}" for count, verb in words)
    if found.trunks is None:
        return text
    changes = found.trunks.changes
    counted = (
        (len(changes.added), "added"),
        (len(changes.removed), "removed"),
        (changes.kept, "kept"),
    )
    trunks = ", ".join(f"{grouped(count)} {verb}" for count, verb in counted)
    return f"{text}; trunks: {trunks}"


def _steps(steps: Sequence[WorkStep], most: int | None) -> Iterator[str]:
    """Yield steps with their numbers: the first ones of each action, then the counts."""
    shown: Counter[str] = Counter()
    for number, step in enumerate(steps, start=1):
        shown[step.action] += 1
        if most is None or shown[step.action] <= most:
            line = WORDS[step.action].format(cable=step.cable, start=step.start, end=step.end)
            ports = _listed(step.disconnected)
            yield f"{number:>6}  {line}" + (f" (disconnected meanwhile: {ports})" if ports else "")
    rest = [
        f"{grouped(count - most)} more to {action}"
        for action, count in shown.items()
        if most is not None and count > most
    ]
    if rest:
        yield f"        and {', '.join(rest)}; `--all` shows them"


def _connectivity(found: CableChanges) -> str:
    """Return whether all NIC ports keep a path, as far as the steps were followed."""
    disconnected = list(dict.fromkeys(port for step in found.steps for port in step.disconnected))
    text = (
        f"NIC ports without a path during some step: {_listed(disconnected)}"
        if disconnected
        else "no NIC port loses connectivity at any step"
    )
    if found.trunks and found.trunks.changes.removed:
        text += "; links through trunks that are removed were not followed"
    return text + (
        f"; {grouped(found.unfollowed)} steps were not followed, because there are too many"
        if found.unfollowed
        else ""
    )


def _listed(names: Sequence[str]) -> str:
    """Return the first few names, and the number of the others."""
    few = 4
    return ", ".join(names[:few]) + (
        f" and {grouped(len(names) - few)} more" if len(names) > few else ""
    )


def _parts(found: Diff) -> list[str]:
    """Lay out the parts whose quantity changes, and the cost."""
    lines = [f"cost: {_cost(found.cost_delta, found.boms)}"]
    if found.networks:
        lines.append(f"with all networks: {_cost(found.cluster_cost_delta, found.cluster_boms)}")
    if not found.parts:
        return lines
    rows = [
        [delta.part, grouped(delta.was), grouped(delta.now), f"{delta.now - delta.was:+,}"]
        for delta in found.parts
    ]
    return [table([["parts, with spares", "was", "now", "change"], *rows], right=(1, 2, 3)), *lines]


def _cost(delta: float | None, boms: tuple[Bom, Bom]) -> str:
    """Describe an additional cost, its book, and the parts without a price."""
    unpriced = sorted({part for bom in boms for part in bom.unpriced})
    missing = f"; no price for {', '.join(unpriced)}" if unpriced else ""
    if delta is None:
        return f"unknown{missing}"
    book = boms[1].book
    sign = "+" if delta > 0 else ""
    return f"{book.currency} {sign}{money(delta)} by {book.name}{missing}"


def _value(value: Any) -> str:  # noqa: ANN401 - any value of an inventory
    """Write a value of an inventory, on one line."""
    return "not set" if value is None else "; ".join(str(value).splitlines())


def _devices(devices: Iterable[DeviceChange], most: int | None) -> Iterator[str]:
    """Yield the changes of devices, equal ones in one line."""
    alike: dict[str, list[str]] = {}
    for device in devices:
        alike.setdefault(_changes(device), []).append(device.name)
    for words, names in list(alike.items())[:most]:
        yield (
            f"{names[0] if len(names) == 1 else f'{names[0]} and {grouped(len(names) - 1)} more'}: "
            f"{words}"
        )
    if most is not None and len(alike) > most:
        yield (
            f"and {grouped(sum(map(len, list(alike.values())[most:])))} more devices; `--all` "
            "shows them"
        )


def _changes(device: DeviceChange) -> str:
    """Return the changes of one device, and so of its configuration."""
    if device.state != "changed":
        return f"{device.role} {device.state}"
    counted = Counter(
        change.what
        + (" more" if change.was == "absent" else " less" if change.now == "absent" else "")
        for change in device.changes
    )
    values = {
        change.what: f"{change.what} {change.was or 'none'} -> {change.now or 'none'}"
        for change in device.changes
    }
    return f"{device.role} changed: ".lstrip() + ", ".join(
        values.get(what, what) if count == 1 else f"{count} x {what}"
        for what, count in counted.items()
    )
