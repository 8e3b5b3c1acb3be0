"""Random inventories whose secrets are canaries, and where these are found."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from fabricgen.bom.summary import summarize
from fabricgen.build.management_notes import cut_off_notes, left_out
from fabricgen.build.pack_outputs import config_packs
from fabricgen.outputs.packs.render import Packs
from fabricgen.planning.plan_document import plan_document
from fabricgen.views.hosts.build import Hosts
from tests.fabrics import build_context, plan_of
from tests.outputs.packs.managed import FULL, LEAST, LEAVES, SECRETS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.context import BuildContext
    from fabricgen.outputs.packs.pack_yaml import Pack
    from fabricgen.planning.plan import Plan
    from fabricgen.views.switches.view import SwitchView

Keys = dict[str, Any]
SIGNS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!$%&()*+./<=>[]^_{|}~-"
PROTOCOLS = (
    FULL["aaa"],
    FULL["aaa"] | {"protocol": "radius"},
    FULL["aaa"] | {"protocol": "ldap", "base_dn": "dc=a", "bind_dn": "cn=b"},
)
PACKS = Packs()
"""Shared by all draws: reading the packs takes longer than a draw."""

OPTIONAL = tuple(key for key in FULL if key not in LEAST)


@st.composite
def managed_fabrics(draw: st.DrawFn) -> tuple[Keys, dict[str, str]]:
    """Draw an inventory with some of `management`, and a canary for each of its secrets."""
    kept = draw(st.sets(st.sampled_from(OPTIONAL)))
    management = (
        LEAST | {"users": FULL["users"], "dns": FULL["dns"]} | {key: FULL[key] for key in kept}
    )
    if "aaa" in kept:
        management["aaa"] = draw(st.sampled_from(PROTOCOLS))
    nos = draw(st.sampled_from(sorted(LEAVES)))
    inventory = {
        "gpus": 8,
        "hb_domain": {"gpus": draw(st.sampled_from([2, 4]))},
        "nos": nos,
        "switches": {"leaf": LEAVES[nos]},
        "addressing": {
            "mtu": 9000,
            "host_links": "unnumbered",
            "bgp": {"password": "env:BGP_KEY", "hosts_password": "env:BGP_HOSTS_KEY"},
        },
        "management": management,
    }
    canary = st.text(SIGNS, min_size=12, max_size=40)
    return inventory, {reference: f"Qz{draw(canary)}" for reference in SECRETS}


def leaks(inventory: Keys, values: dict[str, str]) -> Iterator[str]:
    """Yield each place of a canary where none may be, and each file whose mode would be wrong."""
    PACKS.secrets.values = values
    seen = Seen(plan_of(**inventory), PACKS)
    for name, text, secret in _files(seen):
        if any(value in text or json.dumps(value)[1:-1] in text for value in values.values()):
            yield from [] if secret else [f"{name} would be readable"]
        elif secret:
            yield f"{name} is secret for nothing"
    for name, text in _documents(seen):
        yield from (name for value in values.values() if value in text)
    PACKS.secrets.values = {}
    for name, text, _ in _files(seen):
        yield from (f"{name} without secrets" for value in values.values() if value in text)


@dataclass(frozen=True)
class Seen:
    """What templates see of a fabric, made once with the secrets that are known."""

    plan: Plan
    packs: Packs

    @cached_property
    def context(self) -> BuildContext:
        """What a build has."""
        return build_context(self.plan, self.packs, ("configs",))

    @cached_property
    def switches(self) -> list[SwitchView]:
        """The switches of a rail."""
        return [*self.context.views.switches(0)]

    @cached_property
    def pack(self) -> Pack:
        """The pack of the first switch."""
        return config_packs(self.context)[self.switches[0].nos]


def _files(seen: Seen) -> Iterator[tuple[str, str, bool]]:
    """Yield the files of the first switch and host, and whether the build makes them secret."""
    packs, pack = seen.packs, seen.pack
    for output in pack.outputs:
        with packs.secrets as secrets:
            text = packs.render(pack.name, output.template, switch=seen.switches[0])
        yield output.path, text, secrets.used

    host = next(Hosts(seen.plan).views([0]))
    with packs.secrets as secrets:
        text = packs.render("host-frr", "frr.conf.j2", host=host)
    yield "hosts/frr.conf", text, secrets.used


def _documents(seen: Seen) -> Iterator[tuple[str, str]]:
    """Yield the texts that are no files of switches, while the secrets are known."""
    plan, context, pack = seen.plan, seen.context, seen.pack
    document = plan_document(plan, summarize(plan, context.bom).document())
    yield "plan.json", json.dumps(document, ensure_ascii=False)
    yield "the notes", repr([*cut_off_notes(context), *left_out(context)])
    yield "the views", repr(seen.switches)
    yield "the verdicts", repr(context.check_report)
    outside = [
        seen.packs.render(pack.name, output.template, switch=seen.switches[0])
        for output in pack.outputs
    ]
    yield "the report", "".join(outside)
