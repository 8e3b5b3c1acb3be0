"""`catalog`: what can be bought, with its sources."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - click reads the annotation's value at run time

import click

from fabricgen.cli.options import ROOT, json_option
from fabricgen.cli.printing import print_json, table

KINDS = ("switches", "hosts", "nics", "transceivers", "cables", "prices", "accelerators", "workloads")
roots_option = click.option("--catalog", "roots", type=ROOT, multiple=True, envvar="FABRICGEN_CATALOG", help="Directory of your own catalog files.")


@click.group()
def catalog() -> None:
    """Show what can be bought, and where its facts come from."""


@catalog.command("list")
@click.argument("kind", required=False, type=click.Choice(KINDS))
@roots_option
@json_option
def list_models(kind: str | None, roots: tuple[Path, ...], *, as_json: bool) -> None:
    """List the models of one kind, or of all."""
    from fabricgen.catalog import Catalog

    known = Catalog(roots)
    kinds = [kind] if kind else list(KINDS)
    found = {each: {name: part for name in known.names(each) if (part := known.find(each, name))} for each in kinds}
    if as_json:
        print_json({each: {name: part.description for name, part in parts.items()} for each, parts in found.items()})
        return
    for each, parts in found.items():
        rows = [(each, ""), *((f"  {name}", part.description) for name, part in parts.items())]
        click.echo(table(rows))


@catalog.command("show")
@click.argument("model")
@roots_option
@json_option
def show_model(model: str, roots: tuple[Path, ...], *, as_json: bool) -> None:
    """Show every fact of a model, and where it comes from; what could not be verified is marked."""
    from fabricgen.catalog import Catalog
    from fabricgen.diagnostics import refuse, suggest
    from fabricgen.source import write_yaml

    known = Catalog(roots)
    kind, part = next(((each, part) for each in KINDS if (part := known.find(each, model))), ("", None))
    if part is None:
        every = [name for each in KINDS for name in known.names(each)]
        hint = suggest(model, every, "`fabricgen catalog list` shows what there is")
        raise refuse("unknown-model", f"the catalog has no `{model}`", hint=hint)
    facts = part.model_dump(mode="json", exclude_none=True)
    if as_json:
        print_json({"kind": kind, **facts})
        return
    doubtful = set(facts.get("unverified", ()))
    for key, value in facts.items():
        mark = "  # unverified" if key in doubtful else ""
        lines = write_yaml({key: value}).rstrip("\n").split("\n")
        click.echo("\n".join([lines[0] + mark, *lines[1:]]))
