"""The site's own lines in the files of switches: `overrides`, and the hooks of a pack.

Owns which texts a file receives, where, and how they are marked. A hook is the template
`site.before.j2` or `site.after.j2` of a pack: empty as it ships, and rendered for the pack's main
file where a user's own shadows it. Other files have hooks with their names, which do not ship.
Overrides come after hooks, in the order of the inventory. `override_checks` verifies overrides,
`merged_document` merges those of documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.diagnostics import Refusal, refuse
from fabricgen.core.files import FileError
from fabricgen.outputs.packs.line_origins import MarkedText, OriginLine
from fabricgen.outputs.packs.merged_document import (
    Merge,
    MergeError,
    document_text,
    parse_document,
    parse_fragment,
)
from fabricgen.outputs.packs.override_places import (
    ENDS,
    OverridePlace,
    file_name,
    find_place,
    hook_names,
    section_of,
)
from fabricgen.outputs.packs.rendered_texts import RenderedTexts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.outputs.packs.merged_document import Value
    from fabricgen.outputs.packs.pack_output import OverrideForm, PackOutput
    from fabricgen.outputs.packs.pack_yaml import Pack
    from fabricgen.outputs.packs.render import Packs
    from fabricgen.views.switches.view import SwitchView


class Placed(NamedTuple):
    """A text of a file, and its place there."""

    spot: str
    text: str
    origin: str
    """The template of a hook, or the name of the override."""
    number: int
    """The number of the override; -1 for a hook."""


class SwitchFile(NamedTuple):
    """A rendered file of a switch; `mode` is None where its reader needs no particular one."""

    output: PackOutput
    path: str
    """Its path below OUT."""
    text: str
    mode: int | None
    secret: bool
    """Whether it holds secrets."""


class SiteLines:
    """Renders the files of switches, with the site's own lines in them."""

    def __init__(self, packs: Packs, texts: RenderedTexts | None = None) -> None:
        """Keep the packs and the texts of their files; places and hooks are looked up once."""
        self._packs, self._texts = packs, texts or RenderedTexts()
        self._places: dict[tuple[str, str], OverridePlace | None] = {}
        self._own_hooks: dict[tuple[str, str], list[tuple[str, str]]] = {}

    def files(
        self, pack: Pack, outputs: Iterable[PackOutput], switch: SwitchView
    ) -> list[SwitchFile]:
        """Render files of a switch with the values of secrets. Raises Refusal."""
        files = list[SwitchFile]()
        for output in outputs:
            path = output.path.format(switch=switch.name)
            with self._packs.secrets as secrets:
                text = self._rendered(pack, output, switch)
            if not secrets.values:
                self._texts.keep(path, text)
            files.append(SwitchFile(output, path, text, output.bits, secrets.used))
        return files

    def render(self, pack: Pack, output: PackOutput, switch: SwitchView) -> str:
        """Return the text of a file of a switch without the values of secrets. Raises Refusal."""
        kept = self._texts.find(output.path.format(switch=switch.name))
        return self._rendered(pack, output, switch) if kept is None else kept

    def _rendered(self, pack: Pack, output: PackOutput, switch: SwitchView) -> str:
        """Render a file of a switch, with the site's own lines."""
        placed, form = self._placed(pack, output, switch), output.overrides
        if placed and form and form.format == "lines":
            return "".join(line.text for line in self._lines(pack, output, switch, placed))
        text = self._packs.render(pack.name, output.template, switch=switch)
        return _merged(text, output, form, placed) if placed and form else text

    def origins(self, pack: Pack, output: PackOutput, switch: SwitchView) -> list[OriginLine]:
        """Return the lines of a file with their origins; of a document, before it is merged."""
        placed = self._placed(pack, output, switch)
        if output.overrides and output.overrides.format == "lines":
            return self._lines(pack, output, switch, placed, marked=True)
        return self._packs.render_marked(pack.name, output.template, switch=switch).lines

    def merged_into(
        self, pack: Pack, output: PackOutput, switch: SwitchView
    ) -> list[tuple[str, str]]:
        """List the origin and the place of each text that is merged into a document."""
        if output.overrides and output.overrides.format != "lines":
            return [(text.origin, text.spot) for text in self._placed(pack, output, switch)]
        return []

    def place(self, pack: Pack, place: str) -> OverridePlace | None:
        """Find a place of a pack once: all switches of its NOS have it."""
        key = pack.name, place
        if key not in self._places:
            self._places[key] = find_place(self._packs, pack, place)
        return self._places[key]

    def _placed(self, pack: Pack, output: PackOutput, switch: SwitchView) -> list[Placed]:
        """Return the texts of a file: hooks, then overrides."""
        if not self._packs.roots and not switch.overrides:  # as nearly all switches
            return []
        placed = [*self._hooks(pack, output, switch)]
        for own in switch.overrides:
            found = self.place(pack, own.place)
            if found and found.output is output:
                placed.append(Placed(found.spot, own.text, own.name, own.number))
        return placed

    def _hooks(self, pack: Pack, output: PackOutput, switch: SwitchView) -> Iterator[Placed]:
        """Yield the texts of a user's own hooks in a file."""
        if not output.overrides:
            return
        key = pack.name, output.path
        if key not in self._own_hooks:
            self._own_hooks[key] = [
                (spot, name)
                for spot, name in hook_names(pack, output).items()
                if self._is_own(pack.name, name)
            ]
        for spot, name in self._own_hooks[key]:
            text = self._packs.render(pack.name, name, switch=switch)
            if text.strip():
                yield Placed(spot, text, f"{pack.name}/{name}", -1)

    def _is_own(self, pack: str, name: str) -> bool:
        """Return whether a template is a user's own."""
        found = self._packs.files(pack, name)
        return bool(found) and self._packs.home not in found[0].parents

    def _lines(
        self,
        pack: Pack,
        output: PackOutput,
        switch: SwitchView,
        placed: list[Placed],
        *,
        marked: bool = False,
    ) -> list[OriginLine]:
        """Return the lines of a text file with the site's own; others may be in one piece."""
        name = f"{pack.name}/{output.template}"
        if marked or any(text.spot not in ENDS for text in placed):
            base = self._packs.render_marked(pack.name, output.template, switch=switch)
        else:
            whole = self._packs.render(pack.name, output.template, switch=switch)
            base = MarkedText([OriginLine(whole, name, 1)], {})
        comment = output.overrides.comment if output.overrides else ""
        added: dict[int, list[OriginLine]] = {}
        for text in _outside_in(placed):
            added.setdefault(self._index(base, text, switch), []).extend(_marked(text, comment))
        lines = list[OriginLine]()
        for index in range(len(base.lines) + 1):
            if index in added and lines and not lines[-1].text.endswith("\n"):
                lines[-1] = lines[-1]._replace(text=f"{lines[-1].text}\n")
            lines += added.get(index, [])
            lines += base.lines[index : index + 1]
        return lines

    def _index(self, base: MarkedText, text: Placed, switch: SwitchView) -> int:
        """Return before which line a text is inserted.

        Raises Refusal `unknown-place` for a section that this switch does not have.
        """
        if text.spot in ENDS:
            return len(base.lines) if text.spot == "after" else 0
        ends = [end for name, end in base.ends.items() if section_of(name) == text.spot]
        if not ends:
            has = ", ".join(dict.fromkeys(map(section_of, base.ends)))
            raise refuse(
                "unknown-place",
                f"{switch.name} has no section `{text.spot}`",
                path=("overrides", text.number, "place"),
                hint=f"match other switches, or use a section that it has: {has}",
            )
        return max(ends)


