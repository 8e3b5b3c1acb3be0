"""The one file of a report: the shell, its JSON page, its packed parts, and the page's bundle.

Owns the permissions of the browser: it runs the one script that came with the program, and loads
nothing from anywhere. Everything from an inventory is escaped here, and travels as data that no
browser runs.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from fabricgen.core.compact_json import compact_json
from fabricgen.outputs.report.packed_parts import packed
from fabricgen.outputs.report.report import PARTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.outputs.report.report import Report

_BUNDLE = Path(__file__).parent / "page"
"""The bundle, which `web/build.mjs` makes."""

_ESCAPED = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"})
"""Characters that can end or begin an element, and their JSON escapes."""

NOSCRIPT = (
    "This page draws itself with a script. Without one, its contents are in the files beside it:"
    " cabling/cables.csv, bom/bom.csv and bom/compare.csv, configs/, drawings/ and plan.json."
    " The command fabricgen check prints the laws."
)


def html(report: Report) -> Iterator[str]:
    """Return the file of a report, in pieces."""
    blocks = (packed_block(name, report.part(name)) for name in PARTS)
    yield from shell(report.plan.spec.name, [json_block("page", report.page)], blocks)


def shell(title: str, *blocks: Iterable[str], connect: str = "'none'") -> Iterator[str]:
    """Yield a page that holds these blocks.

    Its script may fetch from `connect`, a source list of CSP, and from nowhere else.
    """
    script, style = (
        (_BUNDLE / name).read_text(encoding="utf-8").strip() for name in ("report.js", "report.css")
    )
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield (
        '<meta http-equiv="Content-Security-Policy"'
        f' content="{escape(_policy(script, connect))}">\n'
    )
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
    yield f'<div id="app"></div>\n<noscript><p>{escape(NOSCRIPT)}</p></noscript>\n'
    for block in blocks:
        yield from block
    yield f"<script>{script}</script>\n</body>\n</html>\n"


def _policy(script: str, connect: str) -> str:
    """Return the policy that lets the browser run this script, and load nothing."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src 'sha256-{digest}'",
            "style-src 'unsafe-inline'",
            "img-src data:",
            f"connect-src {connect}",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def json_block(name: str, value: object) -> str:
    """Return an element that holds a value as JSON, with the name under which the page finds it."""
    return f'<script type="application/json" data-part="{name}">{safe_json(value)}</script>\n'


def packed_block(name: str, value: object) -> str:
    """Return an element that holds a value as base64 of gzip of JSON."""
    return (
        '<script type="application/gzip"'
        f' data-part="{name}">{b64encode(packed(value)).decode()}</script>\n'
    )


def safe_json(value: object) -> str:
    r"""Return a value as JSON without anything that an HTML parser could take for markup.

    >>> safe_json({"name": "</script>&"})
    '{"name":"\\u003c/script\\u003e\\u0026"}'
    """
    return compact_json(value).translate(_ESCAPED)
