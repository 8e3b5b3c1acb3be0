"""What a build is asked to write: groups of files by name, or packs, or parts of a group that are written on request only.

Owns the words that ask for something, and how packs of one group are chosen without the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from fabricgen.core.diagnostics import Finding, Refusal, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.outputs.packs.render import Packs

Group = Literal[
    "cabling",
    "bom",
    "configs",
    "hosts",
    "forwarding",
    "graph",
    "lab",
    "cluster",
    "drawings",
    "simulators",
    "dcim",
    "report",
]
GROUPS: tuple[Group, ...] = get_args(Group)

ON_REQUEST: frozenset[Group] = frozenset({"simulators"})
"""Groups that nobody gets unasked."""

PARTS: dict[str, Group] = {
    "workbook": "cabling",
    "labels": "cabling",
    "pull-sheets": "cabling",
    "racks": "bom",
}
"""Words that ask for what is written on request only, and the group that it belongs to."""

ELSEWHERE: dict[str, Group] = {"room": "cabling"}
"""Groups of packs whose files another group writes."""


class GroupSelection(NamedTuple):
    """What is to be written. `groups` stand in the order of a build; `named` holds what was asked for by name."""

    groups: tuple[Group, ...]
    named: frozenset[str]
    alone: dict[str, frozenset[str]]
    """Groups of which not everything is wanted, and the packs that are."""


def choose(only: Iterable[str], outputs: Iterable[str], packs: Packs) -> GroupSelection:
    """Settle what is written: what `only` names, else what the inventory's `outputs` name, else every group that nobody has to ask for.

    Raises Refusal `unknown-output` with a finding for each of `outputs` that is neither a group nor
    a pack.
    """
    words = list(only) or list(outputs)
    if not words:
        return GroupSelection(
            tuple(group for group in GROUPS if group not in ON_REQUEST), frozenset(), {}
        )
    _check(words, packs)
    whole, alone = set[str](), dict[str, set[str]]()
    for word in words:
        group, chosen = _meaning(word, packs)
        if chosen:
            alone.setdefault(group, set()).add(word)
        else:
            whole.add(group)
    if "lab" in whole:
        whole.add("configs")  # a lab boots them
    named = frozenset({*words, *alone, *(["lab"] if "lab" in whole else [])})
    groups = tuple(group for group in GROUPS if group in whole or group in alone)
    return GroupSelection(
        groups,
        named,
        {group: frozenset(chosen) for group, chosen in alone.items() if group not in whole},
    )


def _meaning(word: str, packs: Packs) -> tuple[str, bool]:
    """Return the group that a word belongs to, and whether it asks for a pack alone; packs of labs mount each other's files, so one brings all."""
    if word in GROUPS or word in PARTS:
        return PARTS.get(word, word), False
    pack = packs.pack(word)
    group = pack.group if pack else word
    return ELSEWHERE.get(group, group), group != "lab"


def _check(words: Iterable[str], packs: Packs) -> None:
    """Refuse what is neither a group nor a pack, with the nearest that is."""
    known = [*GROUPS, *PARTS, *packs.names()]
    findings = []
    for place, word in enumerate(words):
        if word not in known:
            near = nearest(word, known)
            hint = f"{f'did you mean `{near}`? ' if near else ''}`fabricgen build --list-outputs` shows what there is"
            findings.append(
                Finding(
                    "unknown-output",
                    f"there is no group of files and no pack `{word}`",
                    ("outputs", place),
                    (),
                    hint,
                )
            )
    if findings:
        raise Refusal(findings)