def _outside_in(placed: list[Placed]) -> list[Placed]:
    """Return texts in the order of their lines: a hook is nearer to the pack's lines."""
    first = [text for text in placed if text.spot == "before"]
    return [
        *(text for text in first if text.number >= 0),
        *(text for text in first if text.number < 0),
        *(text for text in placed if text.spot != "before"),
    ]


def _marked(text: Placed, comment: str) -> list[OriginLine]:
    """Return the lines of a text, between two comments where it is of an override."""
    body = text.text if text.text.endswith("\n") else f"{text.text}\n"
    lines = [
        OriginLine(line, text.origin, number)
        for number, line in enumerate(body.splitlines(keepends=True), start=1)
    ]
    if text.number < 0 or not comment:
        return lines
    begin, end = (
        OriginLine(f"{comment} {word} {text.origin}\n", text.origin, 0) for word in ("begin", "end")
    )
    return [begin, *lines, end]


def _merged(text: str, output: PackOutput, form: OverrideForm, placed: list[Placed]) -> str:
    """Return a document with fragments merged into it. Raises Refusal."""
    try:
        document: Value = parse_document(text, form.format)
    except (FileError, Refusal) as error:
        fact = f"{file_name(output)} is no document that an override can be merged into"
        hint = "correct the template that writes it"
        raise refuse("bad-template", fact, because=(str(error),), hint=hint) from None
    for each in placed:
        try:
            fragment = parse_fragment(each.text, form.format)
            merge = Merge(form.keys, replaces=each.spot != "before")
            pointer = "" if each.spot in ENDS else each.spot
            document = merge.below(document, form.below + pointer, fragment)
        except (MergeError, FileError) as error:
            raise _unmergeable(each, output, error) from None
    return document_text(document, form.format)


def _unmergeable(text: Placed, output: PackOutput, error: Exception) -> Refusal:
    """Return the refusal of a fragment that does not fit its document."""
    if text.number < 0:
        fact = f"{text.origin} cannot be merged into {file_name(output)}"
        return refuse("bad-template", fact, because=(str(error),))
    return refuse(
        "bad-override",
        f"{text.origin} cannot be merged into {file_name(output)}",
        path=("overrides", text.number),
        because=(str(error),),
        hint="write the value as the document has it, or remove the key first with `null`",
    )
