"""The values that a shell completes: models, price books, groups, topics and keys of the inventory.

Each function has the signature of click's `shell_complete`. What it needs beyond click is imported
when a shell asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import click

    Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

LISTED_CHARACTERS = 60
"""Of a description beside a value."""

MODELS = {
    "host.model": "hosts",
    "nic.model": "nics",
    "prices": "prices",
    "prices.book": "prices",
    "search.llm": "workloads",
    "switches.leaf.model": "switches",
    "switches.spine.model": "switches",
    "switches.core.model": "switches",
}
"""Key of an inventory -> the kind of models that it names."""


def matching(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """Return the names that begin with what was typed."""
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def models(context: click.Context, *kinds: str) -> list[str]:
    """Return the models of these kinds, or of all, with those of --catalog."""
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.kinds import KINDS

    catalog = Catalog(context.params.get("roots") or ())
    return [name for kind in kinds or KINDS for name in catalog.names(kind)]


def complete_models(*kinds: str, or_file: bool = False) -> Complete:
    """Complete models of these kinds; `or_file` where a path is accepted as well."""

    def complete(
        context: click.Context, _: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        found = matching(models(context, *kinds), incomplete)
        return found if found or not or_file else [CompletionItem(incomplete, type="file")]

    return complete


def complete_nos(
    context: click.Context, _: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the network operating systems that a pack configures."""
    from fabricgen.outputs.packs.render import Packs

    packs = Packs(context.params.get("templates") or ())
    found = (packs.pack(name) for name in packs.names())
    return matching(sorted({pack.nos for pack in found if pack and pack.nos}), incomplete)


def complete_examples(
    _: click.Context, __: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the shipped inventories."""
    from fabricgen.cli.examples import examples

    return matching(examples(), incomplete)


def complete_templates(
    _: click.Context, __: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the shipped templates."""
    from fabricgen.outputs.packs.render import Packs
    from fabricgen.outputs.packs.shadows import shipped_names

    return matching(shipped_names(Packs()), incomplete)


def complete_packs(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the shipped packs."""
    from fabricgen.outputs.packs.render import Packs

    return matching(Packs().names(), incomplete)


def complete_list(names: Callable[[click.Context], Iterable[str]]) -> Complete:
    """Complete the last of several names that commas separate."""

    def complete(
        context: click.Context, _: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        before, comma, last = incomplete.rpartition(",")
        left = [name for name in names(context) if name not in before.split(",")]
        return [CompletionItem(f"{before}{comma}{item.value}") for item in matching(left, last)]

    return complete


def columns(context: click.Context) -> list[str]:
    """Return the profiles and the columns of the cable sheets."""
    from fabricgen.outputs.packs.render import Packs
    from fabricgen.views.cables.columns import COLUMNS, read_profiles

    packs = Packs(context.params.get("templates") or ())
    return [*read_profiles(packs.files("cabling", "profiles.yaml")), *COLUMNS]


def complete_set(
    context: click.Context, _: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete a dotted key of the inventory, and after `=` its models or listed values."""
    from fabricgen.inventory.keys import inventory_keys

    keys = {name: key for name, key in inventory_keys().items() if not key.in_list}
    name, equals, value = incomplete.partition("=")
    if equals:
        listed = keys[name].choices if name in keys else ()
        choices = models(context, MODELS[name]) if name in MODELS else map(str, listed)
        return [CompletionItem(f"{name}={item.value}") for item in matching(choices, value)]
    return [
        CompletionItem(f"{key.name}=", help=_short(key.description))
        for key in keys.values()
        if key.name.startswith(incomplete)
    ]


def complete_topics(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete error codes, checks, terms and keys of the inventory."""
    from fabricgen.cli.topics import ALIASES, pages
    from fabricgen.inventory.keys import inventory_keys

    return matching(sorted({*pages(), *ALIASES, *inventory_keys()}), incomplete)


def _short(text: str) -> str:
    """Return the first sentence of a description, cut to fit beside a value."""
    first = text.partition(". ")[0].rstrip(".")
    return first if len(first) <= LISTED_CHARACTERS else f"{first[: LISTED_CHARACTERS - 3]}..."
