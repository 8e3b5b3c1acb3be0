"""A NOS that no parser is at hand for: the statements that its vendor documents judge what a pack writes for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.nos.model_variants import variant_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.nos.frr import Box
    from tests.nos.statements import Grammar, Names
    from tests.nos.switch_files import SwitchFiles

Edit = tuple[str, str, str]
"""What is replaced in a file, by what, and words of the finding that must follow."""


@dataclass(frozen=True)
class Documented:
    """A release of a NOS: the file of statements, their grammar, and the files of the variants in `pack_models`."""

    nos: str
    file: str
    grammar: Grammar
    words: Callable[[SwitchFiles], Names]
    """Names of a box: its ports, and what the NOS has by itself."""
    read: Callable[[str], Box]
    models: tuple[str, ...]
    """Models of the catalog whose breakouts are judged."""
    broken: tuple[Edit, ...]
    """Edits that make a file no longer what the vendor documents."""
    misread: tuple[Edit, ...]
    """Edits that leave the statements sound, but not the fabric."""
    release: str = ""
    variant: Callable[[str], list[SwitchFiles]] | None = None

    def switches(self, name: str) -> list[SwitchFiles]:
        """Return the files of each switch of a variant."""
        return self.variant(name) if self.variant else variant_files(name, self.nos)

    def text(self, one: SwitchFiles) -> str:
        """Return the statements of a switch."""
        return one.files[self.file]

    def findings(self, one: SwitchFiles, text: str | None = None) -> list[str]:
        """Say what is wrong with the statements of a switch, or with a text in their place."""
        return self.grammar.findings(self.text(one) if text is None else text, self.words(one))
