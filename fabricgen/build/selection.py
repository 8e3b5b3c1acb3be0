"""The request of a build: groups, packs, the part of the fabric, and options of cable sheets.

Owns the selection by the words of `--only` and `outputs`, and by the limits of `outputs.groups`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.diagnostics import Finding, Refusal, nearest
from fabricgen.outputs.groups import GROUPS, LIMITS, PACK_GROUPS, PARTS, WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from fabricgen.outputs.packs.render import Packs
    from fabricgen.planning.plan import Plan


class BuildScope(NamedTuple):
    """A part of a fabric: boxes of some segments, and GPUs, counted over all HB domains."""

    segments: tuple[int, ...]
    boxes: tuple[int, ...]
    gpus: frozenset[int]
    networks: Mapping[str, BuildScope] = MappingProxyType({})
    """The parts of networks beside the fabric; those that are left out are not written."""


class SheetOptions(NamedTuple):
    """The options of the sheets: columns, a row for each end, a file of serials, and a mark."""

    columns: str = ""
    """A profile, or names separated by commas."""
    both_ways: bool = False
    serials: Path | None = None
    csv_mark: bool = False
    """Whether the CSV files of cabling and bill begin with a byte order mark."""


class Skipped(NamedTuple):
    """Files that a build does not write, and why, in one sentence."""

    reason: str


def lacks_switches(plan: Plan, group: str) -> bool:
    """Return whether a group presupposes switches, or packet switches, that a plan has not."""
    spec, direct = GROUPS[group], plan.mapping.topology is not None
    return (spec.packets and plan.fabric.has_circuits) or (spec.switches and direct)


@dataclass(frozen=True)
class GroupSelection:
    """The groups to write, in the order of a build; by default all of them."""

    groups: tuple[str, ...] = tuple(GROUPS)
    named: frozenset[str] = frozenset()
    """The words that requested them; empty for the default."""
    alone: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Groups of which only some packs are wanted, and these packs."""

    def wants(self, group: str, pack: str | None = None) -> bool:
        """Return whether the files of a pack are wanted, or of the group itself without one."""
        return group not in self.alone or pack in self.alone[group]

    def over(self, word: str, count: int, files: str = "") -> Skipped | None:
        """Return what is skipped because `count` is over the limit of a word.

        None where it is not, or where the word was requested. `files` replace those of the limit in
        the reason.
        """
        limit = LIMITS[word]
        if count <= limit.most or word in self.named:
            return None
        return Skipped(
            f"{files or limit.files}: {count:,} {limit.counted} are more than {limit.most:,};"
            f" `--only {word}` overrides the limit"
        )


def choose(only: Iterable[str], outputs: Iterable[str], packs: Packs) -> GroupSelection:
    """Select the words of `only`, else of the inventory's `outputs`, else the default groups.

    Raises Refusal `unknown-output` with a finding for each of `outputs` that is neither a group nor
    a pack.
    """
    words = list(only) or list(outputs)
    if not words:
        return GroupSelection(tuple(name for name, spec in GROUPS.items() if not spec.on_request))
    _check(words, packs)
    whole, alone = set[str](), dict[str, set[str]]()
    for word in words:
        group, is_pack = _meaning(word, packs)
        if is_pack:
            alone.setdefault(group, set()).add(word)
        else:
            whole.add(group)
    named = frozenset({*words, *alone, *whole})
    whole |= {brought for group in whole for brought in GROUPS[group].brings}
    return GroupSelection(
        tuple(group for group in GROUPS if group in whole or group in alone),
        named,
        {group: frozenset(chosen) for group, chosen in alone.items() if group not in whole},
    )


def _meaning(word: str, packs: Packs) -> tuple[str, bool]:
    """Return the group of a word, and whether the word selects a pack alone.

    The packs of a group that brings others refer to each other's files: one selects all of them.
    """
    if word in WORDS:
        return PARTS.get(word, word), False
    pack = packs.pack(word)
    group = PACK_GROUPS[pack.group] if pack else word
    return group, not GROUPS[group].brings


def _check(words: Iterable[str], packs: Packs) -> None:
    """Refuse words that are neither a group nor a pack, each with the nearest that is."""
    known = [*WORDS, *packs.names()]
    unknown = [(place, word) for place, word in enumerate(words) if word not in known]
    if unknown:
        raise Refusal(_unknown(place, word, known) for place, word in unknown)


def _unknown(place: int, word: str, known: list[str]) -> Finding:
    """Return the finding of a word that is neither a group nor a pack."""
    near = nearest(word, known)
    shown = "`fabricgen build --list-outputs` shows what there is"
    return Finding(
        "unknown-output",
        f"there is no group of files and no pack `{word}`",
        ("outputs", place),
        (),
        f"did you mean `{near}`? {shown}" if near else shown,
    )
