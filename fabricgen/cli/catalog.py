"""`catalog`: hardware with its sources, and the import of switch definitions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fabricgen.cli.command import CommandGroup
from fabricgen.cli.completion import complete_models, complete_nos
from fabricgen.cli.options import catalog_option, json_option
from fabricgen.cli.printing import echo, print_document, print_result, table
from fabricgen.cli.streams import WRITTEN
from fabricgen.core.document import Document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabricgen.catalog.models.base import Sourced

KINDS = (
    "switches",
    "hosts",
    "nics",
    "transceivers",
    "cables",
    "connectors",
    "cassettes",
    "panels",
    "trunks",
    "devices",
    "power-cords",
    "prices",
    "accelerators",
    "libraries",
    "workloads",
)


@dataclass(frozen=True)
class ModelList(Document):
    """The models of each kind by name: `catalog list --json`."""

    models: Mapping[str, Mapping[str, Sourced]]

    def document(self) -> dict[str, Any]:
        """Return the description of each model, by kind and name."""
        return {
            kind: {name: part.description for name, part in parts.items()}
            for kind, parts in self.models.items()
        }


@dataclass(frozen=True)
class ModelFacts(Document):
    """The facts of a model: `catalog show --json`."""

    kind: str
    facts: Mapping[str, Any]
    """What its file holds."""

    def document(self) -> dict[str, Any]:
        """Return the kind of a model, then its facts."""
        return {"kind": self.kind, **self.facts}


@click.group(cls=CommandGroup)
def catalog() -> None:
    """List hardware with its sources; import a switch definition."""


@catalog.command("list", examples=("fabricgen catalog list switches",))
@click.argument(
    "kind",
    required=False,
    metavar="[KIND]",
    type=click.Choice(KINDS),
    help=f"One of {', '.join(KINDS)}; default: all.",
)
@catalog_option
@json_option
def list_models(kind: str | None, roots: tuple[Path, ...], *, as_json: bool) -> None:
    """List the models of one kind, or of all."""
    from fabricgen.catalog.catalog import Catalog

    known = Catalog(roots)
    kinds = [kind] if kind else list(KINDS)
    found = {
        each: {name: part for name in known.names(each) if (part := known.find(each, name))}
        for each in kinds
    }
    if as_json:
        print_result(ModelList(found))
        return
    for each, parts in found.items():
        rows = [(each, ""), *((f"  {name}", part.description) for name, part in parts.items())]
        echo(table(rows))


@catalog.command("show", examples=("fabricgen catalog show sn5600",))
@click.argument(
    "model",
    shell_complete=complete_models(),
    help="Name of a switch, host, module, cable, panel or price book.",
)
@catalog_option
@json_option
def show_model(model: str, roots: tuple[Path, ...], *, as_json: bool) -> None:
    """Show every fact of a model with its sources.

    Facts that could not be verified are marked.
    """
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.core.diagnostics import refuse, suggest
    from fabricgen.core.yaml_text import write_yaml

    known = Catalog(roots)
    kind, part = next(
        ((each, part) for each in KINDS if (part := known.find(each, model))), ("", None)
    )
    if part is None:
        every = [name for each in KINDS for name in known.names(each)]
        hint = suggest(model, every, "`fabricgen catalog list` shows what there is")
        raise refuse("unknown-model", f"the catalog has no `{model}`", hint=hint)
    facts = part.model_dump(mode="json", exclude_none=True)
    if as_json:
        print_result(ModelFacts(kind, facts))
        return
    for key, value in facts.items():
        lines = write_yaml({key: value}).rstrip("\n").split("\n")
        echo("\n".join([lines[0] + _mark(key, facts.get("unverified", ())), *lines[1:]]))


def _mark(key: str, unverified: Sequence[str]) -> str:
    """Return the comment of a fact that could not be verified, or of which a part could not."""
    parts = [each.partition(".")[2] for each in unverified if each.partition(".")[0] == key]
    return f"  # unverified{': ' * all(parts)}{', '.join(parts) * all(parts)}" if parts else ""


@catalog.command("import", examples=("fabricgen catalog import device-type.yaml -o own",))
@click.argument(
    "file",
    type=click.Path(path_type=Path),
    help="NetBox device type, platform.json of SONiC, or SwitchProfile of Hedgehog.",
)
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Directory of your catalog files; default: print the file.",
)
@click.option(
    "--nos",
    shell_complete=complete_nos,
    default="frr",
    show_default=True,
    help="NOS whose port names the NetBox device type uses.",
)
@click.option(
    "--set",
    "sets",
    multiple=True,
    metavar="KEY=VALUE",
    help="State a fact that the file lacks, such as form_factor=osfp; may be repeated.",
)
@json_option
def import_switch(
    file: Path, folder: Path | None, nos: str, sets: tuple[str, ...], *, as_json: bool
) -> None:
    """Make a catalog file of a switch from another project's description.

    Facts that FILE lacks are left out, or assumed and marked; the command lists both. The result
    is written to `switches/` in the directory of -o, for use with --catalog. An existing file is
    never overwritten.
    """
    from fabricgen.build.write.single_file import check_file, make_parents, write_file
    from fabricgen.catalog.importers.detect import read_description
    from fabricgen.catalog.importers.model_draft import draft_model
    from fabricgen.inventory.set_options import read_settings

    stated = {".".join(map(str, path)): value for path, (_, value) in read_settings(sets).items()}
    draft = draft_model(file, read_description(file, nos), stated)
    facts = {"model": draft.model, "needed": list(draft.needed)}
    if folder is None:
        print_document(facts | {"text": draft.text}) if as_json else echo(draft.text, nl=False)
        return
    target = folder / "switches" / f"{draft.model}.yaml"
    check_file(target, hint="choose another directory, or remove the file yourself")
    make_parents(target)
    write_file(target, draft.text)
    WRITTEN.append(target)
    if as_json:
        print_document(facts | {"file": str(target)})
        return
    echo(f"wrote {target}; next: fabricgen catalog show {draft.model} --catalog {folder}")
    for sentence in draft.needed:
        echo(f"still needed: {sentence}", err=True)
