"""`schema` and `explain`: what an inventory may say, and what any message or term means."""

from __future__ import annotations

import click

from fabricgen.cli.command import Command
from fabricgen.cli.printing import echo, print_json


@click.command(cls=Command, examples=("fabricgen schema > fabric.schema.json",))
def schema() -> None:
    """Print the JSON Schema of the inventory.

    It uses the part of draft-07 that yaml-language-server supports.
    """
    from fabricgen.inventory.fabric import json_schema

    print_json(json_schema())


@click.command(
    cls=Command,
    examples=(
        "fabricgen explain rail-only",
        "fabricgen explain block-too-large",
    ),
)
@click.argument(
    "code", required=False, metavar="[TERM]", help="Error code, check or term; default: list all."
)
def explain(code: str | None) -> None:
    """Explain an error code, a check or a term."""
    from importlib.resources import files

    from fabricgen.core.diagnostics import refuse, suggest

    pages = {
        page.name.removesuffix(".md"): page
        for page in files("fabricgen.cli").joinpath("pages").iterdir()
        if page.name.endswith(".md")
    }
    if code is None:
        titles = {
            name: page.read_text(encoding="utf-8").split("\n", 1)[0].lstrip("# ")
            for name, page in sorted(pages.items())
        }
        width = max(map(len, titles), default=0)
        echo("\n".join(f"{name:<{width}}  {title}" for name, title in titles.items()))
        return
    name = code.strip().lower().replace(" ", "-")
    if name not in pages:
        hint = suggest(name, pages, "`fabricgen explain` lists the pages")
        raise refuse("nothing-to-explain", f"there is no page about `{code}`", hint=hint)
    echo(pages[name].read_text(encoding="utf-8").rstrip("\n"))
