"""`init`: a commented inventory to start from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from fabricgen.cli.command import Command
from fabricgen.cli.completion import (
    complete_examples,
    complete_models,
    complete_nos,
    complete_packs,
    complete_templates,
)
from fabricgen.cli.options import DESIGNS, catalog_option, json_option, templates_option
from fabricgen.cli.output_file import OutputPath
from fabricgen.cli.printing import echo, print_document, print_result
from fabricgen.cli.streams import WRITTEN

if TYPE_CHECKING:
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.core.diagnostics import Path as KeyPath
    from fabricgen.outputs.packs.render import Packs

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


@click.command(
    cls=Command,
    examples=(
        "fabricgen init --gpus 256 --host dgx-h100 --leaf sn5600 --nos sonic",
        "fabricgen init --example lab-64 lab-64.yaml",
        "fabricgen init --reference dgx-gb300 --units 8 -o superpod.yaml",
        "fabricgen init --radix 64 -",
        "fabricgen init --template eos/bgp.cfg.j2 mine",
        "fabricgen init --pack eos --as comware mine",
    ),
)
@click.argument(
    "file",
    default="fabric.yaml",
    type=click.Path(allow_dash=True),
    help="File to write, or `-` to print it; default: fabric.yaml. With --template or --pack, the"
    " directory.",
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
    "--reference",
    metavar="NAME",
    shell_complete=complete_models("references"),
    help="Write the inventory of this published design instead.",
)
@click.option(
    "--units",
    metavar="N",
    type=click.IntRange(1),
    help="Units of the published design; default: the fewest that its source counts.",
)
@click.option("--list-references", is_flag=True, help="List the published designs, and stop.")
@click.option(
    "--example",
    metavar="NAME",
    shell_complete=complete_examples,
    help="Write this shipped inventory instead.",
)
@click.option("--list-examples", is_flag=True, help="List the shipped inventories, and stop.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=OutputPath(allow_dash=True),
    help="File to write, in place of the argument.",
)
@click.option(
    "--template",
    metavar="PACK/FILE",
    shell_complete=complete_templates,
    help="Copy this shipped template instead, to change it and to use it by --templates.",
)
@click.option(
    "--pack",
    metavar="PACK",
    shell_complete=complete_packs,
    help="Copy this shipped pack instead, under the name that --as gives.",
)
@click.option(
    "--as", "new_name", metavar="NAME", help="Name of the copy of --pack, and of its NOS."
)
@click.option("--force", is_flag=True, help="Replace an existing inventory or template.")
@json_option
@catalog_option
@templates_option
def init(
    file: str,
    output: str | None,
    template: str | None,
    pack: str | None,
    new_name: str | None,
    *,
    list_references: bool,
    list_examples: bool,
    force: bool,
    as_json: bool,
    **wanted: Any,  # noqa: ANN401 - the options above
) -> None:
    """Write a starter inventory, or copy an example or a pack.

    It can be built as it is: rails share leaves as far as they fit, and prices are those of the
    newest price book that has the switch. The JSON Schema for editors is written beside it.
    With --reference it is that of a published design: it has its source as a comment, and a note
    where the source does not count that number of units. A copied template records the version of
    its original: `build` prints a note when that changes. A copied pack of a NOS configures the
    switches that name their ports under its new name in the catalog: --leaf copies one that does.
    """
    from fabricgen.catalog.catalog import Catalog

    catalog, own_packs = Catalog(wanted.pop("roots")), wanted.pop("templates")
    if list_references:
        _list_references(catalog, as_json=as_json)
        return
    if list_examples:
        _list_examples(as_json=as_json)
        return
    file = _file(file, output)
    if template is not None:
        from fabricgen.cli.copies import copy_template

        if not _stated("file"):
            raise click.UsageError("give the directory of your templates, or `-` to print the copy")
        copy_template(template, file, force=force, as_json=as_json)
        return
    if pack or new_name:
        from fabricgen.cli.copies import copy_pack

        if not pack or not new_name or not _stated("file") or file == "-":
            raise click.UsageError("a copy of a pack takes --pack PACK, --as NAME and a directory")
        copy_pack(pack, new_name, wanted["leaf"], file, force=force, as_json=as_json)
        return
    _write_inventory(file, wanted, catalog, own_packs, force=force, as_json=as_json)


def _write_inventory(
    file: str,
    wanted: dict[str, Any],
    catalog: Catalog,
    own_packs: tuple[Path, ...],
    *,
    force: bool,
    as_json: bool,
) -> None:
    """Write an inventory that can be built, and its schema beside it, or print it."""
    from fabricgen.build.load_plan import plan_of
    from fabricgen.build.write.manifest import json_document
    from fabricgen.build.write.single_file import check_file, write_file
    from fabricgen.cli.starter import starter_notes
    from fabricgen.inventory.fabric import json_schema
    from fabricgen.inventory.load import read_text
    from fabricgen.outputs.packs.render import Packs

    _check_options(wanted)
    target = None if file == "-" else Path(file)
    if target:
        check_file(target, force=force)
        check_file(target.with_name(SCHEMA), mark=SCHEMA_MARK, force=force)
    packs = Packs(own_packs)
    text, origins = _text(wanted, catalog, packs)
    plan = plan_of(read_text(text, "init", origins), catalog, packs)
    notes = _notes(wanted, catalog) if _ready(wanted) else list(starter_notes(plan))
    if target is None:
        text += "".join(f"# {note}\n" for note in notes)
        print_document({"text": text}) if as_json else echo(text, nl=False)
        return
    write_file(target, text, force=force)
    write_file(
        target.with_name(SCHEMA), json_document(json_schema()), mark=SCHEMA_MARK, force=force
    )
    WRITTEN.extend((target, target.with_name(SCHEMA)))
    if as_json:
        files = {"file": str(target), "schema": str(target.with_name(SCHEMA))}
        print_document(files | {"notes": notes})
        return
    echo(f"wrote {target} and {target.with_name(SCHEMA)}; next: fabricgen build {target} -o out")
    for note in notes:
        echo(f"note: {note}")


def _list_examples(*, as_json: bool) -> None:
    """Print the shipped inventories."""
    from fabricgen.cli.examples import example_list

    listed = example_list()
    if as_json:
        print_result(listed)
        return
    for name, text in listed.examples.items():
        echo(f"{name}: {text}")


def _ready(wanted: dict[str, Any]) -> str | None:
    """Return the option that names a whole inventory: --reference or --example."""
    return next((option for option in ("reference", "example") if wanted[option]), None)


def _notes(wanted: dict[str, Any], catalog: Catalog) -> list[str]:
    """Return what to know of a published design: whether its source has this size."""
    from fabricgen.cli.references import extrapolation, find_reference

    if not (wanted["reference"] and wanted["units"]):
        return []
    text = extrapolation(find_reference(wanted["reference"], catalog), wanted["units"])
    return [text] if text else []


def _list_references(catalog: Catalog, *, as_json: bool) -> None:
    """Print the published designs."""
    from fabricgen.cli.references import ReferenceList, print_references

    references = catalog.references()
    if as_json:
        print_result(ReferenceList(references))
        return
    print_references(references)


def _stated(option: str) -> bool:
    """Return whether the command line has an option or an argument."""
    source = click.get_current_context().get_parameter_source(option)
    return source is not ParameterSource.DEFAULT


def _file(file: str, output: str | None) -> str:
    """Return the file to write, of the argument or of -o."""
    if output is not None and _stated("file"):
        raise click.UsageError("give the file once, as FILE or with -o")
    return file if output is None else output


def _check_options(wanted: dict[str, Any]) -> None:
    """Refuse options that exclude each other."""
    if wanted["leaf"] and wanted["radix"]:
        raise click.UsageError("a switch is either a --leaf model or a --radix")
    if wanted["units"] and not wanted["reference"]:
        raise click.UsageError("--units are those of a --reference")
    ready = _ready(wanted)
    both = [name for name in wanted.keys() - {ready, "units"} if _stated(name)]
    if ready and both:
        option = f"--{min(both).replace('_', '-')}"
        raise click.UsageError(f"{option} and --{ready} exclude each other: edit what is written")


def _text(wanted: dict[str, Any], catalog: Catalog, packs: Packs) -> tuple[str, dict[KeyPath, str]]:
    """Return the text of the inventory, and the options that set its keys."""
    from fabricgen.cli.examples import example_text
    from fabricgen.cli.references import find_reference, reference_text
    from fabricgen.cli.starter import starter_text

    if wanted["example"]:
        return example_text(wanted["example"], SCHEMA), {}
    if wanted["reference"]:
        reference = find_reference(wanted["reference"], catalog)
        units = wanted["units"] or reference.published[0]
        return reference_text(reference, units, SCHEMA), {("gpus",): f"--units {units}"}
    origins: dict[KeyPath, str] = {
        path: f"--{option.replace('_', '-')} {wanted[option]}"
        for option, paths in ORIGINS.items()
        if wanted[option] is not None
        for path in paths
    }
    return starter_text(wanted, catalog, packs, SCHEMA), origins
