"""Files, standard input and flags to an inventory and a catalog; every finding with its place.

Owns the way from what a person typed to a `FabricSpec`, and the way back: a path into the inventory becomes a file, line and column, or
the flag that set it.
"""

from __future__ import annotations

import contextlib
import json
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel, ValidationError

from fabricgen.diagnostics import Finding, Place, Refusal, nearest
from fabricgen.diagnostics import Path as KeyPath
from fabricgen.source import Document, read_document, read_scalar
from fabricgen.spec import NOT_YET, FabricSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

STDIN = "-"
PLAN_FORMAT = "fabricgen-plan/1"


@dataclass(frozen=True)
class Inventory:
    """An inventory as read: the spec, and where each of its keys came from."""

    spec: FabricSpec
    document: Document
    wiring_sha256: str | None = None
    """The wiring that a plan file promises; None for an inventory."""

    @contextlib.contextmanager
    def placing(self) -> Iterator[None]:
        """Give the findings of any refusal raised inside their places."""
        try:
            yield
        except Refusal as refusal:
            raise Refusal(finding.located(self.document.locate) for finding in refusal.findings) from refusal


@dataclass(frozen=True, slots=True)
class Flags:
    """Sizing flags that stand for an inventory where no file is given, by the key that each sets."""

    values: Mapping[KeyPath, tuple[str, Any]] = field(default_factory=dict)
    """Key path -> (the flag as typed, its value)."""


def read_inventory(source: str | None, sets: Sequence[str] = (), flags: Flags | None = None) -> Inventory:
    """Read an inventory from a file, from `-` or from flags, with `--set key=value` laid over it.

    A plan file is read as the inventory that it holds. Raises Refusal with every finding of the phase that refused it.
    """
    document = _document(source) if source else Document("flags", {"name": "fabric"}, {(): Place("flags")})
    promised = None
    if document.values.get("format") == PLAN_FORMAT:
        promised, document = str(document.values.get("wiring_sha256")), _inside_plan(document)
    _lay_over(document, flags.values if flags else {})
    _lay_over(document, dict(map(_setting, sets)))
    spec = _validate(document)
    return Inventory(spec, document, None if sets else promised)


def read_text(text: str, name: str) -> Inventory:
    """Read an inventory from its text. Raises Refusal with every finding of the phase that refused it."""
    document = read_document(text, name)
    return Inventory(_validate(document), document)


def check_promise(inventory: Inventory, digest: Callable[[], str]) -> None:
    """Refuse a plan file whose wiring this version would make otherwise. Raises Refusal `plan-of-another-version`."""
    if inventory.wiring_sha256 and inventory.wiring_sha256 != digest():
        because = (f"it promises wiring {inventory.wiring_sha256[:12]}, and this version makes {digest()[:12]}",)
        hint = "use the version that made it, or plan the inventory anew"
        raise Refusal([Finding("plan-of-another-version", f"{inventory.document.name} was wired by other rules", because=because, hint=hint)])


def _document(source: str) -> Document:
    """Read the text of a source and parse it; JSON is YAML, but a plan file is long and `json` is faster."""
    name = "<stdin>" if source == STDIN else source
    try:
        text = sys.stdin.read() if source == STDIN else Path(source).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Refusal([Finding("no-such-file", f"there is no file `{source}`", hint=_near_file(source))]) from None
    except UnicodeDecodeError as error:
        raise Refusal([Finding("not-text", f"{name} is not UTF-8 text: byte {error.start}", hint="an inventory is a YAML file")]) from None
    except OSError as error:
        raise Refusal([Finding("no-such-file", f"`{source}` cannot be read: {error.strerror}", hint="give the path of a YAML file, or `-`")]) from None
    if text.startswith("{") and PLAN_FORMAT in text[:200]:
        with contextlib.suppress(ValueError):
            return Document(name, json.loads(text), {(): Place(name, 1, 1)})
    return read_document(text, name)


def _near_file(source: str) -> str:
    """Suggest the file that a typist most likely meant."""
    path = Path(source)
    with contextlib.suppress(OSError):
        near = nearest(path.name, [other.name for other in path.parent.glob("*.yaml")])
        if near:
            return f"did you mean `{path.with_name(near)}`?"
    return "`fabricgen init` writes one"


def _inside_plan(document: Document) -> Document:
    """Return the inventory that a plan file holds."""
    inventory = document.values.get("inventory")
    if not isinstance(inventory, dict):
        raise Refusal(
            [Finding("bad-plan-file", f"{document.name} holds no inventory", place=Place(document.name, 1, 1), hint="write it again with `fabricgen plan -o`")]
        )
    return Document(document.name, inventory, {(): Place(document.name, 1, 1)})


def _setting(text: str) -> tuple[KeyPath, tuple[str, Any]]:
    """Read `rails.count=4`. Raises Refusal `bad-set` where there is no key, no `=`, or no YAML behind it."""
    key, equals, value = text.partition("=")
    parts = tuple(key.strip().split("."))
    flag = f"--set {text}"
    if not equals or not all(parts):
        raise Refusal([Finding("bad-set", f"`--set {text}` is not key=value", place=Place(flag), hint="write for example `--set rails.count=4`")])
    try:
        return parts, (flag, read_scalar(value))
    except ValueError as error:
        raise Refusal([Finding("bad-set", f"`{value}` is not a YAML value: {error}", place=Place(flag), hint="quote the value for your shell")]) from None


def _lay_over(document: Document, settings: Mapping[KeyPath, tuple[str, Any]]) -> None:
    """Set keys of a document that stand on the command line, and make that their place."""
    for path, (flag, value) in settings.items():
        node = document.values
        for part in path[:-1]:
            below = node.get(part)
            if not isinstance(below, dict):
                below = node[part] = _long_form(part, below)
            node = below
        node[path[-1]] = value
        for table in (document.places, document.keys):
            for stale in [known for known in table if known[: len(path)] == path]:
                del table[stale]
            table[path] = Place(flag)


