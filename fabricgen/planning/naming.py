"""The names of switches, hosts and host interfaces.

Owns name patterns, their check, and the numbers in names, which count from 1. Numbers and padding
follow what is planned, not what is installed, so that growth within a reserve changes no name. A
name is never parsed back.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from string import Formatter
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.core.terms import ROLES, Role
from fabricgen.inventory.fields import NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.designs import Mapping

LONGEST_NAME = 63
"""The longest host name that DNS carries (RFC 1123)."""

SWITCH_FIELDS, HOST_FIELDS, RACK_FIELDS = (
    ("rail", "plane", "n"),
    ("n", "domain", "host"),
    ("hall", "row", "rack"),
)


@dataclass(frozen=True)
class Box:
    """One switch of a segment: its role, its block, and its number in the block, from 0.

    The block is -1 where blocks share the switch; the number is then that in the segment.
    """

    role: Role
    block: int
    index: int


@dataclass(frozen=True)
class DeviceNames:
    """The names of one fabric."""

    mapping: Mapping

    @cached_property
    def boxes(self) -> list[Box]:
        """List the switches of a segment: its leaf boxes, then each block's spines and cores."""
        sizing, blocks = self.mapping.sizing, self.mapping.segment_blocks
        owner = -1 if blocks > 1 else 0
        leaves = [Box(Role.LEAF, owner, index) for index in range(sizing.leaf)]
        upper = ((Role.SPINE, sizing.spine), (Role.CORE, sizing.core))
        return leaves + [
            Box(role, block, index)
            for block in range(blocks)
            for role, count in upper
            for index in range(count)
        ]

    def switches(self, segment: int) -> list[str]:
        """Name the switches of one segment, in the order of `boxes`."""
        mapping, stages = self.mapping, self.mapping.stages
        plane, (group, groups) = (
            mapping.plane(segment),
            (mapping.rail_group(segment), mapping.rail_groups),
        )
        names = []
        for box in self.boxes:
            shared = box.block < 0
            rail = None if shared else mapping.rail(segment, box.block)
            number = 1 + (
                stages.across(box.index, group, groups)
                if shared
                else stages.ordinal(box.role, box.index)
            )
            names.append(self._patterns[box.role, shared].format(rail=rail, plane=plane, n=number))
        return names

    def host(self, host: int) -> str:
        """Name a host, counted from 0 over all HB domains."""
        coordinates = self.mapping.fabric.coordinates
        return self._host_pattern.format(
            n=host + 1,
            domain=coordinates.domain_of_host(host),
            host=coordinates.domain_slot(host) + 1,
        )

    def interface(self, gpu: int, plane: int) -> str:
        """Name the interface of a NIC port as the host does; `gpu` counts within the host."""
        fabric = self.mapping.fabric
        if fabric.host is None:
            return f"nic{gpu}p{plane}" if fabric.planes > 1 else f"nic{gpu}"
        port = fabric.host.port(gpu, plane)
        infiniband = fabric.port_layouts[Role.LEAF].model.transport == "infiniband"
        return (port.infiniband if infiniband else None) or port.ethernet

    def label(self, gpu: int, plane: int) -> str:
        """Return the print beside a NIC port; without a host model, the name of the interface."""
        host = self.mapping.fabric.host
        return host.port(gpu, plane).label if host else self.interface(gpu, plane)

    @cached_property
    def _patterns(self) -> dict[tuple[Role, bool], str]:
        """The pattern of each role by whether blocks share the switch, with padded numbers."""
        mapping, naming = self.mapping, self.mapping.fabric.spec.naming
        sizes = {
            Role.LEAF: mapping.sizing.leaf,
            Role.SPINE: mapping.sizing.spine,
            Role.CORE: mapping.sizing.core,
        }
        patterns = {}
        for role in ROLES:
            for shared in (False, True):
                largest = sizes[role] * (mapping.rail_groups if shared else 1)
                digits = mapping.digits(role, largest)
                rail = "" if shared or mapping.spans_rails else "r{rail}"
                plane = "p{plane}" if mapping.fabric.planes > 1 else ""
                scope = f"{rail}{plane}"
                default = f"{scope}-{role}-{{n}}" if scope else f"{role}-{{n}}"
                patterns[role, shared] = (getattr(naming, role) or default).replace(
                    "{n}", f"{{n:0{digits}}}"
                )
        return patterns

    @cached_property
    def _host_pattern(self) -> str:
        """The pattern of hosts, with padded numbers."""
        fabric = self.mapping.fabric
        largest = fabric.coordinates.planned_hosts
        return (fabric.spec.naming.host or "host-{n}").replace(
            "{n}", f"{{n:0{self.mapping.digits('host', largest)}}}"
        )


