"""The group of drawings: each rail and each stripe, in every form that a pack draws it in.

Owns their tasks, and how many are drawn unasked: rails are alike, and so are stripes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.build.write.files import Root, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.context import BuildContext, Task
    from fabricgen.build.write.manifest import Written
    from fabricgen.outputs.packs.pack_yaml import Output

DRAWN = 16
"""Above so many rails, or so many stripes, the first of them is drawn, and the others on request only."""


def drawings(sources: BuildContext) -> Iterator[Task]:
    """List the drawings, pack by pack."""
    drawn: list[str] = []
    for what, every in (("rails", sources.drawings.rails), ("stripes", sources.drawings.stripes)):
        few = len(every) <= DRAWN or "drawings" in sources.named
        if not few:
            sources.skipped.append(
                f"drawings of {len(every):,} {what} but the first: they are alike; `--only drawings` draws more than {DRAWN} all the same"
            )
        drawn += every if few else [next(iter(every))]
    for pack in sources.packs.group("drawings"):
        for name in drawn if sources.wants("drawings", pack.name) else ():
            forms = tuple(
                (output.path, output.template)
                for output in pack.outputs
                if _fits(sources, name, output)
            )
            yield Picture(name, pack.name, forms)


def _fits(sources: BuildContext, name: str, output: Output) -> bool:
    """Say whether a form of a drawing can be read with so many lines; where it cannot, the build says so."""
    most = sources.drawings.most_lines(name)
    if (
        output.most_lines is None
        or most <= output.most_lines
        or (lines := sources.drawings.lines(name)) <= output.most_lines
    ):
        return True
    sources.skipped.append(
        f"{output.path.format(drawing=name)}: {lines} lines are more than the {output.most_lines} that its reader shows"
    )
    return False


@dataclass(frozen=True)
class Picture:
    """One drawing in the forms of a pack: path and template of each."""

    name: str
    pack: str
    forms: tuple[tuple[str, str], ...]

    def paths(self, _: BuildContext) -> Iterator[str]:
        """List them."""
        return (path.format(drawing=self.name) for path, _ in self.forms)

    def prepare(self, sources: BuildContext) -> None:
        """Work out what all drawings share."""
        _ = sources.drawings.stripes

    def write(self, sources: BuildContext, root: Root) -> Iterator[Written]:
        """Draw it once, and write each form."""
        view = sources.drawings.draw(self.name)
        for path, template in self.forms:
            yield write_text(
                root,
                path.format(drawing=self.name),
                [sources.packs.render(self.pack, template, drawing=view)],
            )
