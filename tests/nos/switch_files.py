"""The files that a pack writes for the switches of a plan."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from fabricgen.outputs.packs.render import Packs
from fabricgen.views.factory import Views
from tests.outputs.packs.managed import SECRETS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabricgen.outputs.packs.pack_yaml import Pack
    from fabricgen.outputs.packs.verification import FileVerification
    from fabricgen.planning.plan import Plan
    from fabricgen.views.switches.view import SwitchView

PACKS = Packs()

ROUTING_FILES = {
    "eos": "startup-config.cfg",
    "frr": "frr.conf",
    "junos": "junos.set",
    "nvue": "commands.txt",
    "nxos": "nxos.cfg",
    "sonic": "frr.conf",
    "srlinux": "config.json",
}
"""The file of each NOS with its routing: VRFs, BGP and filters."""

MOST = 8
"""Switches of one fabric that a vendor's parser reads, at equal distances from each other."""


@dataclass(frozen=True)
class SwitchFiles:
    """The files of one switch, by the last part of their path, with the view that they render."""

    switch: SwitchView
    files: dict[str, str]
    secrets: Mapping[str, str] = field(default_factory=dict)
    """The values of secrets that templates could read, by reference."""


@cache
def _pack_of(nos: str) -> Pack:
    pack = PACKS.for_nos(nos)
    assert pack is not None
    return pack


def verification(nos: str, file: str) -> FileVerification:
    """Return the record of what verified a file of a NOS."""
    (found,) = (each for each in _pack_of(nos).verified_by if file in each.files)
    return found


def render_switches(plan: Plan, secrets: Mapping[str, str] = SECRETS) -> list[SwitchFiles]:
    """Render every file of every switch, each with the pack of its own NOS."""
    views = Views(plan)
    return [
        _render(switch, secrets)
        for segment in range(plan.mapping.segments)
        for switch in views.switches(segment)
    ]


def _render(switch: SwitchView, secrets: Mapping[str, str]) -> SwitchFiles:
    named = _pack_of(switch.nos)
    pack = named.for_access() if switch.access else named
    assert pack is not None
    PACKS.secrets.values = secrets
    with PACKS.secrets:
        files = {
            output.path.split("/")[-1]: PACKS.render(pack.name, output.template, switch=switch)
            for output in pack.outputs
            if output.is_written(switch.management) and (switch.lossless or not output.lossless)
        }
    return SwitchFiles(switch, files, secrets)


def sample(switches: Sequence[SwitchFiles], most: int) -> list[SwitchFiles]:
    """Pick up to `most` switches at equal distances, the first and the last among them."""
    if len(switches) <= most:
        return list(switches)
    return [switches[index * (len(switches) - 1) // (most - 1)] for index in range(most)]
