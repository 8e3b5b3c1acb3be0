"""The hardware of structured cabling: panels and cassettes, trunks, and jumpers.

Owns `PanelParts` and `ChannelParts`, and the refusals of parts that the catalog lacks or that do
not fit each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.diagnostics import refuse, suggest
from fabricgen.planning.cabling.compatibility import FIBRES
from fabricgen.planning.channels.polarity import ChannelPath

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.optics import Cable
    from fabricgen.catalog.models.patch import Cassette, Connector, PatchPanel, Trunk
    from fabricgen.core.diagnostics import Path
    from fabricgen.inventory.cabling import Cabling, Panels
    from fabricgen.planning.cabling.compatibility import LinkParts


class PanelParts(NamedTuple):
    """The parts of an entry of `cabling.panels`, and the ports of one panel."""

    entry: int
    asked: Panels
    panel: PatchPanel
    cassette: Cassette
    front: Connector
    rear: Connector

    @property
    def ports(self) -> int:
        """The ports of a panel's front that are used."""
        return self.rear_ports * self.cassette.fanout

    @property
    def rear_ports(self) -> int:
        """The ports of a panel's rear that are used."""
        whole = self.panel.slots * self.cassette.front_ports
        return min(self.asked.ports or whole, whole) // self.cassette.fanout

    @property
    def facts(self) -> tuple[str, str, int]:
        """The models of panel and cassette, and the ports: what an installed panel keeps."""
        return self.panel.model, self.cassette.model, self.ports

    @property
    def cassettes(self) -> int:
        """The cassettes of a panel."""
        return -(-self.ports // self.cassette.front_ports)


class ChannelParts(NamedTuple):
    """The parts of the channels of one candidate of a kind of link."""

    joint: LinkParts
    trunk: Trunk
    fibres: int
    splices: int
    """The splices of each fibre of the trunk."""
    cassette: Cassette
    front: Connector
    rear: Connector
    lower: Cable
    upper: Cable
    path: ChannelPath
    """The way of its fibres, from the lower end."""

    @property
    def legs(self) -> int:
        """The connectors at one end of a trunk."""
        return self.fibres // self.rear.positions

    @property
    def pins(self) -> bool:
        """Whether the plugs of the trunk have pins, because what they mate with has none.

        Jumpers have none; a cassette states its own.
        """
        mate = self.cassette.rear_pins if not self.cassette.is_adapter else False
        return self.rear.pins and not mate


def panel_parts(cabling: Cabling, catalog: Catalog) -> list[PanelParts]:
    """Find the parts of each entry of `cabling.panels`. Raises Refusal."""
    return [_entry(cabling, number, catalog) for number in range(len(cabling.panels))]


def _entry(cabling: Cabling, number: int, catalog: Catalog) -> PanelParts:
    """Find the parts of one entry."""
    asked, path = cabling.panels[number], ("cabling", "panels", number)
    panel = catalog.panel(asked.panel)
    if panel is None:
        raise _unknown(asked.panel, catalog.names("panels"), (*path, "panel"))
    plugs = {each.name: each for each in catalog.connectors()}
    front = next(each for each in plugs.values() if each.model == asked.connector)
    wanted = catalog.connector(cabling.trunks.connector or "")
    cassette = _cassette(catalog, asked, front, wanted, path)
    rear = plugs.get(cassette.rear)
    if (
        rear is None
        or cassette.front != front.name
        or (wanted and rear != wanted)
        or cassette.fanout * front.positions != rear.positions
    ):
        raise refuse(
            "panel-does-not-fit",
            f"the cassette {cassette.model} does not join the panel's front to the trunks",
            path=(*path, "cassette"),
            because=(
                f"it has {cassette.front} in front and {cassette.rear} behind",
                f"jumpers have {front.name}, and trunks {(wanted or rear or front).name}",
            ),
            hint=f"leave `cassette` out, or name one with {front.name} in front",
        )
    return _counted(PanelParts(number, asked, panel, cassette, front, rear), path)


def _counted(parts: PanelParts, path: Path) -> PanelParts:
    """Refuse more ports of a panel than its cassettes have."""
    whole = parts.panel.slots * parts.cassette.front_ports
    if (parts.asked.ports or 0) > whole:
        raise refuse(
            "panel-does-not-fit",
            f"a {parts.panel.model} does not have {parts.asked.ports} ports",
            path=(*path, "ports"),
            because=(
                (
                    f"{parts.panel.slots} slots x {parts.cassette.front_ports} ports of"
                    f" {parts.cassette.model} = {whole} ports"
                ),
            ),
            hint=f"use `ports: {whole}`, or another `panel`",
        )
    return parts


def _cassette(
    catalog: Catalog, asked: Panels, front: Connector, wanted: Connector | None, path: Path
) -> Cassette:
    """Return the cassette that an entry names, else the first one with its connectors."""
    names = catalog.names("cassettes")
    if asked.cassette and asked.cassette not in names:
        raise _unknown(asked.cassette, names, (*path, "cassette"))
    every = [each for each in map(catalog.cassette, names) if each]
    if asked.cassette:
        return next(each for each in every if each.model == asked.cassette)
    rears = {wanted.name} if wanted else {each.rear for each in every}
    found = [each for each in every if each.front == front.name and each.rear in rears]
    if not found:
        raise refuse(
            "panel-does-not-fit",
            f"the catalog has no cassette from {front.name} to {' or '.join(sorted(rears))}",
            path=(*path, "connector"),
            hint=f"cassettes: {', '.join(names)}; leave `trunks.connector` out to take what fits",
        )
    return found[0]


def channel_parts(
    cabling: Cabling, catalog: Catalog, joint: LinkParts, panel: PanelParts
) -> ChannelParts:
    """Choose the trunk and the jumpers of a candidate. Raises Refusal."""
    trunk = _trunk(cabling, catalog, joint, panel.rear)
    lower, upper = (
        _jumper(catalog, joint, getattr(cabling.jumpers, end), end) for end in ("lower", "upper")
    )
    path = ChannelPath(
        panel.front, panel.rear, lower.polarity, cabling.trunks.polarity, upper.polarity
    )
    return ChannelParts(
        joint=joint,
        trunk=trunk,
        fibres=cabling.trunks.fibres,
        splices=cabling.trunks.splices,
        cassette=panel.cassette,
        front=panel.front,
        rear=panel.rear,
        lower=lower,
        upper=upper,
        path=path,
    )


def _trunk(cabling: Cabling, catalog: Catalog, joint: LinkParts, rear: Connector) -> Trunk:
    """Return the first trunk with these fibres and connectors. Raises Refusal `no-trunk`."""
    asked = cabling.trunks
    fitting = [
        each
        for each in catalog.trunks()
        if (each.connector, each.medium) == (rear.name, joint.medium)
    ]
    for each in fitting:
        if asked.fibres in each.fibres and asked.polarity in each.polarities:
            return each
    counts = sorted({count for each in fitting for count in each.fibres})
    because = (
        (
            f"{joint.kind.key.replace('_', '-')} links are {joint.medium}, and the rear of the"
            f" cassettes is {rear.name}"
        ),
        f"such trunks have {', '.join(map(str, counts))} fibres"
        if counts
        else "the catalog has no such trunk",
    )
    raise refuse(
        "no-trunk",
        f"the catalog has no trunk of {asked.fibres} fibres and polarity {asked.polarity}",
        path=("cabling", "trunks", "fibres"),
        because=because,
        hint=f"use `fibres: {_nearest(asked.fibres, counts)}`"
        if counts
        else "put the trunk into a catalog directory of your own (`--catalog DIR`)",
    )


def _nearest(fibres: int, counts: list[int]) -> int:
    """Return the number of fibres that is nearest to another, of equals the smaller."""
    return min(counts, key=lambda count: (abs(count - fibres), count))


def _jumper(catalog: Catalog, joint: LinkParts, model: str | None, end: str) -> Cable:
    """Return the jumper of one end; its plugs and its medium are those of the link."""
    if model is None:
        return joint.cable
    path = ("cabling", "jumpers", end)
    cable = catalog.cable(model)
    if cable is None:
        raise _unknown(model, catalog.names("cables"), path)
    if (cable.ends, cable.medium) != (joint.cable.ends, joint.medium):
        raise refuse(
            "panel-does-not-fit",
            f"{model} is no jumper for {joint.kind.key.replace('_', '-')} links",
            path=path,
            because=(
                f"it is {cable.medium} with {' and '.join(cable.ends)}",
                f"the links are {joint.medium} with {' and '.join(joint.cable.ends)}",
            ),
            hint=f"leave `{end}` out: the jumper is then {joint.cable.model}",
        )
    return cable


def is_patchable(joint: LinkParts) -> bool:
    """Return whether a link may run through panels: over fibre of its own, between two modules."""
    return joint.cable.medium in FIBRES and joint.shared == 1 and len(joint.modules) > 1


def _unknown(model: str, known: Iterable[str], path: Path) -> Exception:
    """Refuse a model that the catalog does not have."""
    hint = suggest(model, sorted(known), "`fabricgen catalog list` shows what there is")
    return refuse("unknown-model", f"the catalog has no `{model}`", path=path, hint=hint)
