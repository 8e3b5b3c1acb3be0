"""The reference: pages that are made from the program while the site is built.

MkDocs calls `on_files`. Owns the pages of keys, hardware, packs, columns and messages; those of
what templates see are `seen`'s. Nothing made here is kept, and nothing is said here that the
program does not say itself.
"""

from __future__ import annotations

import re
import sys
from importlib.resources import files as resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File

from fabricgen.analysis.checks.laws import LAWS
from fabricgen.build.listing import OWN
from fabricgen.catalog.catalog import KINDS, Catalog
from fabricgen.inventory.fabric import json_schema
from fabricgen.outputs.packs.render import Packs
from fabricgen.views.cables.columns import FORMAT, LOOKED_UP, read_profiles
from fabricgen.views.cables.view import CableView

sys.path.insert(
    0, str(Path(__file__).parent)
)  # a hook of MkDocs is a file, which finds no neighbour by itself
from seen import Seen, anchor, attributes, code, seen_page, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

    from fabricgen.outputs.packs.pack_yaml import Pack


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the reference."""
    pages = {
        "inventory": inventory_page(json_schema()),
        "catalog": catalog_page(Catalog()),
        "packs": packs_page(Packs()),
        "columns": columns_page(Packs()),
        "views": seen_page(),
        "messages": messages_page(),
    }
    for name, text in pages.items():
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    return files


def inventory_page(schema: Mapping[str, Any]) -> str:
    """Tell of every key of an inventory."""
    parts = {name: part for name, part in schema["definitions"].items() if "properties" in part}
    return "\n\n".join(
        [
            "# Keys of an inventory",
            "Made from `fabricgen schema`. Only `name`, `gpus`, `hb_domain.gpus` and a leaf switch are required; any key can be overridden by `--set`.",
            *_keys("The inventory", "inventory", schema, parts),
            *(
                text
                for name in sorted(parts)
                for text in _keys(name, name.lower(), parts[name], parts)
            ),
        ]
    )


def _keys(
    title: str, anchor: str, part: Mapping[str, Any], parts: Mapping[str, Any]
) -> Iterator[str]:
    """Tell of the keys of one mapping."""
    yield f"## {title} {{ #{anchor} }}"
    yield part.get("description", "")
    required = part.get("required", [])
    rows = (
        [
            code(key) + (", required" if key in required else ""),
            _kind(said, parts),
            ""
            if said.get("default") in (None, []) or isinstance(said["default"], dict)
            else code(said["default"]),
            _escaped(said.get("description", "")),
            ", ".join(code(example) for example in said.get("examples", [])),
        ]
        for key, said in part["properties"].items()
    )
    yield table(["key", "value", "default", "meaning", "example"], rows)


def _kind(said: Mapping[str, Any], parts: Mapping[str, Any]) -> str:
    """Say what a value may be."""
    if "$ref" in said:
        name = said["$ref"].rsplit("/", 1)[1]
        return (
            f"[{name}](#{name.lower()})"
            if name in parts
            else _kind(json_schema()["definitions"][name], parts)
        )
    if "enum" in said:
        return ", ".join(map(code, said["enum"]))
    choices = said.get("anyOf") or said.get("allOf") or said.get("oneOf")
    if choices:
        return " or ".join(
            dict.fromkeys(text for choice in choices if (text := _kind(choice, parts)) != "null")
        )
    if said.get("type") == "array" and isinstance(said.get("items"), dict):
        return f"list of {_kind(said['items'], parts)}"
    if isinstance(said.get("additionalProperties"), dict):
        return f"mapping to {_kind(said['additionalProperties'], parts)}"
    bounds = [
        f"{word} {said[key]}"
        for key, word in (("minimum", "from"), ("maximum", "to"))
        if key in said
    ]
    types = said.get("type", "any")
    return " ".join([" or ".join(types) if isinstance(types, list) else types, *bounds])


def catalog_page(catalog: Catalog) -> str:
    """List every model that ships, and the facts that a file of each kind may have, each with a value that stands in one."""
    titles = ["fact", "type", "meaning", "a value"]
    texts = [
        "# What ships in the catalog",
        "`fabricgen catalog show MODEL` prints every fact of a model. What is listed as unverified could not be checked.",
    ]
    for kind, shape in KINDS.items():
        models = {
            name: facts for name in catalog.names(kind) if (facts := catalog.find(kind, name))
        }
        seen = Seen(kinds=["field"])
        seen.walk(*models.values())
        rows = (
            [code(name), _escaped(facts.description), ", ".join(map(code, facts.unverified))]
            for name, facts in models.items()
        )
        texts += [
            f"## {kind.capitalize()} {{ #{kind} }}",
            table(["file", "what", "unverified"], rows),
        ]
        texts += [f"### Facts of {kind} {{ #facts-{kind} }}", table(titles, seen.rows(shape))]
        texts += [
            text
            for part in seen.classes()
            if part is not shape
            for text in (
                f"#### {part.__name__} of {kind} {{ #{anchor(part)} }}",
                table(titles, seen.rows(part)),
            )
        ]
    return "\n\n".join(texts)


def packs_page(packs: Packs) -> str:
    """Tell of every pack: what it writes, for each of what, for whom, and by what its syntax was verified."""
    texts = [
        "# Packs and outputs",
        "Every file that `build` writes, with who reads it; `fabricgen build --list-outputs` prints the same.",
        "Path and template are those of the pack's `pack.yaml`, and what a template sees is in [what templates see](views.md).",
        "## Without a pack { #own }",
        table(
            ["path", "group", "reader"], ([code(row.path), row.group, row.reader] for row in OWN)
        ),
    ]
    for name in packs.names():
        pack = packs.pack(name)
        if pack:
            texts += _pack(pack)
    return "\n\n".join(texts)


def _pack(pack: Pack) -> Iterator[str]:
    """Tell of one pack."""
    yield f"## {pack.name} {{ #{pack.name} }}"
    yield pack.description
    facts = {
        "group": code(pack.group),
        "configures": code(pack.nos) if pack.nos else "",
        "releases": ", ".join(pack.nos_versions),
        "needs of the switch": ", ".join(map(code, pack.needs)),
        "at most": ", ".join(f"{code(key)} {most}" for key, most in pack.limits.items()),
        "in labs": ", ".join(
            f"{thing} as {code(box.image)}" for thing, box in pack.containers.items()
        ),
        "verified": pack.verified,
    }
    yield "\n".join(f"- {what}: {_escaped(text)}" for what, text in facts.items() if text)
    if pack.outputs:
        rows = (
            [
                code(output.path),
                f"[{output.each}](views.md#each-{output.each})",
                code(output.template),
                _escaped(output.reader),
            ]
            for output in pack.outputs
        )
        yield table(["path", "for each", "template", "reader"], rows)


def columns_page(packs: Packs) -> str:
    """List the columns that a sheet of cables can have, and the profiles that ship."""
    own = ([code(row.name), _escaped(row.says)] for row in attributes(CableView))
    looked = ([code(name), _escaped(row.says)] for name, row in LOOKED_UP.items())
    profiles = read_profiles(packs.files("cabling", "profiles.yaml"))
    return "\n\n".join(
        [
            "# Columns of the sheets of cables",
            f"For `fabricgen build --columns`. The version of their meaning is `{FORMAT}`; `cabling/cables.schema.json` says the same of one sheet.",
            table(["column", "meaning"], [*own, *looked]),
            "## Profiles",
            table(
                ["profile", "columns"],
                ([code(name), ", ".join(map(code, columns))] for name, columns in profiles.items()),
            ),
        ]
    )


def messages_page() -> str:
    """Print every page of `fabricgen explain`: the laws in the order in which they are asked, then the rest by the alphabet."""
    pages = {
        path.name.removesuffix(".md"): path.read_text(encoding="utf-8")
        for path in resources("fabricgen.cli").joinpath("pages").iterdir()
    }
    laws = [law.code for law in LAWS if law.code in pages]
    rest = sorted(set(pages) - set(laws))
    return "\n\n".join(
        [
            "# Messages, laws and terms",
            "What `fabricgen explain CODE` prints. An error carries its code in brackets: `error[rails-do-not-divide]`.",
            "## Laws { #laws }",
            *(_explained(name, pages) for name in laws),
            "## Errors and terms { #errors-and-terms }",
            *(_explained(name, pages) for name in rest),
        ]
    )


def _explained(name: str, pages: Mapping[str, str]) -> str:
    """Turn one page into a section, with links to those that it points to."""
    title, _, text = pages[name].partition("\n")

    def linked(match: re.Match[str]) -> str:
        return re.sub(
            r"`([a-z0-9-]+)`",
            lambda code: f"[{code[0]}](#{code[1]})" if code[1] in pages else code[0],
            match[0],
        )

    text = re.sub(r"^See also:.*?(?=\n\n|\Z)", linked, text.strip(), flags=re.MULTILINE | re.DOTALL)
    return f"### {name} {{ #{name} }}\n\n**{title.lstrip('# ')}**\n\n{text}"


def _escaped(text: str) -> str:
    """Keep a text from being read as a table or as HTML."""
    return text.replace("<", "&lt;").replace("\n", " ")
