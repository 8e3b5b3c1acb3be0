"""`schema` and `explain`: the keys of an inventory, and the meaning of each message and term."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING

import click

from fabricgen.cli.command import Command
from fabricgen.cli.completion import complete_topics
from fabricgen.cli.options import json_option
from fabricgen.cli.printing import echo, print_document, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.inventory.keys import InventoryKey


WIDTH = 100
"""Columns of a text."""


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
        "fabricgen explain rails.per_switch",
        "fabricgen explain block-too-large",
    ),
)
@click.argument(
    "topic",
    required=False,
    metavar="[TOPIC]",
    shell_complete=complete_topics,
    help="Error code, check, term, or key of the inventory; default: list all.",
)
@json_option
def explain(topic: str | None, *, as_json: bool) -> None:
    """Explain a message, a term or a key of the inventory."""
    from fabricgen.cli.topics import ALIASES, keys_named, pages
    from fabricgen.core.diagnostics import refuse, suggest
    from fabricgen.inventory.keys import inventory_keys

    if topic is None:
        listed = {"topics": titles(), "keys": [*inventory_keys()]}
        print_document(listed) if as_json else echo("\n".join(_listing()))
        return
    word = topic.strip().lower().replace(" ", "-")
    page, keys = pages().get(ALIASES.get(word, word)), keys_named(word)
    if page is None and not keys:
        known = (*pages(), *ALIASES, *inventory_keys())
        hint = suggest(word, known, "`fabricgen explain` lists the pages")
        raise refuse("nothing-to-explain", f"there is no page about `{topic}`", hint=hint)
    shown = [page.read_text(encoding="utf-8").rstrip("\n")] if page else []
    if not page or word in inventory_keys():
        shown += [key_text(key) for key in keys]
    text = "\n\n".join(shown)
    print_document({"topic": word, "text": text}) if as_json else echo(text)


def key_text(key: InventoryKey) -> str:
    """Lay out what the model of an inventory declares of a key."""
    from fabricgen.inventory.keys import inventory_keys

    facts = {
        "values": key.values,
        "default": "none: the key is required" if key.required else _value(key.default),
        "example": " or ".join(map(_value, key.examples)),
        "keys": ", ".join(name.rpartition(".")[2] for name in key.below),
        "command line": "" if key.in_list or key.below else f"--set {key.name}=VALUE",
    }
    rows = [
        textwrap.fill(
            text,
            WIDTH,
            initial_indent=f"    {name:<14}",
            subsequent_indent=f"{'':<18}",
            break_on_hyphens=False,
        )
        for name, text in facts.items()
        if text
    ]
    above = inventory_keys().get(key.name.rpartition(".")[0])
    listed = " (of each entry of the list)" if key.in_list else ""
    title = f"# Key of the inventory: {key.name}{listed}"
    seen = f"See also: `{above.name}`" if above else ""
    text = textwrap.fill(key.description, WIDTH, break_on_hyphens=False)
    return "\n\n".join(filter(None, [title, text, "\n".join(rows), seen]))


def _value(value: object) -> str:
    """Write a value as the inventory would hold it; nothing for none."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value).replace('"', "")


def titles() -> dict[str, str]:
    """Return the title of each page, by its name."""
    from fabricgen.cli.topics import pages

    return {
        name: page.read_text(encoding="utf-8").split("\n", 1)[0].lstrip("# ")
        for name, page in sorted(pages().items())
    }


def _listing() -> Iterator[str]:
    """Yield the pages with their titles, and the top-level keys."""
    from fabricgen.inventory.keys import inventory_keys

    width = max(map(len, titles()))
    yield from (f"{name:<{width}}  {title}" for name, title in titles().items())
    top = ", ".join(name for name in inventory_keys() if "." not in name)
    yield "\n" + textwrap.fill(
        f"and every key of the inventory, such as rails.per_switch: {top}", WIDTH
    )
