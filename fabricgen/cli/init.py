"""`init`: a commented inventory to start from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from fabricgen.cli.command import Command
from fabricgen.cli.completion import complete_models, complete_nos, complete_templates
from fabricgen.cli.options import DESIGNS, json_option
from fabricgen.cli.printing import echo, print_document
from fabricgen.core.terms import LinkKind, Role, speed_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.host import Host
    from fabricgen.catalog.models.prices import PriceBook
    from fabricgen.catalog.models.switch import Switch
    from fabricgen.planning.plan import Plan

SCHEMA, SCHEMA_MARK = "fabric.schema.json", r'\{.*"title": "FabricSpec"'
"""The schema beside an inventory, and how such a file begins, as a regular expression."""

ORIGINS: dict[str, tuple[tuple[str, ...], ...]] = {
    "name": (("name",),),
    "gpus": (("gpus",),),
    "hb_domain": (("hb_domain", "gpus"), ("hb_domain",)),
    "host": (("host", "model"), ("host",)),
    "leaf": (("switches", "leaf", "model"), ("switches", "leaf")),
    "radix": (("switches", "leaf", "generic", "radix"), ("switches", "leaf", "generic")),
    "nos": (("nos",), ("nos", "leaf"), ("nos", "spine"), ("nos", "core")),
    "planes": (("rails", "planes"), ("rails",)),
}
"""Option -> the keys that it sets, so that a finding points at the option."""

DOMAIN_GPUS, RADIX, GROWTH = 8, 64, 4
"""Values of an inventory without models, and the growth that its comment shows."""

HALF = 0.5
"""The share of ports in use up to which `init` names it, and of the bandwidth of a leaf from which.
"""


@click.command(
    cls=Command,
    examples=(
        "fabricgen init --gpus 256 --host dgx-h100 --leaf sn5600 --nos sonic",
        "fabricgen init --radix 64 -",
        "fabricgen init --template eos/bgp.cfg.j2 mine",
    ),
)
@click.argument(
    "file",
    default="fabric.yaml",
    type=click.Path(allow_dash=True),
    help="File to write, or `-` to print it; default: fabric.yaml. With --template, the directory.",
)
@click.option("--name", default="my-fabric", show_default=True, help="Name of the fabric.")
@click.option(
    "--gpus",
    metavar="N",
    type=click.IntRange(1),
    default=1024,
    show_default=True,
    help="Number of GPUs.",
)
@click.option(
    "--hb-domain",
    metavar="N",
    type=click.IntRange(1),
    help="GPUs of an HB domain; default: as the host model, else 8.",
)
@click.option(
    "--host",
    metavar="MODEL",
    shell_complete=complete_models("hosts"),
    help="Host of the catalog, such as dgx-h100.",
)
@click.option(
    "--leaf",
    metavar="MODEL",
    shell_complete=complete_models("switches"),
    help="Switch of the catalog, such as sn5600.",
)
@click.option(
    "--radix",
    metavar="N",
    type=click.IntRange(2),
    help="Number of ports of a switch, instead of a model; default: 64.",
)
@click.option(
    "--nos",
    metavar="NAME",
    shell_complete=complete_nos,
    help="Network operating system, such as sonic.",
)
@click.option(
    "--design",
    type=click.Choice(DESIGNS),
    default="rail-only",
    show_default=True,
    help="Design of the fabric.",
)
@click.option(
    "--planes",
    metavar="N",
    type=click.IntRange(1),
    help="Planes, and so NIC ports per GPU; default: the fewest that the host offers.",
)
@click.option(
    "--template",
    metavar="PACK/FILE",
    shell_complete=complete_templates,
    help="Copy this shipped template instead, to change it and to use it by --templates.",
)
@click.option("--force", is_flag=True, help="Replace an existing inventory or template.")
@json_option
def init(
    file: str,
    template: str | None,
    *,
    force: bool,
    as_json: bool,
    **wanted: Any,  # noqa: ANN401 - the options above
) -> None:
    """Write a commented inventory to start from, or a copy of a template.

    It can be built as it is: rails share leaves as far as they fit, and prices are those of the
    newest price book that has the switch. The JSON Schema for editors is written beside it.
    A copied template records the version of its original: `build` prints a note when that changes.
    """
    if template is not None:
        _copy_template(template, file, force=force, as_json=as_json)
        return
    from fabricgen.build.load_plan import plan_of
    from fabricgen.build.write.manifest import json_document
    from fabricgen.build.write.single_file import check_file, write_file
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.inventory.fabric import json_schema
    from fabricgen.inventory.load import read_text
    from fabricgen.outputs.packs.render import Packs

    if wanted["leaf"] and wanted["radix"]:
        raise click.UsageError("a switch is either a --leaf model or a --radix")
    target = None if file == "-" else Path(file)
    if target:
        check_file(target, force=force)
        check_file(target.with_name(SCHEMA), mark=SCHEMA_MARK, force=force)
    catalog = Catalog()
    text = _inventory(wanted, catalog)
    origins: dict[tuple[str | int, ...], str] = {
        path: f"--{option.replace('_', '-')} {wanted[option]}"
        for option, paths in ORIGINS.items()
        if wanted[option] is not None
        for path in paths
    }
    inventory = read_text(text, "init", origins)
    notes = list(_notes(plan_of(inventory, catalog, Packs())))
    if target is None:
        text += "".join(f"# {note}\n" for note in notes)
        print_document({"text": text}) if as_json else echo(text, nl=False)
        return
    write_file(target, text, force=force)
    write_file(
        target.with_name(SCHEMA), json_document(json_schema()), mark=SCHEMA_MARK, force=force
    )
    if as_json:
        files = {"file": str(target), "schema": str(target.with_name(SCHEMA))}
        print_document(files | {"notes": notes})
        return
    echo(f"wrote {target} and {target.with_name(SCHEMA)}; next: fabricgen build {target} -o out")
    for note in notes:
        echo(f"note: {note}")


def _nos(asked: str | None, leaf: Switch | None) -> str:
    """Return the NOS of the leaf: the one asked for, by the name that the model has for it."""
    if leaf is None:
        return asked or ""
    return leaf.nos_name(asked or leaf.default_nos)


def _nics(host: Host, planes: int | None) -> str:
    """Describe the NICs of a GPU of a host."""
    ports = planes or min(host.speeds_gbps)
    speed = speed_text(host.speeds_gbps.get(ports, max(host.speeds_gbps.values())))
    return f"{host.nic}, {host.nics_per_gpu} per GPU, {ports} x {speed}"


def _newest_book(leaf: str, catalog: Catalog) -> PriceBook | None:
    """Return the newest dated price book with a price for a switch."""
    books = [catalog.price_book(name) for name in catalog.names("prices")]
    dated = {book.date: book for book in books if book and book.date and book.price(leaf)}
    return dated[max(dated)] if dated else None


def _prices(book: PriceBook | None) -> str:
    """Return the line of a price book; a comment where the default applies."""
    from fabricgen.planning.price_book import DEFAULT_BOOK

    if book is None:
        return f"# prices: {DEFAULT_BOOK}  # the default"
    return f"prices: {book.name}  # {book.currency} of {book.date}"


def _notes(plan: Plan) -> Iterator[str]:
    """Yield what a user should know of the fabric before building it."""
    from fabricgen.analysis.search.cheaper import cheaper_notes, leaf_lost_pct

    used, lost = plan.link_count(LinkKind.HOST), leaf_lost_pct(plan)
    ports = plan.switch_count(Role.LEAF) * plan.sizing.leaf_down * plan.mapping.segment_blocks
    if used <= HALF * ports:
        share = f"{used:,} of their {ports:,} ports to hosts ({100 * used / ports:.3g} %)"
        yield f"leaves use {share}: choose smaller ones"
    if lost >= 100 * HALF and plan.mapping.segment_blocks > 1:
        yield (
            f"a failed leaf takes {lost:.3g} % of the bandwidth: `rails.per_switch: 1` takes more"
            " leaves, each of which serves fewer GPUs"
        )
    yield from cheaper_notes(plan)


def _inventory(wanted: dict[str, Any], catalog: Catalog) -> str:
    """Render the inventory; the host model provides what the options leave out."""
    from fabricgen.inventory.settings import Addressing
    from fabricgen.outputs.packs.render import Packs

    packs, leaf = Packs(), catalog.switch(wanted["leaf"]) if wanted["leaf"] else None
    pack = packs.for_nos(_nos(wanted["nos"], leaf))
    limit = pack.limits.get("addressing.mtu") if pack else None
    host = catalog.host(wanted["host"]) if wanted["host"] else None
    from_host = {
        "hb_domain": host.hb_domain_gpus if host else DOMAIN_GPUS,
        "hosts": host.hb_domain_hosts if host else 1,
        "planes": min(host.speeds_gbps) if host else 1,
        "radix": RADIX,
        "reserve": GROWTH * wanted["gpus"],
        "mtu": limit.most if limit else Addressing().mtu,
        "nics": _nics(host, wanted["planes"]) if host else "",
        "prices": _prices(_newest_book(leaf.model, catalog) if leaf else None),
    }
    given = {key: value for key, value in wanted.items() if value is not None}
    open_keys = dict.fromkeys(("host", "leaf", "nos"))
    return packs.render(
        "init", "fabric.yaml.j2", **{**open_keys, **from_host, **given, "schema": SCHEMA}
    )


def _copy_template(name: str, folder: str, *, force: bool, as_json: bool) -> None:
    """Write a copy of a shipped template below a directory. Raises Refusal, or BadParameter."""
    from fabricgen.build.write.single_file import check_file, make_parents, write_file
    from fabricgen.core.diagnostics import suggest
    from fabricgen.outputs.packs.render import Packs
    from fabricgen.outputs.packs.shadows import copy_of, shipped_names

    packs = Packs()
    names = shipped_names(packs)
    if name not in names:
        hint = suggest(name, names, "`fabricgen build --explain-templates SWITCH` lists those used")
        raise click.BadParameter(
            f"no template `{name}` is shipped; {hint}", param_hint="'--template'"
        )
    if click.get_current_context().get_parameter_source("file") is ParameterSource.DEFAULT:
        raise click.UsageError("give the directory of your templates, or `-` to print the copy")
    text = copy_of(packs, name)
    if folder == "-":
        print_document({"text": text}) if as_json else echo(text, nl=False)
        return
    target = Path(folder) / name
    check_file(target, force=force)
    make_parents(target)
    write_file(target, text, force=force)
    if as_json:
        print_document({"file": str(target)})
    else:
        echo(f"wrote {target}; next: fabricgen build fabric.yaml -o out --templates {folder}")
