"""Sentences on the management of the switches.

Owns which files cut a switch off where the inventory has no `management`, and what is left out of
the files where it has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.build.pack_outputs import every_config_pack
from fabricgen.build.selection import Skipped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.context import BuildContext
    from fabricgen.inventory.management import Management


def cut_off_notes(context: BuildContext) -> list[str]:
    """Return a notice where files replace a configuration, and have no management themselves."""
    if context.plan.management is not None or "configs" not in context.selection.groups:
        return []
    merged = [
        f"{output.path.rpartition('/')[2]} of {nos} (to merge it: {output.merge})"
        for nos, pack in every_config_pack(context).items()
        for output in pack.outputs
        if output.replaces and context.selection.wants("configs", pack.name)
    ]
    if not merged:
        return []
    fact = (
        "the inventory has no `management`, so these files take the address and the users of a"
        f" switch where they replace its configuration: {', '.join(merged)}"
    )
    return [fact]


def left_out(context: BuildContext) -> Iterator[Skipped]:
    """List what the files lack of `management`: what a NOS does not have, and what is secret."""
    asked = context.plan.spec.management
    bgp = context.plan.spec.addressing.bgp
    for name in ("password", "hosts_password"):
        if getattr(bgp, name) and not context.packs.secrets.values:
            yield Skipped(f"`addressing.bgp.{name}` of BGP sessions; `--with-secrets` reads it")
    for devices in context.plan.spec.devices:
        if devices.bgp and devices.bgp.password and not context.packs.secrets.values:
            yield Skipped(
                f"`bgp.password` of sessions with {devices.name}; `--with-secrets` reads it"
            )
    if asked is None:
        return
    wanted = dict(_wanted(asked))
    for nos, pack in every_config_pack(context).items():
        for key, reason in pack.terms.unsupported.items():
            if key in wanted:
                yield Skipped(f"`{wanted[key]}` on {nos}: {reason}")
    if asked.secrets() and not context.packs.secrets.values:
        yield Skipped(
            "what takes secrets of `management`: passwords of users, SNMP, and servers of logins;"
            " `--with-secrets` reads them"
        )


def _wanted(asked: Management) -> Iterator[tuple[str, str]]:
    """Yield what an inventory sets, by the names that packs use, with its key."""
    yield from ((word, f"management.api: {word}") for word in asked.api)
    if asked.allow:
        yield "allow", "management.allow"
        yield from ((f"allow {word}", f"management.allow for {word}") for word in asked.api)
    for key in ("dns", "syslog", "snmp", "banner"):
        if getattr(asked, key):
            yield key, f"management.{key}"
    for key in ("vrf", "time_zone"):
        if getattr(asked, key) != type(asked).model_fields[key].default:
            yield key, f"management.{key}"
    if asked.aaa:
        yield "aaa", "management.aaa"
        yield asked.aaa.protocol, f"management.aaa.protocol: {asked.aaa.protocol}"