def _long_form(key: str | int, value: object) -> dict[str, Any]:
    """Write out the short forms, so that one key below them can be set."""
    if isinstance(value, str) and key == "prices":
        return {"book": value}
    if isinstance(value, str) and key == "nos":
        return {"leaf": value, "spine": value, "core": value}
    return {}


def _validate(document: Document) -> FabricSpec:
    """Check the document's shape. Raises Refusal with every finding."""
    early = [
        Finding("not-supported-yet", f"`{key}` ({what}) is not supported yet", place=document.locate_key((key,)), hint="leave it out")
        for key, what in NOT_YET.items()
        if key in document.values
    ]
    values = {key: value for key, value in document.values.items() if key not in NOT_YET}
    try:
        spec = FabricSpec.model_validate(values)
    except ValidationError as error:
        findings = [_finding(document, dict(detail)) for detail in error.errors(include_url=False)]
        raise Refusal([*early, *_unique(findings)]) from None
    if early:
        raise Refusal(early)
    return spec


def _unique(findings: list[Finding]) -> list[Finding]:
    """Keep one finding for each place: a key that may be two things reports both that it is not."""
    seen: dict[object, Finding] = {}
    for finding in findings:
        first = seen.setdefault(finding.place if finding.path else finding, finding)
        if first is not finding and first.path == finding.path and finding.because:
            seen[finding.place] = replace(first, because=(" or ".join((*first.because, *finding.because)),))
    return list(seen.values())


def _finding(document: Document, detail: dict[str, Any]) -> Finding:
    """Turn one pydantic error into a finding with a place, in the words of an inventory."""
    path = _known_path(document.values, detail["loc"])
    key, kind, value = ".".join(map(str, path)), detail["type"], detail.get("input")
    place = document.locate(path)
    if kind == "extra_forbidden":
        siblings = list(_fields(path[:-1]))
        near = nearest(str(path[-1]), siblings)
        hint = f"did you mean `{near}`?" if near else f"known keys: {', '.join(siblings)}"
        return Finding("unknown-key", f"`{key}` is not a key of an inventory", path, place=document.locate_key(path), hint=hint)
    if kind == "missing":
        missing = ".".join([*map(str, path), str(detail["loc"][-1])])
        return Finding("missing-key", f"`{missing}` is missing", path, place=place, hint=f"add `{detail['loc'][-1]}: {_example((*path, detail['loc'][-1]))}`")
    if kind in ("literal_error", "enum"):
        choices = str(detail["ctx"].get("expected", "")).replace("'", "")
        near = nearest(str(value), choices.replace(" or ", ", ").split(", "))
        return Finding(
            "not-a-choice", f"`{key}` is {_shown(value)}", path, (f"it can be {choices}",), f"did you mean `{near}`?" if near else f"choose {choices}", place
        )
    said = str(detail["msg"]).removeprefix("Value error, ")
    if kind == "value_error":
        return Finding("bad-value", f"`{key}`: {said}" if key else said, path, hint=f"for example `{_example(path)}`" if path else "", place=place)
    if kind == "string_pattern_mismatch":
        return Finding("bad-value", f"`{key}` is {_shown(value)}", path, (_described(path),), f"for example `{_example(path)}`", place)
    if kind.endswith(("_than", "_than_equal", "too_long", "too_short", "not_finite")):
        return Finding("out-of-range", f"`{key}` is {_shown(value)}", path, (_lower_first(said),), f"for example `{_example(path)}`", place)
    found = "nothing" if value is None else type(value).__name__.replace("dict", "a mapping").replace("list", "a list").replace("str", "a text")
    return Finding("wrong-type", f"`{key}` is {found} ({_shown(value)})", path, (_lower_first(said),), f"for example `{_example(path)}`", place)


def _shown(value: object) -> str:
    """Show a value briefly."""
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."  # noqa: PLR2004 - a line's worth


def _lower_first(text: str) -> str:
    """Fit a sentence of pydantic's behind `because`."""
    return text[:1].lower() + text[1:].replace("Input", "input").replace("valid dictionary or instance of ", "mapping, a ")


def _described(path: KeyPath) -> str:
    """Say what a key is, in the words of the schema."""
    known = _fields(path[:-1]).get(str(path[-1])) if path else None
    return _lower_first((known.description or "").rstrip(".")) if known is not None else "letters, digits, `.` and `-`"


def _known_path(values: object, location: Sequence[str | int]) -> KeyPath:
    """Drop what pydantic puts into a location beside keys (union branches) and what the document does not have."""
    path: list[str | int] = []
    node: Any = values
    for part in location:
        if (isinstance(node, dict) and part in node) or (isinstance(node, list) and isinstance(part, int) and part < len(node)):
            node = node[part]
        else:
            continue
        path.append(part)
    return tuple(path)


def _fields(path: KeyPath) -> Mapping[str, Any]:
    """Return the keys that the inventory knows below a path."""
    model: type[BaseModel] | None = FabricSpec
    for part in path:
        known = model.model_fields.get(str(part)) if model else None
        model = next((kind for kind in _models(known.annotation)), None) if known else None
    return model.model_fields if model else {}


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    """Find the models in an annotation."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)


def _example(path: Sequence[str | int]) -> str:
    """Return the first example of a key, as one would type it."""
    known = _fields(tuple(path[:-1])).get(str(path[-1]))
    examples = (known.examples or []) if known is not None else []
    return json.dumps(examples[0]).strip('"').replace('"', "") if examples else "…"
