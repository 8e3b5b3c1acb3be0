"""The reference: pages that are generated from the program while the site is built.

MkDocs calls `on_files`. Owns the pages of keys, hardware, packs, columns, messages and terms;
`seen` makes the page of the views. Generated pages are not kept in the repository.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

from fabricgen.analysis.checks.laws import LAWS
from fabricgen.build.listing import OWN
from fabricgen.catalog.catalog import Catalog
from fabricgen.catalog.kinds import KINDS
from fabricgen.cli.topics import ALIASES, pages
from fabricgen.inventory.keys import inventory_keys
from fabricgen.outputs.groups import GROUPS
from fabricgen.outputs.packs.render import Packs
from fabricgen.views.cables.columns import FORMAT, LOOKED_UP, read_profiles
from fabricgen.views.cables.view import CableView

sys.path.insert(
    0, str(Path(__file__).parent)
)  # a hook of MkDocs is a file, which finds no neighbour by itself
from seen import Seen, anchor, attributes, code, seen_page, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from importlib.resources.abc import Traversable

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

    from fabricgen.inventory.keys import InventoryKey
    from fabricgen.outputs.groups import GroupSpec
    from fabricgen.outputs.packs.pack_yaml import Pack
    from fabricgen.outputs.packs.verification import FileVerification


KEYS_INTRODUCTION = """
Generated from the models of the inventory. `fabricgen explain KEY` prints one key, `fabricgen
schema` the JSON Schema, and `--set KEY=VALUE` overrides a key.
"""
MESSAGES_INTRODUCTION = """
What `fabricgen explain CODE` prints. An error carries its code in brackets:
`error[rails-do-not-divide]`. The [glossary](glossary.md) lists the terms in short.
"""
GLOSSARY_INTRODUCTION = """
One word has one meaning, in commands, keys, files and code. Ranks (rail, plane, GPU) count from 0,
installed things (`r0-leaf-1`) from 1. `fabricgen explain TERM` prints the long form.
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the reference."""
    made = {
        "inventory": inventory_page(inventory_keys()),
        "catalog": catalog_page(Catalog()),
        "packs": packs_page(Packs()),
        "columns": columns_page(Packs()),
        "views": seen_page(),
        "messages": messages_page(),
        "glossary": glossary_page(),
    }
    for name, text in made.items():
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    return files


def inventory_page(keys: Mapping[str, InventoryKey]) -> str:
    """List the keys of an inventory: those of the top level, then a section for each mapping."""
    top = [key for key in keys.values() if "." not in key.name]
    mappings = [key for key in top if key.below]
    return "\n\n".join(
        [
            "# Keys of an inventory",
            KEYS_INTRODUCTION,
            "## Top level { #top }",
            _keys(top),
            *(
                f"## {key.name} {{ #{key.name} }}\n\n{_escaped(key.description)}\n\n{_keys(below)}"
                for key in mappings
                if (
                    below := [
                        each for each in keys.values() if each.name.startswith(f"{key.name}.")
                    ]
                )
            ),
        ]
    )


def _keys(keys: Iterable[InventoryKey]) -> str:
    """Lay out keys as a table."""
    rows = (
        [
            (
                f"[{code(key.name)}](#{key.name})"
                if key.below and "." not in key.name
                else code(key.name)
            )
            + (", required" if key.required else ""),
            _escaped(key.values),
            "" if key.default is None else code(key.default),
            _escaped(key.description),
            ", ".join(code(example) for example in key.examples),
        ]
        for key in keys
    )
    return table(["key", "value", "default", "meaning", "example"], rows)


def catalog_page(catalog: Catalog) -> str:
    """List every shipped model, and the facts of each kind with a value from some file."""
    titles = ["fact", "type", "meaning", "a value"]
    texts = [
        "# What ships in the catalog",
        (
            "`fabricgen catalog show MODEL` prints every fact of a model. Facts that are listed as"
            " unverified could not be checked."
        ),
    ]
    texts += _published_designs(catalog)
    listed: set[type] = set(KINDS.values())
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
        parts = [part for part in seen.classes() if part not in listed]
        listed.update(parts)
        texts += [
            text
            for part in parts
            for text in (
                f"#### {part.__name__} of {kind} {{ #{anchor(part)} }}",
                table(titles, seen.rows(part)),
            )
        ]
    return "\n\n".join(texts)


def _published_designs(catalog: Catalog) -> list[str]:
    """List the designs that `init --reference` writes."""
    rows = (
        [
            code(each.name),
            _escaped(each.description),
            f"{each.gpus_per_unit:,}: {_escaped(each.unit)}",
            ", ".join(map(str, each.published)),
            _escaped("; ".join(each.source)),
        ]
        for each in catalog.references()
    )
    return [
        "## Published designs { #references }",
        "`fabricgen init --reference NAME --units N` writes the inventory of one of them.",
        table(["name", "what", "GPUs of a unit", "units that are published", "source"], rows),
    ]


def packs_page(packs: Packs) -> str:
    """List every pack with its outputs, their readers, and how its syntax was verified."""
    texts = [
        "# Packs and outputs",
        (
            "Every file that `build` writes, with its reader; `fabricgen build --list-outputs`"
            " prints the same."
        ),
        (
            "Path and template are those of `pack.yaml`; [what templates see](views.md) lists the"
            " names in a template."
        ),
        "## Groups { #groups }",
        "What `--only` and `outputs` select. Above a limit the files are written on request only.",
        table(["group", "readers", "limits"], map(_group, GROUPS.values())),
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


def _group(spec: GroupSpec) -> list[str]:
    """Return the row of one group."""
    limits = [
        f"{limit.files}: {limit.most:,} {limit.counted}; {code(f'--only {limit.word}')}"
        for limit in spec.limits
    ]
    request = [f"on request: {code(f'--only {spec.name}')}"] if spec.on_request else []
    return [code(spec.name), _escaped(spec.readers), "<br>".join([*request, *limits])]


def _pack(pack: Pack) -> Iterator[str]:
    """Describe one pack."""
    yield f"## {pack.name} {{ #{pack.name} }}"
    yield pack.description
    facts = {
        "group": code(pack.group),
        "configures": code(pack.nos) if pack.nos else "",
        "releases": ", ".join(pack.nos_versions),
        "facts of the switch": "; ".join(
            f"{code(name)}{_necessity(pack, name)}: {meaning}"
            for name, meaning in pack.facts.items()
        ),
        "takes": "; ".join(f"{code(key)} {limit}" for key, limit in pack.limits.items()),
        "in labs": ", ".join(
            f"{thing} as {code(box.image)}" for thing, box in pack.containers.items()
        ),
        "management port": code(pack.terms.interface) if pack.terms.interface else "",
        "secrets": "; ".join(
            f"{code(f'management.{key}')}: {form}" for key, form in pack.terms.secrets.items()
        ),
        "leaves out of `management`": "; ".join(
            f"{code(key)}: {reason}" for key, reason in pack.terms.unsupported.items()
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
    if pack.verified_by:
        verified = (_verified(each) for each in pack.verified_by)
        yield table(["file", "verified by", "statements unknown to it", "documented in"], verified)


def _verified(record: FileVerification) -> list[str]:
    """Return the row of one record: its documents, each beside the statements that it covers."""
    unknown = ("all" if key == "*" else code(key) for key in record.unknown)
    return [
        ", ".join(map(code, record.files)),
        _escaped(record.tool or "no tool"),
        "<br>".join(unknown) or "none",
        "<br>".join(map(_escaped, record.unknown.values())),
    ]


def _necessity(pack: Pack, fact: str) -> str:
    """Return whether the files of a pack need a fact of the switch, or lack something without."""
    return " (needed)" if fact in pack.needs else " (wanted)" if fact in pack.wants else ""


def columns_page(packs: Packs) -> str:
    """List the columns of cable sheets, and the shipped profiles."""
    own = ([code(row.name), _escaped(row.text)] for row in attributes(CableView))
    looked = ([code(name), _escaped(row.text)] for name, row in LOOKED_UP.items())
    profiles = read_profiles(packs.files("cabling", "profiles.yaml"))
    return "\n\n".join(
        [
            "# Columns of the sheets of cables",
            (
                f"For `fabricgen build --columns`. The version of their meaning is `{FORMAT}`;"
                " `cabling/cables.schema.json` describes the columns of one sheet."
            ),
            table(["column", "meaning"], [*own, *looked]),
            "## Profiles",
            table(
                ["profile", "columns"],
                ([code(name), ", ".join(map(code, columns))] for name, columns in profiles.items()),
            ),
        ]
    )


def messages_page() -> str:
    """Print every page of `fabricgen explain`: checks in their order, then errors, then terms."""
    texts = {name: page.read_text(encoding="utf-8") for name, page in pages().items()}
    terms = sorted(pages("terms"))
    checks = [law.code for law in LAWS if law.code in texts and law.code not in terms]
    errors = sorted(set(texts) - set(checks) - set(terms))
    return "\n\n".join(
        [
            "# Messages, checks and terms",
            MESSAGES_INTRODUCTION,
            "## Checks { #laws }",
            *(_explained(name, texts) for name in checks),
            "## Errors { #errors }",
            *(_explained(name, texts) for name in errors),
            "## Terms { #terms }",
            *(_explained(name, texts) for name in terms),
        ]
    )


def glossary_page() -> str:
    """List every term with what it means in one sentence, and the other words for it."""
    others: dict[str, list[str]] = {}
    for word, name in ALIASES.items():
        others.setdefault(name, []).append(word)
    rows = [
        [f"[{title}](messages.md#{name})", _escaped(meaning), ", ".join(others.get(name, ()))]
        for name, page in sorted(pages("terms").items())
        for title, _, meaning in [_title(page).partition(": ")]
    ]
    return "\n\n".join(
        [
            "# Glossary",
            GLOSSARY_INTRODUCTION,
            table(["term", "meaning", "other words"], rows),
        ]
    )


def _title(page: Traversable) -> str:
    """Return the title of a page."""
    return page.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")


def _explained(name: str, texts: Mapping[str, str]) -> str:
    """Turn one page into a section, with links in its `See also`."""
    title, _, text = texts[name].partition("\n")

    def linked(match: re.Match[str]) -> str:
        return re.sub(
            r"`([a-z0-9-]+)`",
            lambda code: f"[{code[0]}](#{code[1]})" if code[1] in texts else code[0],
            match[0],
        )

    text = re.sub(r"^See also:.*?(?=\n\n|\Z)", linked, text.strip(), flags=re.MULTILINE | re.DOTALL)
    return f"### {name} {{ #{name} }}\n\n**{title.lstrip('# ')}**\n\n{text}"


def _escaped(text: str) -> str:
    """Escape a text for a table of Markdown."""
    return text.replace("<", "&lt;").replace("\n", " ")