def make_naming(mapping: Mapping) -> DeviceNames:
    """Return the names of a fabric. Raises Refusal where a pattern has an unknown field."""
    check_patterns(mapping)
    return DeviceNames(mapping)


def host_names(naming: DeviceNames) -> list[str]:
    """Name the installed hosts, in order."""
    fabric = naming.mapping.fabric
    return [naming.host(host) for host in range(fabric.coordinates.hosts)]


def switch_names(naming: DeviceNames, installed: list[bool]) -> Iterator[str]:
    """Name every installed switch by segment; `installed` is that of a segment's switches."""
    for segment in range(naming.mapping.segments):
        yield from compress(naming.switches(segment), installed)


def check_patterns(mapping: Mapping) -> None:
    """Refuse patterns with unknown fields. Raises Refusal with every finding."""
    naming = mapping.fabric.spec.naming
    patterns = [
        (kind, getattr(naming, kind), _fields(mapping, kind))
        for kind in (*(role.value for role in ROLES), "host", "rack")
    ]
    findings = [
        finding
        for kind, pattern, fields in patterns
        if pattern
        for finding in _pattern_findings(kind, pattern, fields)
    ]
    if findings:
        raise Refusal(findings)


def _fields(mapping: Mapping, kind: str) -> tuple[str, ...]:
    """Return the fields of a kind of name; a switch of several rails has no `rail`."""
    if kind in ("host", "rack"):
        return HOST_FIELDS if kind == "host" else RACK_FIELDS
    several = mapping.spans_rails or (kind == Role.LEAF and mapping.segment_blocks > 1)
    return tuple(field for field in SWITCH_FIELDS if not (several and field == "rail"))


def _pattern_findings(kind: str, pattern: str, fields: tuple[str, ...]) -> Iterator[Finding]:
    """Refuse all but plain fields with zero padding: a format string can read attributes."""
    padded = f"`{{{'row' if kind == 'rack' else 'n'}:02}}` pads with zeros"
    hint = f"fields: {', '.join(f'`{{{field}}}`' for field in fields)}; {padded}"
    try:
        pieces = list(Formatter().parse(pattern))
    except ValueError as error:
        yield Finding(
            "bad-name-pattern",
            f"`{pattern}` is not a pattern: {error}",
            ("naming", kind),
            hint=hint,
        )
        return
    for _, field, spec, conversion in pieces:
        if field is not None and (
            field not in fields or conversion or not re.fullmatch(r"(0[1-9])?", spec or "")
        ):
            used = f"{field}{f'!{conversion}' if conversion else ''}{f':{spec}' if spec else ''}"
            because = (
                ("this fabric's switches of that role serve several rails",)
                if field == "rail" and kind in ROLES and field not in fields
                else ()
            )
            yield Finding(
                "bad-name-pattern",
                f"`{{{used}}}` in `{pattern}` is no field of a {kind}'s name",
                ("naming", kind),
                because,
                hint,
            )


def check_names(names: list[str], hosts: list[str]) -> None:
    """Refuse names that DNS does not allow, or that two devices share.

    Raises Refusal with an example of each.
    """
    findings, path = [], ("naming",)
    illegal = [
        name for name in (*names, *hosts) if len(name) > LONGEST_NAME or not _LEGAL.fullmatch(name)
    ]
    if illegal:
        others = f", nor can {len(illegal) - 1} others" if len(illegal) > 1 else ""
        first = illegal[0]
        rule = (
            f"it has {len(first)} characters, and a name has at most {LONGEST_NAME}"
            if len(first) > LONGEST_NAME
            else _RULE
        )
        findings.append(
            Finding(
                "illegal-name",
                f"`{first}` cannot be a host name{others}",
                path,
                (rule,),
                "change the pattern under `naming`",
            )
        )
    if len(set(names)) + len(set(hosts)) < len(names) + len(hosts) or not set(names).isdisjoint(
        hosts
    ):
        name, times = Counter([*names, *hosts]).most_common(1)[0]
        hint = (
            "put `{rail}`, `{plane}` and `{n}` into the patterns"
            if name in names
            else "put `{n}`, or `{domain}` and `{host}`, into the pattern"
        )
        because = (f"{len(names)} switches and {len(hosts)} hosts need a name each",)
        findings.append(
            Finding("name-twice", f"{times} devices would be called `{name}`", path, because, hint)
        )
    if findings:
        raise Refusal(findings)


_RULE = "a name holds a-z, 0-9 and `-`, and starts and ends with a letter or digit"
_LEGAL = re.compile(NAME)
