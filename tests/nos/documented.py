"""A NOS without a parser outside its boxes: documented statements verify its files."""

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
"""The text that is replaced, its replacement, and words of the finding that must follow."""


@dataclass(frozen=True)
class Documented:
    """A release of a NOS: its file of statements, their grammar, its rendered variants."""

    nos: str
    file: str
    grammar: Grammar
    words: Callable[[SwitchFiles], Names]
    """Names on a switch: its ports, and what the NOS defines itself."""
    read: Callable[[str], Box]
    models: tuple[str, ...]
    """Models of the catalog whose breakouts are verified."""
    broken: tuple[Edit, ...]
    """Edits that make a statement undocumented."""
    misread: tuple[Edit, ...]
    """Edits that keep the statements valid and break the fabric."""
    release: str = ""
    variant: Callable[[str], list[SwitchFiles]] | None = None

    def switches(self, name: str) -> list[SwitchFiles]:
        """Return the files of each switch of a variant."""
        return self.variant(name) if self.variant else variant_files(name, self.nos)

    def text(self, one: SwitchFiles) -> str:
        """Return the statements of a switch."""
        return one.files[self.file]

    def findings(self, one: SwitchFiles, text: str | None = None) -> list[str]:
        """List the errors in the statements of a switch, or in a text in their place."""
        return self.grammar.findings(self.text(one) if text is None else text, self.words(one))
