"""Templates that nest deeply are refused as `bad-template`, wherever the program parses them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.limits.bounded import LAB, answers

if TYPE_CHECKING:
    from pathlib import Path

DEEP = 3000
FORMS = {
    "round": f"{{{{ {'(' * DEEP}1{')' * DEEP} }}}}",
    "square": f"{{{{ {'[' * DEEP}1{']' * DEEP} }}}}",
    "not": f"{{{{ {'not ' * DEEP}1 }}}}",
    "sum": f"{{{{ {'1+' * DEEP}1 }}}}",
    "if": f"{'{% if 1 %}' * DEEP}{'{% endif %}' * DEEP}",
}


def test_deep_templates_are_refused(tmp_path: Path) -> None:
    """Read by its pack, and beside an unread file, whose search parses every template."""
    commands = []
    for name, text in FORMS.items():
        for beside in (False, True):
            folder = tmp_path / f"{name}-{beside}"
            pack = folder / "t" / "frr"
            pack.mkdir(parents=True)
            (pack / "hostname.j2").write_text(text, encoding="utf-8")
            if beside:
                (pack / "zzz.j2").write_text("x\n", encoding="utf-8")
            words = ["build", LAB, "-o", "out", "--only", "configs", "--templates", "t"]
            commands.append((folder, words))
    assert answers(commands) == [2] * len(commands)
    for folder, _ in commands:
        assert "error[bad-template]" in (folder / "errors.txt").read_text(encoding="utf-8"), folder
