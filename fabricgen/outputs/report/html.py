"""The one file that a report is: the shell, its light part as JSON, its other parts packed, and the bundle of the page.

Owns what a browser is let do: run the one script that came with the program, and load nothing from
anywhere. Whatever comes of an inventory is escaped here, and travels as data that no browser runs.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from fabricgen.outputs.report.compact_json import packed, short_json
from fabricgen.outputs.report.report import PARTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.outputs.report.report import Report

_BUNDLE = Path(__file__).parent / "page"
"""The bundle, which `web/build.mjs` makes."""

_ESCAPED = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"})
"""What could end an element or begin another, as JSON writes it."""

NOSCRIPT = (
    "This page draws itself with a script. Without one, the same stands in the files beside it: cabling/cables.csv, bom/bom.csv and bom/compare.csv,"
    " configs/, drawings/ and plan.json; `fabricgen check` prints the laws."
)


def html(report: Report) -> Iterator[str]:
    """Return the file of a report, in pieces."""
    blocks = (packed_block(name, report.part(name)) for name in PARTS)
    yield from shell(report.plan.spec.name, [json_block("page", report.page)], blocks)


def shell(title: str, *blocks: Iterable[str], connect: str = "'none'") -> Iterator[str]:
    """Return a page that holds these blocks, in pieces; its script may fetch from `connect`, a source list of CSP, and from nowhere else."""
    script, style = (
        (_BUNDLE / name).read_text(encoding="utf-8").strip() for name in ("report.js", "report.css")
    )
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{escape(_policy(script, connect))}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
    yield f'<div id="app"></div>\n<noscript><p>{escape(NOSCRIPT)}</p></noscript>\n'
    for block in blocks:
        yield from block
    yield f"<script>{script}</script>\n</body>\n</html>\n"


def _policy(script: str, connect: str) -> str:
    """Let the browser run this script, and load nothing."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return "; ".join([
        "default-src 'none'", f"script-src 'sha256-{digest}'", "style-src 'unsafe-inline'", "img-src data:", f"connect-src {connect}",
        "base-uri 'none'", "form-action 'none'",
    ])  # fmt: skip


def json_block(name: str, value: object) -> str:
    """Return an element that holds a value as JSON, by the name under which the page looks for it."""
    return f'<script type="application/json" data-part="{name}">{safe_json(value)}</script>\n'


def packed_block(name: str, value: object) -> str:
    """Return an element that holds a value as base64 of gzip of JSON."""
    return f'<script type="application/gzip" data-part="{name}">{b64encode(packed(value)).decode()}</script>\n'


def safe_json(value: object) -> str:
    r"""Write a value as JSON that may stand inside of an element: it holds nothing that a parser of HTML could take for markup.

    >>> safe_json({"name": "</script>&"})
    '{"name":"\\u003c/script\\u003e\\u0026"}'
    """
    return short_json(value).translate(_ESCAPED)
