"""The addresses of the server, and the responses to them.

Owns the addresses, their queries and the types of the responses. An address is one of those listed
here, letter for letter: no path of a request becomes a path of this machine.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from fabricgen.core.compact_json import compact_json
from fabricgen.core.count_text import counted
from fabricgen.core.diagnostics import Refusal, text_of
from fabricgen.outputs.report.html import json_block, shell
from fabricgen.outputs.report.report import PARTS, Part
from fabricgen.serve.controls import KEYS, QueryError, control_of
from fabricgen.serve.zip_build import BuildError, zipped

if TYPE_CHECKING:
    from fabricgen.core.diagnostics import Finding
    from fabricgen.serve.plan_cache import PlanCache

LONGEST = 64
"""The limit of characters in a value; names of the catalog have fewer."""

DOCUMENT, TEXT, JSON, YAML, ZIP = (
    "text/html; charset=utf-8",
    "text/plain; charset=utf-8",
    "application/json",
    "application/yaml",
    "application/zip",
)
Build = Callable[[Sequence[str], Path], Sequence[str]]
"""Returns the command that builds with some settings to an archive."""

Parts = Callable[[Mapping[str, str], Part], bytes]
"""Returns a part of the report for some controls, as gzip of JSON."""

SHORT: tuple[Part, ...] = ("rails",)
"""Parts that are made in this process without delay, because the page is drawn with them."""


@dataclass
class Response:
    """A status, a type, a body of `size` bytes, and headers besides those of every response."""

    status: int
    kind: str
    body: IO[bytes]
    size: int
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, status: int, kind: str, content: str | bytes, **headers: str) -> Response:
        """Return the response of a text or of bytes; underscores in `headers` become hyphens."""
        data = content.encode() if isinstance(content, str) else content
        return cls(
            status,
            kind,
            io.BytesIO(data),
            len(data),
            {key.replace("_", "-"): value for key, value in headers.items()},
        )


def respond(
    plans: PlanCache, build: Build, parts: Parts, path: str, query: str, *, packed: bool
) -> Response:
    """Return the response to an address; `parts` makes long parts, and `packed` allows gzip."""
    try:
        asked = controls_of(query)
        if path == "/sized":
            return _sized(plans, asked)
        if path.startswith("/parts/"):
            return _part(plans, parts, asked, path.removeprefix("/parts/"), packed=packed)
        route = {"/": _page, "/inventory.yaml": _inventory, "/build.zip": _zip}.get(path)
        return route(plans, asked, build) if route else _not_found(path)
    except QueryError as error:
        return Response.of(400, TEXT, f"{error}\n")
    except Refusal as refusal:
        return Response.of(422, TEXT, f"{refusal_text(refusal)}\n")


def controls_of(query: str) -> dict[str, str]:
    """Read the controls of a query. Raises QueryError for unknown, repeated or long ones.

    >>> controls_of("gpus=64&design=fat-tree")
    {'gpus': '64', 'design': 'fat-tree'}
    """
    try:
        pairs = parse_qsl(
            query, keep_blank_values=True, strict_parsing=bool(query), max_num_fields=len(KEYS)
        )
    except ValueError:
        raise QueryError(
            f"a query has each of {', '.join(KEYS)} at most once, like `gpus=64&planes=2`"
        ) from None
    asked = dict(pairs)
    unknown = sorted(asked.keys() - KEYS.keys())
    if unknown or len(asked) < len(pairs) or any(len(value) > LONGEST for value in asked.values()):
        wrong = (
            f"there is no control `{unknown[0]}`"
            if unknown
            else f"a control is given once, in at most {LONGEST} characters"
        )
        raise QueryError(f"{wrong}: {', '.join(KEYS)}")
    return asked


def refusal_text(refusal: Refusal) -> str:
    """Return the text of a refusal, as on the command line."""
    more = [f"and {counted(refusal.more, 'more finding')}"] if refusal.more else []
    return "\n\n".join([*map(text_of, refusal.findings), *more])


def finding_of(finding: Finding, control: str) -> dict[str, Any]:
    """Return `Finding` of the page's model."""
    return {
        "code": finding.code,
        "fact": finding.fact,
        "control": control,
        "because": list(finding.because),
        "hint": finding.hint,
    }


def _not_found(path: str) -> Response:
    """Return the response to an unknown address."""
    return Response.of(404, TEXT, f"there is nothing at {path!a}\n")


def _page(plans: PlanCache, asked: dict[str, str], _: object) -> Response:
    """Return the page."""
    fabric = plans.fabric(asked)
    blocks = [json_block("page", fabric.page), json_block("controls", fabric.controls)]
    return Response.of(
        200, DOCUMENT, "".join(shell(fabric.plan.spec.name, blocks, connect="'self'"))
    )


def _sized(plans: PlanCache, asked: dict[str, str]) -> Response:
    """Return `Sized` of the page's model: the page of other controls, or their refusal."""
    try:
        fabric = plans.fabric(asked)
        return Response.of(
            200, JSON, compact_json({"page": fabric.page, "controls": fabric.controls})
        )
    except Refusal as refusal:
        made = _made(plans, asked)
        document = {
            "findings": [
                finding_of(finding, control_of(finding.path, asked, made))
                for finding in refusal.findings
            ],
            "text": refusal_text(refusal),
        }
        return Response.of(422, JSON, compact_json(document))


def _made(plans: PlanCache, asked: dict[str, str]) -> dict[str, list[str]]:
    """Return the settings of controls; none where the inventory itself is refused."""
    try:
        return plans.settings(asked)
    except Refusal:
        return {}


def _part(
    plans: PlanCache, parts: Parts, asked: dict[str, str], name: str, *, packed: bool
) -> Response:
    """Return a part of the report."""
    part = next((part for part in PARTS if part == name), None)
    if part is None:
        return _not_found(f"/parts/{name}")
    data = plans.fabric(asked).part(part) if part in SHORT else parts(asked, part)
    return (
        Response.of(200, JSON, data, Content_Encoding="gzip")
        if packed
        else Response.of(200, JSON, gzip.decompress(data))
    )


def _inventory(plans: PlanCache, asked: dict[str, str], _: object) -> Response:
    """Return the inventory as a download."""
    fabric = plans.fabric(asked)
    return Response.of(200, YAML, fabric.text(), **_download(f"{fabric.plan.spec.name}.yaml"))


def _zip(plans: PlanCache, asked: dict[str, str], build: Build) -> Response:
    """Return the whole build as a download."""
    fabric = plans.fabric(asked)
    name = fabric.plan.spec.name
    try:
        stream = zipped(lambda file: build(fabric.settings, file), name)
    except BuildError as error:
        return Response.of(422, TEXT, str(error))
    size = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    return Response(
        200, ZIP, stream, size, {"Content-Disposition": f'attachment; filename="{name}.zip"'}
    )


def _download(name: str) -> dict[str, str]:
    """Return the header by which a browser saves a response as a file.

    Names of fabrics need no quoting: they are letters, digits and hyphens.
    """
    return {"Content_Disposition": f'attachment; filename="{name}"'}
