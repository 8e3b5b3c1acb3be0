"""Copies of shipped templates and packs, which `init` writes for a user to change."""

from __future__ import annotations

from pathlib import Path

import click

from fabricgen.build.write.single_file import check_file, make_parents, write_file
from fabricgen.catalog.catalog import Catalog
from fabricgen.cli.printing import echo, print_document
from fabricgen.cli.streams import WRITTEN
from fabricgen.core.diagnostics import suggest
from fabricgen.core.resources import shipped
from fabricgen.outputs.groups import WORDS
from fabricgen.outputs.packs.pack_copies import NAME, renamed_files, switch_text
from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.packs.shadows import copy_of, shipped_names


def copy_template(name: str, folder: str, *, force: bool, as_json: bool) -> None:
    """Write a copy of a shipped template below a directory. Raises Refusal, or BadParameter."""
    packs = Packs()
    names = shipped_names(packs)
    if name not in names:
        hint = suggest(name, names, "`fabricgen build --explain-templates SWITCH` lists those used")
        raise click.BadParameter(
            f"no template `{name}` is shipped; {hint}", param_hint="'--template'"
        )
    text = copy_of(packs, name)
    if folder == "-":
        print_document({"text": text}) if as_json else echo(text, nl=False)
        return
    target = Path(folder) / name
    check_file(target, force=force)
    make_parents(target)
    write_file(target, text, force=force)
    WRITTEN.append(target)
    if as_json:
        print_document({"file": str(target)})
    else:
        echo(f"wrote {target}; next: fabricgen build fabric.yaml -o out --templates {folder}")


def copy_pack(
    name: str, new: str, leaf: str | None, folder: str, *, force: bool, as_json: bool
) -> None:
    """Write a copy of a shipped pack below a directory, and of a switch that runs its NOS.

    Raises Refusal, or BadParameter.
    """
    packs, root = Packs(), Path(folder)
    found = packs.pack(name)
    if found is None:
        hint = suggest(name, packs.names(), "`fabricgen build --list-outputs` lists them")
        raise click.BadParameter(f"no pack `{name}` is shipped; {hint}", param_hint="'--pack'")
    _check_name(new, packs)
    files = {root / new / file: text for file, text in renamed_files(packs, found, new).items()}
    if leaf is not None:
        files[root / "switches" / f"{leaf}.yaml"] = _switch(leaf, found.nos or "", new)
    for path in files:
        check_file(path, force=force)
    for path, text in files.items():
        make_parents(path)
        write_file(path, text, force=force)
        WRITTEN.append(path)
    if as_json:
        print_document({"files": [*map(str, files)]})
        return
    more = f" --catalog {folder}" if leaf else "" if found.nos else f" --only {new}"
    build = f"fabricgen build fabric.yaml -o out --templates {folder}{more}"
    needs = "" if leaf or not found.nos else f"; its switches name their ports under `{new}`"
    echo(f"wrote {len(files)} files below {folder}; next: {build}{needs}")


def _check_name(new: str, packs: Packs) -> None:
    """Refuse the name of a copy that no pack can have, or that others have."""
    if not NAME.fullmatch(new):
        fact = f"`{new}` is not of lower-case letters, digits and hyphens"
        raise click.BadParameter(fact, param_hint="'--as'")
    if new in {*packs.names(), *WORDS}:
        fact = f"`{new}` is the name of a shipped pack or of a group of files; choose another"
        raise click.BadParameter(fact, param_hint="'--as'")


def _switch(model: str, nos: str, new: str) -> str:
    """Return the catalog file of a switch that runs a new NOS as well."""
    path = shipped("inventories") / "catalog" / "switches" / f"{model}.yaml"
    known = Catalog().names("switches")
    text = switch_text(path, nos, new) if model in known else None
    if text is None:
        hint = suggest(model, known, "`fabricgen catalog list` lists switches")
        fact = f"no switch `{model}` that runs `{nos}` is shipped; {hint}"
        raise click.BadParameter(fact, param_hint="'--leaf'")
    return text
