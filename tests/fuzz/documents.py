"""Every file that a command reads, corrupted.

Lines are lost, doubled and cut, tokens inserted, cells and numbers extremely long.

Owns the campaign `documents`. Each reader starts from a valid file, so that most draws get far.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from hypothesis import strategies as st

from fabricgen.api import plan_file
from fabricgen.core.resources import shipped
from fabricgen.planning.plan_document import plan_document
from tests.catalog.test_importers import platform
from tests.cli.test_cli import RICH
from tests.fabrics import cables_of
from tests.fuzz.program import Case, execute, faults
from tests.lifecycle.audit.test_load import DIALECTS, RECORDED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

SMALL = (
    "name: small\ndesign: fat-tree\ngpus: 4\nhb_domain: {gpus: 2}\nnaming: {leaf: "
    "'r0-leaf-{n}'}\nswitches: {leaf: {generic: {radix: 8}}}\n"
)
SMALL_IB = (
    "name: ib\ndesign: fat-tree\ngpus: 16\nhb_domain: {gpus: 8}\nhost: {model: "
    "dgx-h100}\nrails: {tiers: 2}\nswitches: {leaf: {model: qm9700}}\n"
    "addressing: {guids: guids.csv}\n"
)
PACK = (
    "name: mine\ndescription: d\ngroup: graph\nverified: by nothing\noutputs:\n  - "
    "{path: x.txt, template: x.j2, each: cables, reader: r}\n"
)
WORKLOAD = "gpt3.yaml"


class Input(NamedTuple):
    """A file that a command reads: its name, a valid text, the command.

    The other files of that run are beside it.
    """

    name: str
    text: str
    arguments: tuple[str, ...]
    files: Mapping[str, str] = {}


@cache
def inputs() -> tuple[Input, ...]:
    """Return every input with a valid text."""
    small, plan = {"f.yaml": SMALL}, plan_file(shipped("inventories") / "lab-64.yaml")
    cables = cables_of(plan)
    sheet = "\n".join(
        ["cable,a_device,a_interface,tier,b_device,b_interface"]
        + [
            (
                f"{cable.cable},{cable.a_device},{cable.a_interface},{cable.tier},"
                f"{cable.b_device},{cable.b_interface}"
            )
            for cable in cables
        ]
    )
    lab = {"f.yaml": (shipped("inventories") / "lab-64.yaml").read_text(encoding="utf-8")}
    devices = sorted({name for cable in cables for name in (cable.a_device, cable.b_device)})
    positions = "device,hall,row,rack,unit\n" + "".join(
        f"{name},A,1,{1 + at // 30},{1 + at % 30}\n" for at, name in enumerate(devices)
    )
    placed = {
        "f.yaml": lab["f.yaml"]
        + (
            "site: {positions: positions.csv, footprints: {host: {units: 1}, leaf: {units: "
            "1}, spine: {units: 1}}}\n"
        )
    }
    catalog = shipped("inventories")
    switch, cable_part, host = (
        (catalog / "catalog" / kind / name).read_text(encoding="utf-8")
        for kind, name in (
            ("switches", "sn5600.yaml"),
            ("cables", "mfp7e10.yaml"),
            ("hosts", "dgx-h100.yaml"),
        )
    )
    book, workload = (
        (catalog / kind / name).read_text(encoding="utf-8")
        for kind, name in (("prices", "paper-v5.yaml"), ("workloads", WORKLOAD))
    )
    dialects = {
        name: text if isinstance(text, str) else json.dumps(text) for name, text in DIALECTS.items()
    }
    rich = {"f.yaml": RICH}
    return (
        Input("f.yaml", RICH, ("plan", "f.yaml", "--json")),
        Input("f.yaml", RICH, ("check", "f.yaml", "--json")),
        *(
            Input(
                "r0-leaf-1.json",
                text,
                ("audit", "f.yaml", "--lldp", "r0-leaf-1.json", "--json"),
                small,
            )
            for text in dialects.values()
        ),
        Input(
            "r0-leaf-1.json",
            (RECORDED / "r0-leaf-1.json").read_text(encoding="utf-8"),
            ("audit", "f.yaml", "--lldp", "r0-leaf-1.json"),
            small,
        ),
        Input(
            "ib.txt",
            (RECORDED / "faithful.ibnetdiscover").read_text(encoding="utf-8"),
            ("audit", "f.yaml", "--ibnetdiscover", "ib.txt"),
            {"f.yaml": SMALL_IB.rsplit("addressing", 1)[0]},
        ),
        Input(
            "dead.txt",
            "link:r0-h00001\nport:r0-leaf-1 swp1\n",
            ("audit", "f.yaml", "--degraded", "dead.txt", "--json"),
            lab,
        ),
        Input("positions.csv", positions, ("plan", "f.yaml", "--json"), placed),
        Input(
            "guids.csv",
            "device,port,guid\nleaf-1,,0x0002c90000000001\nhost-1,mlx5_0,0x0002c90000000002\n",
            ("plan", "f.yaml"),
            {"f.yaml": SMALL_IB},
        ),
        Input(
            "serials.csv",
            "device,serial\nhost-1,A1\nr0-leaf-1,B2\n",
            (
                "build",
                "f.yaml",
                "-o",
                "out",
                "--only",
                "cabling",
                "--serials",
                "serials.csv",
                "--columns",
                "cable,a_device,a_serial",
            ),
            small,
        ),
        Input("book.yaml", book, ("plan", "f.yaml", "--prices", "book.yaml", "--json"), rich),
        Input(
            "own/switches/sn5600.yaml",
            switch,
            ("plan", "f.yaml", "--catalog", "own", "--json"),
            rich,
        ),
        Input(
            "own/cables/mfp7e10.yaml",
            cable_part,
            ("plan", "f.yaml", "--catalog", "own", "--json"),
            rich,
        ),
        Input(
            "own/hosts/dgx-h100.yaml", host, ("plan", "f.yaml", "--catalog", "own", "--json"), rich
        ),
        Input(
            "mine.yaml",
            workload,
            ("model", "f.yaml", "--llm", "mine.yaml", "--batch-tokens", "1M", "--json"),
            rich,
        ),
        Input("sheet.csv", sheet, ("import", "sheet.csv", "f.yaml", "-o", "taken.json"), lab),
        Input(
            "job.txt", "d0-g0\nd1-g0\nhost-3\n", ("placement", "f.yaml", "@job.txt", "--json"), lab
        ),
        Input(
            "plan.json",
            json.dumps(plan_document(plan, {"name": "lab-64"}), indent=1),
            ("check", "plan.json", "--json"),
        ),
        Input(
            "plan.json",
            json.dumps(plan_document(plan, {"name": "lab-64"}), indent=1),
            ("diff", "plan.json", "f.yaml", "--json"),
            lab,
        ),
        Input(
            "type.yaml",
            "manufacturer: X\nmodel: SN5600\nslug: sn5600\nu_height: 2\ninterfaces:\n  - "
            "{name: swp1, type: 800gbase-x-osfp}\n",
            ("catalog", "import", "type.yaml", "-o", "own"),
        ),
        Input(
            "platform.json",
            json.dumps(platform(2)),
            ("catalog", "import", "platform.json", "-o", "own"),
        ),
        Input(
            "own/mine/pack.yaml",
            PACK,
            ("build", "f.yaml", "-o", "out", "--only", "graph", "--templates", "own"),
            {**small, "own/mine/x.j2": "{% for row in chunk.rows %}{{ row.cable }}\n{% endfor %}"},
        ),
    )


LONG = 140_000
TOKENS = (
    "0",
    "-1",
    "7",
    "99999",
    "1e9",
    "1e999",
    "NaN",
    ".nan",
    "null",
    "~",
    "true",
    "[]",
    "{}",
    "{a: b}",
    '""',
    "'x",
    '"',
    "a: b",
    "&a ",
    "*a",
    "&a x\nb: &a y",
    "!x",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "#",
    "---",
    "\t",
    "\n",
    "\n  ",
    "\x00",
    "\x1b[31m",
    "\x9b",
    "\ufeff",
    "é",
    "\U0001f600",
    "\u202e",
    "2026-01-01",
    "{rail}",
    "{n!r}",
    "%",
    "@",
    "`",
    "9" * 30,
    "9" * 5000,
    "-" + "9" * 5000,
    "a" * LONG,
    '"' + "b" * LONG + '"',
    "[" * 3000,
    "{" * 3000,
    '{"a":' * 3000,
    "400T",
    "0G",
    "1:0",
    "../x",
    "/etc/passwd",
    "=1+1",
    "|",
    ";",
    "\r\n",
    "\udcff",
    "\udc80\udcfe",
    "<script>",
    "--",
    "$(id)",
    "auto",
    "generic",
    "10.0.0.0/30",
    "2",
    "64",
)


@st.composite
def spoiled(draw: st.DrawFn, text: str) -> str:
    """Change up to three things of a text."""
    for _ in range(draw(st.integers(0, 3))):
        at, end = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
        token = draw(st.sampled_from(TOKENS))
        lines = text.splitlines(keepends=True) or [""]
        line = draw(st.integers(0, len(lines) - 1))
        words = lines[line].split(draw(st.sampled_from((" ", ",", ":", '"'))))
        text = draw(
            st.sampled_from(
                (
                    text[:at] + token + text[at:],
                    text[:at] + text[min(end, at + 40) :],
                    text[: max(at, 1)],
                    "".join(lines[:line] + lines[line + 1 :]),
                    "".join([*lines[:line], lines[line], lines[line], *lines[line + 1 :]]),
                    "".join(
                        [
                            *lines[:line],
                            lines[line].replace(words[-1].strip() or "\0", token, 1),
                            *lines[line + 1 :],
                        ]
                    ),
                )
            )
        )
    return text


@st.composite
def readings(draw: st.DrawFn) -> Case:
    """Draw a run that reads a corrupted file."""
    chosen = draw(st.sampled_from(inputs()))
    return Case(chosen.arguments, {**chosen.files, chosen.name: draw(spoiled(chosen.text))})


def search_documents(case: Case, home: Path) -> Iterator[tuple[Case, str]]:
    """Run one reading."""
    ended = execute(case, home)
    yield from ((case, fault) for fault in faults(case, ended))
