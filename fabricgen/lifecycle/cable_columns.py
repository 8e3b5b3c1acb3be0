"""The columns of cable tables by their titles: one vocabulary for `import` and `audit`.

Owns the words. A title names an end of the cable, a device or an interface there, or both:
`From device`, `StartPort`, `side_a_name`, `Termination B`, `Neighbor Port ID`. A title without an
end belongs to the end that was named last (`Source, Rack, Port, Destination, Rack, Port`), or to
the first end that lacks it. A title with any other word is no end: `Port type`, `Chassis ID`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import chain, product
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Kind = Literal["device", "interface", "description"]

NEAR = {"a", "source", "src", "from", "local", "loc", "near", "start", "origin", "left"}
FAR = {
    *(
        "b",
        "z",
        "destination",
        "dest",
        "dst",
        "to",
        "remote",
        "rem",
        "far",
        "peer",
        "target",
        "right",
    ),
    *("neighbor", "neighbour", "nbr"),
}
DEVICES = {
    *("device", "host", "hostname", "node", "system", "systemname", "sysname", "sys", "switch"),
    *("server", "machine", "equipment", "endpoint", "leaf", "spine", "core", "tor", "name"),
}
INTERFACES = {
    *("interface", "port", "if", "intf", "ifname", "iface", "nic", "termination", "portname"),
    *("adapter", "card", "hca"),
}
DESCRIPTIONS = {"description", "descr", "desc"}
FILLERS = {"id", "info", "side", "end", "the", "its", "connected"}
"""Words for the two ends of a cable, for what is there, and words beside them."""

WANTED = ("a_device", "a_interface", "b_device", "b_interface")
"""The columns of cabling/cables.csv, as refusals name them."""

LABELS = ("cable", "label", "cable_id", "cable_label", "id")

_WORDS = NEAR | FAR | DEVICES | INTERFACES | DESCRIPTIONS | FILLERS
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NUMBERED = re.compile(r"[ _]([12])$")
_JOINED = {
    "".join(words): words
    for words in chain(
        product(NEAR | FAR, DEVICES | INTERFACES),
        product(DEVICES | INTERFACES, FILLERS),
        product(NEAR | FAR, DEVICES | INTERFACES, FILLERS),
        product(("start", "end"), DEVICES | INTERFACES),
    )
    if len(words[0]) > 1
}
"""Titles without a mark between their words, such as ENDDEVICE, and the words."""


class Title(NamedTuple):
    """What a title names: the end (0 or 1, None where it is not named), and what is there.

    Of several devices of an end, the one of the lowest `rank` names it best: a name, then an ID,
    then the bare word `name`, then the bare end.
    """

    end: int | None
    kind: Kind
    rank: int


class SheetColumns(NamedTuple):
    """Positions of the columns of a table; a device or an interface may have several, best first.

    `devices` of the first end are empty where the table is about one device, as `show` prints it.
    """

    devices: tuple[tuple[int, ...], tuple[int, ...]]
    interfaces: tuple[tuple[int, ...], tuple[int, ...]]
    label: int | None
    piece: int | None

    @property
    def last(self) -> int:
        """The position behind which a row may end."""
        ends = (*self.devices, *self.interfaces)
        return max(positions[0] for positions in ends if positions)


def read_title(text: str) -> Title | None:
    """Return what a title names; None where it is no end of a cable.

    >>> read_title("StartDevice"), read_title("Termination B").kind, read_title("Port type")
    (Title(end=0, kind='device', rank=0), 'interface', None)
    """
    number = _NUMBERED.search(text.strip())
    found = [word.lower() for word in _WORD.findall(text[: number.start() + 1] if number else text)]
    words = {each for word in found for each in _JOINED.get(word, (word,))}
    if not words or not words <= _WORDS:
        return None
    ends = {0} if words & NEAR else set[int]()
    ends |= {1} if words & FAR else set()
    if number:
        ends.add(int(number[1]) - 1)
    if not ends and "end" in words:
        ends = {1}
    if len(ends) > 1:
        return None
    end = next(iter(ends), None)
    if words & DESCRIPTIONS:
        return Title(end, "description", 0) if words & INTERFACES else None
    if words & INTERFACES:
        return Title(end, "interface", 0)
    named = words & DEVICES
    if not named:
        return None if end is None else Title(end, "device", 3)
    return Title(end, "device", 2 if named == {"name"} else int("id" in words))


def find_columns(titles: Sequence[str], *, own: bool = False) -> SheetColumns | None:
    """Return the columns of a header; None where one is missing.

    `own` is whether the table is about one device, which no column names.
    """
    found = _by_end(titles)
    for end in (0, 1):
        bare = [at for rank, at in found[end, "device"] if rank == 2]  # noqa: PLR2004 - see Title
        if bare and not found[end, "interface"] and (len(found[end, "device"]) > 1 or own):
            # NetBox: `side_a_device`, `side_a_name`; SR Linux: `Name`, `Neighbor Port`
            found[end, "interface"] = [(0, at) for at in bare]
            found[end, "device"] = [pair for pair in found[end, "device"] if pair[1] not in bare]
    if own:
        found[1, "device"] += found.pop((0, "device"), [])
    devices, interfaces, descriptions = (
        [tuple(at for _, at in sorted(found[end, kind])) for end in (0, 1)]
        for kind in ("device", "interface", "description")
    )
    if not (devices[1] and all(interfaces) and (devices[0] or own)):
        return None
    plain = [re.sub(r"[^a-z0-9]+", "_", title.strip().lower()).strip("_") for title in titles]
    return SheetColumns(
        (devices[0], devices[1]),
        (interfaces[0][:1], interfaces[1][:1] + descriptions[1]),
        next((plain.index(label) for label in LABELS if label in plain), None),
        plain.index("piece") if "piece" in plain else None,
    )


def missing(titles: Sequence[str]) -> str:
    """Return the first of the wanted columns that a header lacks."""
    found = _by_end(titles)
    keys = ((0, "device"), (0, "interface"), (1, "device"), (1, "interface"))
    return next((name for name, key in zip(WANTED, keys, strict=True) if not found[key]), WANTED[2])


def ends_in(titles: Iterable[str]) -> int:
    """Return how many titles name an end of a cable."""
    return sum(read_title(title) is not None for title in titles)


def _by_end(titles: Sequence[str]) -> defaultdict[tuple[int, str], list[tuple[int, int]]]:
    """Return rank and position of each column by its end and kind."""
    found = defaultdict[tuple[int, str], list[tuple[int, int]]](list)
    named = [(at, title) for at, text in enumerate(titles) if (title := read_title(text))]
    for at, (end, kind, rank) in named:
        if end is not None:
            found[end, kind].append((rank, at))
    last = 0
    for at, (end, kind, rank) in named:
        if end is not None:
            last = end
            continue
        own = next((each for each in (last, 1 - last) if not found[each, kind]), None)
        if own is not None:
            found[own, kind].append((rank, at))
            last = own
    return found
