"""Strange YAML in every file and option that takes YAML.

Owns the campaign `yaml`: anchors, values that contain themselves, depth, tags, merge keys, tabs and
control characters, in place of a whole file or of one value of a valid one.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from fabricgen.core.resources import shipped
from tests.fuzz.documents import SMALL, Input, inputs
from tests.fuzz.program import Case, execute, faults

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MODEL = ("model", "f.yaml", "--llm", "gpt3", "--batch-tokens", "1M")
CONFIGS = ("build", "f.yaml", "-o", "out", "--only", "configs", "--templates", "own")
SHEETS = ("build", "f.yaml", "-o", "out", "--only", "cabling", "--templates", "own")
FORMS = (
    *("&a [*a]", "&a {x: *a}", "&a x", "*missing", "{<<: *missing}", "{<<: [{a: 1}, {b: 2}]}"),
    *("{<<: 7}", "{<<: {name: x}, name: y}", "&a {<<: *a}", "!!python/object:os.system x"),
    *("!!binary 'AAAA'", "!!binary '%'", "!!set {a, b}", "!!omap [a: 1]", "!!timestamp x"),
    *("!!int x", "!!float x", "!!bool 2", "!!null x", "!!map []", "!!seq {}", "!x!y z", "!<> x"),
    *("? [a, b]\n: c", "{[a]: b}", "{{a: b}: c}", "{? }", "? |\n  x\n: y", "{1: 2, 1: 3}"),
    *("|\n  a\tb", ">+9\n x", "|9\n  x", ">-\n\n\n", "'\t'", "\ta: b", "a:\tb", '"\\x00"'),
    *('"\\ud800"', '"\\U00110000"', '"\\e[31m"', "\x07", "\x85", "\u2028", "\ufeff"),
    *("%YAML 9.9\n---\na: b", "%TAG ! x\n---\na: b", "--- a\n--- b", "...", "---\n...\n---"),
    *("[" * 90 + "]" * 90, "[" * 101 + "]" * 101, "{a: " * 99 + "x" + "}" * 99, "- " * 2000),
    *("a" * 70_000, "'" + "b " * 70_000 + "'", "? " * 500, "[" + "1," * 30_000 + "]"),
    *("0b" + "1" * 9000, "0o" + "7" * 9000, "0x" + "f" * 9000, "1_0:59:59", "190:20:30", "-.inf"),
    *(
        ".NaN",
        "2026-13-45",
        "2026-01-01T99:99:99Z",
        "0001-01-01",
        "~",
        "yes",
        "1e5",
        "08",
        "=",
        "<<",
    ),
)
"""Values, and whole texts; most are YAML, and few are what the reader wants."""


@cache
def readers() -> tuple[Input, ...]:
    """Return everything that reads YAML, with a valid text."""
    small = {"f.yaml": SMALL + "nos: frr\n"}
    every = [each for each in inputs() if each.name.endswith(".yaml")]
    every += [
        Input("seen.yaml", PUBLISHED, (*MODEL, "--published", "seen.yaml"), small),
        Input("own/frr/pack.yaml", _template("frr/pack.yaml"), CONFIGS, small),
        Input("own/cabling/pack.yaml", _template("cabling/pack.yaml"), SHEETS, small),
        Input("own/cabling/profiles.yaml", _template("cabling/profiles.yaml"), SHEETS, small),
        Input("own/cabling/layouts.yaml", _template("cabling/layouts.yaml"), SHEETS, small),
    ]
    every += [
        Input(
            f"own/{kind}/{name}.yaml",
            (shipped("inventories") / "catalog" / kind / f"{name}.yaml").read_text("utf-8"),
            ("plan", "f.yaml", "--catalog", "own", "--json"),
            {"f.yaml": every[0].text},
        )
        for kind, name in (
            ("nics", "connectx-7"),
            ("transceivers", "mma4z00-ns"),
            ("devices", "ap8886"),
            ("accelerators", "h100-sxm"),
            ("connectors", "mpo12"),
        )
    ]
    return tuple(every)


PUBLISHED = (
    "name: seen\ndescription: one figure\nsource: somewhere\nfigures:\n"
    "  - {llm: gpt3, figure: relative_pct, printed: 90, bound: at-least}\n"
)


def _template(name: str) -> str:
    return (shipped("templates") / name).read_text(encoding="utf-8")


@st.composite
def texts(draw: st.DrawFn) -> Case:
    """Draw a run that reads strange YAML."""
    form = draw(st.sampled_from(FORMS))
    if draw(st.integers(0, 9)) == 0:
        key = draw(st.sampled_from(("rails", "vars", "name", "gpus", "networks.x", "site.rack")))
        return Case(("plan", "f.yaml", "--set", f"{key}={form}"), {"f.yaml": SMALL})
    chosen = draw(st.sampled_from(readers()))
    return Case(chosen.arguments, {**chosen.files, chosen.name: _formed(draw, chosen.text, form)})


def _formed(draw: st.DrawFn, text: str, form: str) -> str:
    """Put a form in place of a value, before or after all, or of the whole text."""
    lines = text.splitlines(keepends=True)
    at = draw(st.sampled_from([n for n, line in enumerate(lines) if ": " in line]))
    key, _, value = lines[at].rstrip("\n").partition(": ")
    anchored = [*lines[:at], f"{key}: &z {value}\n", *lines[at + 1 :], "more: *z\n"]
    return draw(
        st.sampled_from(
            (
                form,
                form + "\n" + text,
                text + form + "\n",
                "".join([*lines[:at], f"{key}: {form}\n", *lines[at + 1 :]]),
                "".join([*lines[:at], f"{key}: {form}\n", *lines[at + 1 :]]),
                "".join([*lines[:at], f"{key}: [{form}, {form}]\n", *lines[at + 1 :]]),
                "".join(anchored),
                text.replace("\n", "\r\n"),
                text.replace(" ", "\t", 3),
            )
        )
    )


def search_yaml(case: Case, home: Path) -> Iterator[tuple[Case, str]]:
    """Run one reading."""
    ended = execute(case, home)
    yield from ((case, fault) for fault in faults(case, ended))
