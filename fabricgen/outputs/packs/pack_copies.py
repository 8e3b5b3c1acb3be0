"""A shipped pack under another name, and a switch that runs it, as the beginning of a user's own.

`shadows` has the copies of single templates, which replace the shipped ones.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fabricgen.core.yaml_text import load_facts, write_yaml
from fabricgen.outputs.packs.override_places import hook_names

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.outputs.packs.pack_yaml import Pack
    from fabricgen.outputs.packs.render import Packs

NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
"""How a pack may be called."""


def renamed_files(packs: Packs, pack: Pack, name: str) -> dict[str, str]:
    """Return the texts of the files of a shipped pack under another name, by file name.

    They are its pack.yaml and the templates that it reads. Templates of other packs are read where
    they are, and the site's lines keep their places. A pack of a NOS configures one of that name.
    """
    folder = packs.home / pack.name
    hooks = (hook_names(pack, output).values() for output in pack.open_outputs)
    named = [*pack.templates, *(hook for own in hooks for hook in own)]
    templates = dict.fromkeys(f"{pack.name}/{file}" for file in sorted(named))
    for template in list(templates):
        templates |= dict.fromkeys(packs.included_in(template))
    own = sorted(file for file in templates if file.startswith(f"{pack.name}/"))
    paths = [path for file in own if (path := packs.home / file).is_file()]
    texts = {path.name: _renamed(path.read_text("utf-8"), pack.name, name) for path in paths}
    described = (folder / "pack.yaml").read_text("utf-8")
    keys = rf"^(name|nos): {re.escape(pack.name)}$"
    return {"pack.yaml": re.sub(keys, rf"\1: {name}", described, flags=re.MULTILINE)} | texts


def _renamed(template: str, old: str, new: str) -> str:
    """Return a template that names those of its own pack by another name."""
    return re.sub(rf"""(["']){re.escape(old)}/""", rf"\g<1>{new}/", template)


def switch_text(path: Path, nos: str, new: str) -> str | None:
    """Return a catalog file of a switch that runs a new NOS as well.

    Its ports have the names and the facts that they have in `nos`; None where it does not run it.
    """
    values = {**load_facts(path)}
    if nos not in values.get("interfaces", {}):
        return None
    values["cage_groups"] = [
        _also(group, "interfaces", nos, new) for group in values.get("cage_groups", [])
    ]
    return write_yaml(_also(_also(values, "interfaces", nos, new), "nos", nos, new))


def _also(values: dict[str, Any], key: str, nos: str, new: str) -> dict[str, Any]:
    """Return values with what a mapping by NOS has of one for a new one, too."""
    known = values.get(key, {})
    return {**values, key: {**known, new: known[nos]}} if nos in known else values
