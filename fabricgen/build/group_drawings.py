"""The group of drawings: each rail, stripe and network, in every form that a pack draws it in.

Owns their tasks. Rails are alike, and so are stripes, so that of many only the first is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.build.context import per_build
from fabricgen.build.pack_outputs import wanted_packs
from fabricgen.build.selection import Skipped
from fabricgen.build.write.files import Root, write_text
from fabricgen.outputs.drawings.build import Drawings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.context import BuildContext
    from fabricgen.build.task import BuildTask
    from fabricgen.build.write.manifest import Written
    from fabricgen.outputs.packs.pack_output import PackOutput


def tasks(context: BuildContext) -> Iterator[BuildTask | Skipped]:
    """List the drawings, pack by pack."""
    names: list[str] = []
    of_kind = {"rails": drawings(context).rails, "stripes": drawings(context).stripes}
    for kind, every in of_kind.items():
        files = f"drawings of all {kind} but the first"
        if over := context.selection.over("drawings", len(every), files):
            yield over
        names += [next(iter(every))] if over else every
    pictures = [("", name) for name in names]
    pictures += [(own, name) for own in context.networks for name in _of(context, own).rails]
    for pack in wanted_packs(context, "drawings"):
        for network, name in pictures:
            forms: list[tuple[str, str]] = []
            for output in pack.outputs:
                if skipped := _too_many_lines(_of(context, network), name, output):
                    yield skipped
                else:
                    forms.append((output.path, output.template))
            yield Picture(name, pack.name, tuple(forms), network)


@per_build
def drawings(context: BuildContext) -> Drawings:
    """Return the maker of the drawings."""
    return Drawings(context.plan)


def _of(context: BuildContext, network: str) -> Drawings:
    """Return the maker of the drawings of a network; of compute where its name is empty."""
    return drawings(context.networks[network] if network else context)


def _too_many_lines(drawn: Drawings, name: str, output: PackOutput) -> Skipped | None:
    """Return a form of a drawing as skipped where it has more lines than its reader shows."""
    most = output.most_lines
    if most is None or drawn.most_lines(name) <= most:
        return None
    lines = drawn.lines(name)
    if lines <= most:
        return None
    path = output.path.format(drawing=name)
    return Skipped(f"{path}: {lines} lines are more than the {most} that its reader shows")


@dataclass(frozen=True)
class Picture:
    """One drawing in the forms of a pack: path and template of each."""

    name: str
    pack: str
    forms: tuple[tuple[str, str], ...]
    network: str = ""
    """The network beside the compute fabric; empty for compute."""

    def paths(self, _: BuildContext) -> Iterator[str]:
        """List them."""
        return (path.format(drawing=self.name) for path, _ in self.forms)

    def prepare(self, context: BuildContext) -> None:
        """Make what all drawings share."""
        _ = _of(context, self.network).stripes

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Draw it once, and write each form."""
        view = _of(context, self.network).draw(self.name)
        for path, template in self.forms:
            text = context.packs.render(self.pack, template, drawing=view)
            yield write_text(root, path.format(drawing=self.name), text)
