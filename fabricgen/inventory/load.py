"""Reading an inventory from a file, standard input or flags, with the place of every finding.

Owns the way from the typed text to a `FabricSpec` and back: the path of a key becomes a file, line
and column, or the flag that set it, and a `FabricSpec` becomes YAML.
"""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError

from fabricgen.core.diagnostics import Finding, Place, Refusal, nearest, refuse, text_of
from fabricgen.core.diagnostics import Path as KeyPath
from fabricgen.core.files import FileError, OpenError, parse_json, read_bytes, read_stream
from fabricgen.core.yaml_text import (
    MAX_BYTES,
    YamlDocument,
    decode,
    read_document,
    write_yaml,
)
from fabricgen.inventory.fabric import FabricSpec
from fabricgen.inventory.set_options import apply_settings, read_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

STDIN = "-"
PLAN_FAMILY = "fabricgen-plan/"
PLAN_FORMAT = f"{PLAN_FAMILY}1"
PLAN_BYTES = 2**26
"""Far above an inventory: the plan file of a grown fabric lists its kept wiring."""


class Inventory(NamedTuple):
    """A `FabricSpec` with the document it was read from."""

    spec: FabricSpec
    document: YamlDocument
    wiring_sha256: str | None = None
    """The digest of the wiring that a plan file records; None for an inventory."""
    kept: Any = None
    """The record of an older plan in a plan file, unparsed."""

    @contextlib.contextmanager
    def locate_findings(self) -> Iterator[None]:
        """Add places to the findings of a refusal that the block raises."""
        try:
            yield
        except Refusal as refusal:
            raise Refusal(
                _in_order(
                    (finding.located(self.document.locate) for finding in refusal.findings),
                    self.document,
                ),
                refusal.more,
            ) from refusal


@dataclass(frozen=True, slots=True)
class Flags:
    """Sizing flags that replace an inventory file."""

    values: Mapping[KeyPath, tuple[str, Any]] = field(default_factory=dict)
    """Key path -> (the flag as typed, its value)."""


def read_inventory(
    source: str | None, sets: Sequence[str] = (), flags: Flags | None = None
) -> Inventory:
    """Read an inventory from a file, from `-` or from flags, and apply `--set key=value`.

    Of a plan file, the inventory in it is read. Raises Refusal with every finding of the phase that
    refused it.
    """
    unwritten = YamlDocument("flags", {"name": "fabric"}, {(): Place("flags")})
    document = _document(source) if source else unwritten
    digest = kept = None
    if str(document.values.get("format")).startswith(PLAN_FAMILY):
        digest, kept, document = (
            str(document.values.get("wiring_sha256")),
            document.values.get("kept"),
            _inside_plan(document),
        )
    apply_settings(document, flags.values if flags else {})
    apply_settings(document, read_settings(sets))
    spec = _validate(document)
    return Inventory(spec, document, None if sets else digest, kept)


def read_text(text: str, name: str, origins: Mapping[KeyPath, str] | None = None) -> Inventory:
    """Read an inventory from its text; a key in `origins` has that flag as its place.

    Raises Refusal with every finding.
    """
    document = read_document(text, name)
    for path, flag in (origins or {}).items():
        document.places[path] = document.keys[path] = Place(flag)
    return Inventory(_validate(document), document)


def inventory_text(spec: FabricSpec) -> str:
    """Return an inventory as YAML without default values; reading it gives an equal inventory."""
    return write_yaml(spec.model_dump(mode="json", exclude_defaults=True, exclude_none=True))


def check_wiring_digest(inventory: Inventory, digest: Callable[[], str]) -> None:
    """Verify that this version plans the wiring recorded in a plan file.

    Raises Refusal `plan-of-another-version`.
    """
    if inventory.wiring_sha256 and inventory.wiring_sha256 != digest():
        recorded = inventory.wiring_sha256[:12]
        because = (f"it records wiring {recorded}, and this version plans {digest()[:12]}",)
        hint = "use the version that made it, or plan the inventory anew"
        raise Refusal(
            [
                Finding(
                    "plan-of-another-version",
                    f"{inventory.document.name} was wired by the rules of another version",
                    because=because,
                    hint=hint,
                )
            ]
        )


