"""What is answered to which address.

Owns the addresses, their queries and the types of what they answer. An address is one of those
listed here, letter for letter: no path of a request ever becomes a path of this machine.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from fabricgen.core.diagnostics import Refusal, text_of
from fabricgen.outputs.report.compact_json import short_json
from fabricgen.outputs.report.html import json_block, shell
from fabricgen.outputs.report.report import PARTS, Part
from fabricgen.serve.controls import CONTROLS
from fabricgen.serve.zip_build import BuildError, zipped

if TYPE_CHECKING:
    from fabricgen.core.diagnostics import Finding
    from fabricgen.serve.sessions import PlanCache

LONGEST = 40
"""Characters of a value; a number or a design has fewer."""

DOCUMENT, TEXT, JSON, YAML, ZIP = (
    "text/html; charset=utf-8",
    "text/plain; charset=utf-8",
    "application/json",
    "application/yaml",
    "application/zip",
)
Build = Callable[[Sequence[str], Path], Sequence[str]]
"""Makes the command that builds with some settings to an archive."""

Parts = Callable[[Mapping[str, str], Part], bytes]
"""Makes a part of the fabric of some controls, as gzip of JSON."""

SHORT: tuple[Part, ...] = ("rails",)
"""Parts that are made at once at the desk itself: a page is drawn with them."""


@dataclass
class Answer:
    """What is sent: a status, a type, a body of so many bytes, and headers beside those that every answer has."""

    status: int
    kind: str
    body: IO[bytes]
    size: int
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, status: int, kind: str, content: str | bytes, **headers: str) -> Answer:
        """Make an answer of a text or of bytes; underscores in the names of headers stand for hyphens."""
        data = content.encode() if isinstance(content, str) else content
        return cls(
            status,
            kind,
            io.BytesIO(data),
            len(data),
            {key.replace("_", "-"): value for key, value in headers.items()},
        )


class QueryError(Exception):
    """A query that no page of ours sends."""


def answer(
    desk: PlanCache, build: Build, parts: Parts, path: str, query: str, *, packed: bool
) -> Answer:
    """Answer an address; `parts` makes the long parts, and `packed` says that gzip is understood."""
    try:
        asked = controls_of(query)
        if path == "/sized":
            return _sized(desk, asked)
        if path.startswith("/parts/"):
            return _part(desk, parts, asked, path.removeprefix("/parts/"), packed=packed)
        route = {"/": _page, "/inventory.yaml": _inventory, "/build.zip": _zip}.get(path)
        return route(desk, asked, build) if route else _nothing(path)
    except QueryError as error:
        return Answer.of(400, TEXT, f"{error}\n")
    except Refusal as refusal:
        return Answer.of(422, TEXT, f"{findings_text(refusal.findings)}\n")


def controls_of(query: str) -> dict[str, str]:
    """Read what a query turns. Raises QueryError for what is no control, said twice, or longer than any value.

    >>> controls_of("gpus=64&design=fat-tree")
    {'gpus': '64', 'design': 'fat-tree'}
    """
    try:
        pairs = parse_qsl(
            query, keep_blank_values=True, strict_parsing=bool(query), max_num_fields=len(CONTROLS)
        )
    except ValueError:
        raise QueryError(
            f"a query says at most each of {', '.join(CONTROLS)}, like `gpus=64&planes=2`"
        ) from None
    asked = dict(pairs)
    unknown = sorted(asked.keys() - set(CONTROLS))
    if unknown or len(asked) < len(pairs) or any(len(value) > LONGEST for value in asked.values()):
        wrong = (
            f"there is no control `{unknown[0]}`"
            if unknown
            else "a control is said once, in few characters"
        )
        raise QueryError(f"{wrong}: {', '.join(CONTROLS)}")
    return asked


def findings_text(findings: Sequence[Finding]) -> str:
    """Return findings as the command line prints them."""
    return "\n\n".join(text_of(finding) for finding in findings)


def finding_of(finding: Finding) -> dict[str, Any]:
    """Return a finding in the shape of the page."""
    key = ".".join(map(str, finding.path))
    return {
        "code": finding.code,
        "fact": finding.fact,
        "key": key,
        "because": list(finding.because),
        "hint": finding.hint,
    }


def _nothing(path: str) -> Answer:
    """Answer that there is nothing at an address."""
    return Answer.of(404, TEXT, f"there is nothing at {path!a}\n")


def _page(desk: PlanCache, asked: dict[str, str], _: object) -> Answer:
    """Answer the page."""
    sized = desk.sized(asked)
    blocks = [json_block("page", sized.page), json_block("controls", sized.controls)]
    return Answer.of(200, DOCUMENT, "".join(shell(sized.plan.spec.name, blocks, connect="'self'")))


def _sized(desk: PlanCache, asked: dict[str, str]) -> Answer:
    """Answer `Sized` of the model: another page, or why there is none."""
    try:
        sized = desk.sized(asked)
        return Answer.of(200, JSON, short_json({"page": sized.page, "controls": sized.controls}))
    except Refusal as refusal:
        told = {
            "findings": [finding_of(finding) for finding in refusal.findings],
            "text": findings_text(refusal.findings),
        }
        return Answer.of(422, JSON, short_json(told))


def _part(
    desk: PlanCache, parts: Parts, asked: dict[str, str], name: str, *, packed: bool
) -> Answer:
    """Answer a part of the report."""
    part = next((part for part in PARTS if part == name), None)
    if part is None:
        return _nothing(f"/parts/{name}")
    data = desk.sized(asked).part(part) if part in SHORT else parts(asked, part)
    return (
        Answer.of(200, JSON, data, Content_Encoding="gzip")
        if packed
        else Answer.of(200, JSON, gzip.decompress(data))
    )


def _inventory(desk: PlanCache, asked: dict[str, str], _: object) -> Answer:
    """Answer the inventory, to be kept."""
    sized = desk.sized(asked)
    return Answer.of(200, YAML, sized.text(), **_kept(f"{sized.plan.spec.name}.yaml"))


def _zip(desk: PlanCache, asked: dict[str, str], build: Build) -> Answer:
    """Answer the whole build, to be kept."""
    sized = desk.sized(asked)
    name = sized.plan.spec.name
    try:
        stream = zipped(lambda file: build(sized.settings, file), name)
    except BuildError as error:
        return Answer.of(422, TEXT, str(error))
    size = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    return Answer(
        200, ZIP, stream, size, {"Content-Disposition": f'attachment; filename="{name}.zip"'}
    )


def _kept(name: str) -> dict[str, str]:
    """Return the header by which a browser keeps an answer as a file; names of fabrics are letters, digits and hyphens."""
    return {"Content_Disposition": f'attachment; filename="{name}"'}
