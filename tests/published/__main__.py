"""Write DIFFERENCES.md: `python -m tests.published`."""

from tests.published.tables import DIFFERENCES, differences

DIFFERENCES.write_text(differences(), encoding="utf-8")
