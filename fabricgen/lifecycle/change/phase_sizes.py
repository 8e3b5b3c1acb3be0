"""The size of each phase, and the refusals of phases that do not build on each other.

Owns `gpu_sizes`, for phases by GPUs, and `sizes_of`, for phases by planes, rails and spines.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.core.terms import Design
from fabricgen.inventory.sizing import Phase

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.plan import Plan

KEYS = ("planes", "rails", "spines")
REST = "rest"
"""The name of the phase that completes what the inventory leaves out."""


def by_gpus(spec: FabricSpec) -> bool:
    """Return whether the phases of an inventory are given by GPUs."""
    return any(phase.gpus for phase in spec.phases)


def named_phases(spec: FabricSpec) -> list[tuple[str, Phase]]:
    """Return the phases of an inventory, each with its name."""
    return [
        (phase.name or (f"gpus-{phase.gpus}" if phase.gpus else f"phase-{number}"), phase)
        for number, phase in enumerate(spec.phases, start=1)
    ]


def gpu_sizes(spec: FabricSpec) -> list[tuple[str, int]]:
    """Return the GPUs installed after each phase. Raises Refusal `bad-phases`.

    Where the top-level `gpus` are more than those of the last phase, a further phase installs them.
    """
    stated = [(name, phase.gpus or 0) for name, phase in named_phases(spec)]
    sizes = stated if stated[-1][1] >= spec.gpus else [*stated, (REST, spec.gpus)]
    findings = [*_twice(sizes), *_mixed(spec)] or [*_not_growing(spec)]
    if findings:
        raise Refusal(findings)
    return sizes


def with_rest(spec: FabricSpec) -> tuple[Phase, ...]:
    """Return the phases by GPUs of an inventory, also the one that its top-level `gpus` state."""
    if not spec.phases or (spec.phases[-1].gpus or 0) >= spec.gpus:
        return spec.phases
    return (*spec.phases, Phase(name=REST, gpus=spec.gpus))


def sizes_of(plan: Plan) -> list[tuple[str, dict[str, int]]]:
    """Return the installed planes, rails and spines after each phase. Raises Refusal `bad-phases`.

    A last phase completes the fabric where the stated ones do not.
    """
    full = {
        "planes": plan.fabric.planes,
        "rails": plan.fabric.rails,
        "spines": plan.sizing.pod_spines,
    }
    stated = [
        (name, {key: getattr(phase, key) or full[key] for key in KEYS})
        for name, phase in named_phases(plan.spec)
    ]
    sizes = (
        stated if stated and stated[-1][1] == full else [*stated, (REST if stated else "all", full)]
    )
    findings = [*_twice(sizes), *_beyond(plan, full), *_shrinking(stated)]
    if findings:
        raise Refusal(findings)
    return sizes


def _beyond(plan: Plan, full: dict[str, int]) -> Iterator[Finding]:
    """Yield findings for phases that ask for more than the fabric has."""
    for index, (name, phase) in enumerate(named_phases(plan.spec)):
        for key in KEYS:
            asked = getattr(phase, key)
            if asked is None:
                continue
            path = ("phases", index, key)
            if key == "rails" and plan.fabric.design is Design.FAT_TREE:
                yield Finding(
                    "bad-phases",
                    "a fat-tree has no rails to begin with",
                    path,
                    ("its leaves serve hosts in a row",),
                    "phase it by `planes` or `spines`",
                )
            elif asked > full[key]:
                where = (
                    "a pod"
                    if key == "spines" and plan.sizing.core
                    else "a block"
                    if key == "spines"
                    else "the fabric"
                )
                yield Finding(
                    "bad-phases",
                    f"phase `{name}` has {asked} {key}",
                    path,
                    (f"{where} has {full[key]}",),
                    f"use at most {full[key]}, or leave it out",
                )


def _shrinking(stated: list[tuple[str, dict[str, int]]]) -> Iterator[Finding]:
    """Yield findings for phases that remove something or add nothing."""
    for index, ((earlier, before), (name, after)) in enumerate(pairwise(stated), start=1):
        less = next((key for key in KEYS if after[key] < before[key]), None)
        if less:
            because = (
                f"`{earlier}` has {before[less]} {less}, and `{name}` has {after[less]}",
                "a phase adds to the previous one, so that no cable is pulled twice",
            )
            yield Finding(
                "bad-phases",
                f"phase `{name}` removes something",
                ("phases", index),
                because,
                f"give it {before[less]} {less} or more",
            )
        elif before == after:
            yield Finding(
                "bad-phases",
                f"phase `{name}` adds nothing to `{earlier}`",
                ("phases", index),
                (),
                "leave it out, or give it more planes, rails or spines",
            )


def _twice(sizes: Sequence[tuple[str, object]]) -> Iterator[Finding]:
    """Yield a finding for a name that two phases have, of which one may be `REST`."""
    counts = Counter(name for name, _ in sizes)
    twice = [name for name, count in counts.items() if count > 1]
    if twice:
        rest = f"a phase `{REST}` installs what the others leave out"
        yield Finding(
            "bad-phases",
            f"two phases are called `{twice[0]}`",
            ("phases",),
            (rest,) if twice[0] == REST else (),
            "give each phase a name of its own",
        )


def _mixed(spec: FabricSpec) -> Iterator[Finding]:
    """Yield findings for phases by GPUs that have other keys, or no GPUs."""
    for index, (name, phase) in enumerate(named_phases(spec)):
        others = [key for key in KEYS if getattr(phase, key)]
        if phase.gpus and not others:
            continue
        yield Finding(
            "bad-phases",
            f"phase `{name}` has {f'`{others[0]}`' if others else 'no `gpus`'}",
            ("phases", index, *others[:1]),
            ("phases are given by `gpus`, or by `planes`, `rails` and `spines`, never by both",),
            "give every phase `gpus` and nothing else besides its name, or none of them `gpus`",
        )


def _not_growing(spec: FabricSpec) -> Iterator[Finding]:
    """Yield findings for phases that do not add GPUs, or go beyond the reserve."""
    named = named_phases(spec)
    for index, ((_, before), (name, after)) in enumerate(pairwise(named), start=1):
        had, has = before.gpus or 0, after.gpus or 0
        if has <= had:
            yield Finding(
                "bad-phases",
                f"phase `{name}` adds no GPUs",
                ("phases", index, "gpus"),
                (f"{had} GPUs are installed before it, and {has} after it",),
                f"`gpus` counts all GPUs by the end of the phase: use more than {had}",
            )
    last, reserve = spec.phases[-1].gpus or 0, spec.reserve
    if reserve and last > reserve.gpus:
        yield Finding(
            "bad-phases",
            f"phase `{named[-1][0]}` goes beyond the reserve",
            ("phases", len(named) - 1, "gpus"),
            (f"the phase has {last} GPUs, and {reserve.gpus} are reserved",),
            f"use `reserve: {{gpus: {last}}}` or more, or leave `reserve` out",
        )
