"""The checks of names: the fields of their patterns, what DNS allows, and names used twice."""

from __future__ import annotations

import re
from collections import Counter
from string import Formatter
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.core.portable_paths import RESERVED_RULE, is_reserved
from fabricgen.core.terms import ROLES, Role
from fabricgen.inventory.fields import NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.diagnostics import Path
    from fabricgen.planning.mapping import Mapping


LONGEST_NAME = 63
"""The longest host name that DNS carries (RFC 1123)."""


SWITCH_FIELDS, HOST_FIELDS, RACK_FIELDS = (
    ("rail", "plane", "n"),
    ("n", "domain", "host"),
    ("hall", "row", "rack"),
)


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


def check_host_pattern(pattern: str | None) -> None:
    """Refuse a pattern of hosts that `check_patterns` refuses, before any host has its name.

    Raises Refusal.
    """
    findings = [*_pattern_findings("host", pattern, HOST_FIELDS)] if pattern else []
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


def check_names(names: list[str], hosts: list[str], path: Path = ("naming",)) -> None:
    """Refuse names that DNS does not allow, or that two devices share.

    Raises Refusal with an example of each.
    """
    findings = []
    illegal = [
        name
        for name in (*names, *hosts)
        if len(name) > LONGEST_NAME or not _LEGAL.fullmatch(name) or is_reserved(name)
    ]
    if illegal:
        others = f", nor can {len(illegal) - 1} others" if len(illegal) > 1 else ""
        first = illegal[0]
        rule = (
            f"it has {len(first)} characters, and a name has at most {LONGEST_NAME}"
            if len(first) > LONGEST_NAME
            else RESERVED_RULE
            if is_reserved(first)
            else _RULE
        )
        findings.append(
            Finding(
                "illegal-name",
                f"`{first}` cannot be a host name{others}",
                path,
                (rule,),
                f"change the pattern under `{path[0]}`",
            )
        )
    if len(set(names)) + len(set(hosts)) < len(names) + len(hosts) or not set(names).isdisjoint(
        hosts
    ):
        name, times = Counter([*names, *hosts]).most_common(1)[0]
        what = "switches"
        hint = (
            "put `{rail}`, `{plane}` and `{n}` into the patterns"
            if name in names
            else "put `{n}`, or `{domain}` and `{host}`, into the pattern"
        )
        if path[0] == "devices":
            what, hint = "switches and devices", "change the `name` of these devices"
        because = (f"{len(names)} {what} and {len(hosts)} hosts need a name each",)
        findings.append(
            Finding("name-twice", f"{times} devices would be called `{name}`", path, because, hint)
        )
    if findings:
        raise Refusal(findings)


_RULE = "a name holds a-z, 0-9 and `-`, and starts and ends with a letter or digit"


_LEGAL = re.compile(NAME)