def _document(source: str) -> YamlDocument:
    """Read and parse a source; a plan file is JSON, for which `json` is faster than YAML."""
    name = "<stdin>" if source == STDIN else source
    data = _data(source, name)
    is_plan = data.startswith(b"{") and PLAN_FAMILY.encode() in data[:200]
    text = decode(data, name, PLAN_BYTES if is_plan else MAX_BYTES)
    if text.startswith("{") and PLAN_FORMAT in text[:200]:
        # where it is not JSON after all, the YAML parser reports the place
        with contextlib.suppress(FileError):
            return YamlDocument(name, parse_json(text), {(): Place(name, 1, 1)})
    return read_document(text, name)


def _data(source: str, name: str) -> bytes:
    """Return the bytes of a source. Raises Refusal `no-such-file` or `yaml-too-large`."""
    try:
        if source != STDIN:
            return read_bytes(source, PLAN_BYTES)
        if sys.stdin is None:
            raise refuse(
                "no-such-file", "standard input is closed", hint="give the path of a YAML file"
            )
        return read_stream(sys.stdin.buffer, PLAN_BYTES)
    except OpenError as error:
        if error.missing:
            raise refuse(
                "no-such-file", f"there is no file `{source}`", hint=_near_file(source)
            ) from None
        raise refuse(
            "no-such-file", f"`{source}` {error.fact}", hint="give the path of a YAML file, or `-`"
        ) from None
    except FileError as error:
        hint = "give the path of an inventory, or of a plan that `plan -o` wrote"
        raise refuse("yaml-too-large", f"{name} {error.fact}", hint=hint) from None


def _near_file(source: str) -> str:
    """Return a hint with the file of a similar name, if there is one."""
    path = Path(source)
    with contextlib.suppress(OSError):
        near = nearest(path.name, [other.name for other in path.parent.glob("*.yaml")])
        if near:
            return f"did you mean `{path.with_name(near)}`?"
    return "`fabricgen init` writes one"


def _inside_plan(document: YamlDocument) -> YamlDocument:
    """Return the inventory inside a plan file."""
    found, name = document.values["format"], document.name
    hint = "write it again with `fabricgen plan -o`"
    if found != PLAN_FORMAT:
        because = (f"its format is {found}, and this version reads {PLAN_FORMAT}",)
        raise Refusal(
            [
                Finding(
                    "plan-of-another-version",
                    f"{name} was written by another version",
                    (),
                    because,
                    hint,
                    document.locate(("format",)),
                )
            ]
        )
    inventory = document.values.get("inventory")
    if isinstance(inventory, dict) and any(ratio != "1:1" for ratio in _ratios(inventory)):
        inventory.setdefault("leaf_ports", "widest")  # the rule before files had the key
    if not isinstance(inventory, dict):
        raise Refusal(
            [
                Finding(
                    "bad-plan-file",
                    f"{name} is a plan without an inventory",
                    hint=hint,
                    place=Place(name, 1, 1),
                )
            ]
        )
    if isinstance(management := inventory.get("management"), dict):
        management.setdefault("skip", [])  # the older plan gave what no list of its file excludes
    tables = [
        {path[1:]: place for path, place in table.items() if path[:1] == ("inventory",)}
        for table in (document.places, document.keys)
    ]
    return YamlDocument(name, inventory, {(): Place(name, 1, 1), **tables[0]}, tables[1])


def _ratios(values: object) -> Iterator[object]:
    """Yield every oversubscription in an inventory, at any depth."""
    if isinstance(values, dict):
        yield from (found for key, found in values.items() if key == "oversubscription")
        values = [*values.values()]
    for value in values if isinstance(values, list) else ():
        yield from _ratios(value)


def _validate(document: YamlDocument) -> FabricSpec:
    """Validate the document's shape. Raises Refusal with every finding in the order of the text."""
    try:
        return FabricSpec.model_validate(document.values)
    except ValidationError as error:
        from fabricgen.inventory.errors import findings_of  # noqa: PLC0415 - an inventory without mistakes needs none of it

        findings, more = findings_of(error, document)
        raise Refusal(_in_order(findings, document), more) from None


def _in_order(findings: Iterable[Finding], document: YamlDocument) -> list[Finding]:
    """Return distinct findings in the order of the text, then of the command line."""
    distinct = {text_of(finding): finding for finding in findings}.values()
    position = document.positions()
    return sorted(distinct, key=lambda finding: position(finding.place))
