"""Inventories of any shape, and every command that reads one.

Owns the campaign `fabrics`: a drawn inventory is planned; where it is accepted it is verified,
compared, routed, built and counted, and where it is refused every other command refuses it as well.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from fabricgen.outputs.groups import GROUPS
from tests.fuzz.outputs import count_faults
from tests.fuzz.program import Case, Ended, execute, faults
from tests.laws.drawing import Inventory, inventories, wild_inventories

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILE, OUT = "f.yaml", "out"

ROOMS: tuple[Any, ...] = (
    "unknown",
    {"rack": {"units": 48}},
    {"rack": {"units": 48, "power_w": 45_000}},
    {"hosts_per_rack": 4, "rack": {"units": 48}},
    {"leaves": "top-of-rack"},
    {"network_racks": "row-end", "rows": 3},
    {"network_racks": "hall-middle", "halls": 2, "racks_per_row": 6},
    {"media": {"host": ["dac", "mmf"], "leaf_spine": ["mmf", "smf"]}},
    {"media": {"host": ["smf"], "leaf_spine": ["smf"], "spine_core": ["smf"]}},
    {"stock_lengths_m": {"mmf": [3, 30, 300], "dac": [2]}},
    {"tray": {"fill_pct": 40}},
    {"measured_m": {"r0-h00001": 12.5}},
    {
        "footprints": {
            "host": {"units": 8},
            "leaf": {"units": 2},
            "spine": {"units": 2},
            "core": {"units": 2},
        }
    },
)
EXTRAS: dict[str, tuple[Any, ...]] = {
    "site": ROOMS,
    "phases": (
        [{"name": "one", "planes": 1}, {"name": "two"}],
        [{"name": "one", "rails": 1}, {"name": "two", "rails": 2}, {"name": "all"}],
        [{"name": "one", "spines": 1}, {"name": "two"}],
        [{"name": "one", "rails": 99}],
        [{"gpus": 128}, {"gpus": 512}],
        [{"gpus": 256}, {"gpus": 1152}, {"gpus": 2304}],
        [{"gpus": 64}, {"rails": 2}],
        [],
    ),
    "prices": (
        "paper-v5",
        "paper-v1-fit",
        "street-2026-09",
        {"book": "street-2026-09", "discount": {"all": 10}, "parts": {"mmf": 7}},
    ),
    "spares": (
        {
            "switches": {"minimum": 1},
            "cables": {"percent": 5, "pack": 10},
            "transceivers": {"percent": 2},
        },
        {"nics": {"minimum": 2}},
    ),
    "nos": (
        "frr",
        "sonic",
        "eos",
        "nvue",
        "nxos",
        "junos",
        "srlinux",
        "cumulus",
        {"leaf": "frr"},
        {"leaf": "sonic", "spine": "eos"},
        {"rails": {"0": "frr"}},
    ),
    "naming": (
        {"leaf": "r{rail}-l{n}"},
        {"host": "dgx-{n:03}"},
        {"leaf": "x{n}", "spine": "y{n}"},
        {"leaf": "r{rail}p{plane}l{n}", "host": "h{domain}-{host}"},
    ),
    "addressing": (
        {"host_links": "unnumbered"},
        {"host_pool": "10.0.0.0/16"},
        {"host_pool": "fd00::/48", "loopback_pool": "fd01::/48", "router_id_pool": "10.0.0.0/8"},
        {"mtu": 9000, "bfd": False},
        {"asn_base": 65000},
        {"asn": {"leaf": 64512}},
        {"asn": {"leaf": 100000, "spine": 64512, "hosts": 64000}},
    ),
    "ownership": (
        {"years": 4, "kwh_price": 0.12, "pue": 1.3},
        {"years": 3, "support_pct": {"switches": 8}},
        {"kwh_price": 0.3},
    ),
    "exclude": (["host-2"], ["host-1", "host-3"], ["host-00*"], ["d*"]),
    "spare_ports": ({"leaf": 1}, {"leaf": 2, "spine": 4}),
    "vars": ({"contact": "noc", "servers": ["192.0.2.1"]},),
    "overrides": (
        [{"match": {"role": "leaf"}, "text": "line"}],
        [{"match": {"nos": "sonic"}, "text": '{"A": {}}'}],
        [{"place": "bgp", "text": "line"}, {"match": {"name": "*-1"}, "vars": {"a": 1}}],
    ),
    "outputs": (["cabling"], ["configs", "slurm"], ["bom", "netbox"]),
    "nccl": ("2.30.7", {"pxn": False}),
    "roce": ({"dscp": 24}, {"priority": 4, "cnp_priority": 5}),
    "oversubscription": ("1:1", "2:1", "5:3", "1:3"),
    "hb_domain": ({"gpus": 32}, {"gpus": 72, "hosts": 18}, {"gpus": 64, "hosts": 8}),
}


@st.composite
def shapes(draw: st.DrawFn) -> Inventory:
    """Draw an inventory of at most 4,096 GPUs with large HB domains, large switches or neither.

    Its design is any.
    """
    domain = draw(st.sampled_from((8, 16, 32, 72, 128, 256)))
    tiers = draw(st.sampled_from(("auto", "auto", 2, 3)))
    largest = 128 if tiers == 3 else 1024  # three tiers of 1,024 ports are a quarter million links
    radices = [radix for radix in (16, 32, 64, 128, 256, 512, 1024) if radix <= largest]
    return {
        "name": "shape",
        "design": draw(st.sampled_from(("rail-only", "rail-optimized", "fat-tree"))),
        "gpus": domain * draw(st.integers(1, 4096 // domain)),
        "hb_domain": {"gpus": domain},
        "rails": {
            "count": draw(
                st.sampled_from(
                    [rails for rails in (1, 2, 4, 8, 16, 72, 256) if domain % rails == 0]
                )
            ),
            "planes": draw(st.sampled_from((1, 1, 2))),
            "per_switch": draw(st.sampled_from((1, "auto"))),
            "tiers": tiers,
        },
        "switches": {"leaf": {"generic": {"radix": draw(st.sampled_from(radices))}}},
        "spread": draw(st.sampled_from(("even", "minimal"))),
    }


@st.composite
def fabrics(draw: st.DrawFn) -> Inventory:
    """Draw an inventory: one of the laws' inventories, a wild one, or one of unusual shape.

    Up to four more keys are set.
    """
    drawn = draw(st.one_of(inventories(), inventories(), wild_inventories(), shapes()))
    keys = draw(st.lists(st.sampled_from(sorted(EXTRAS)), max_size=4, unique=True))
    return {**drawn, **{key: draw(st.sampled_from(EXTRAS[key])) for key in keys}}


FAILURES = (
    "switch:r0-leaf-1",
    "switch:leaf-1",
    "switch:spine-1",
    "link:r0-h00001",
    "nic:d0-g0",
    "gpu:d0-g1",
    "hb:0",
    "plane:0",
    "plane:7",
    "nic:d0-g0/1",
    "x",
    "hb:99",
)
EACH = ("leaf", "spine", "core", "switch", "cable", "nic", "gpu", "hb", "plane", "rail")


@st.composite
def questions(draw: st.DrawFn) -> tuple[str, ...]:
    """Draw a command about the fabric in FILE."""
    gpu = st.builds("d{}-g{}".format, st.integers(0, 5), st.integers(0, 9))
    fail = draw(st.sampled_from([[], [], ["--fail", draw(st.sampled_from(FAILURES))]]))
    numbers = st.builds("{}..{}".format, st.integers(0, 9), st.integers(0, 30))
    jobs = st.one_of(
        st.builds("{},{}".format, gpu, gpu),
        st.builds("hb:{}".format, numbers),
        st.sampled_from(("all", "host-1", "@missing", "", "d0-g*")),
    )
    commands = (
        ["check"],
        ["compare"],
        ["compare", "--prices", "paper-v5"],
        ["cost"],
        ["cost", "--years", "4", "--kwh", "0.12"],
        ["phases"],
        ["phases", "--way", "grow-later"],
        [
            "route",
            FILE,
            draw(gpu),
            draw(gpu),
            *fail,
            *draw(st.sampled_from([[], ["--all-kinds"], ["--flow", "7"]])),
        ],
        ["impact", *(fail or ["--each", draw(st.sampled_from(EACH))])],
        ["placement", FILE, draw(jobs)],
        [
            "model",
            "--llm",
            draw(st.sampled_from(("gpt3", "opt-175b"))),
            "--batch-tokens",
            draw(st.sampled_from(("1M", "512seq", "7", "x"))),
        ],
        ["model", "--all-to-all", *fail],
        [
            "model",
            "--llm",
            "gpt3",
            "--batch-tokens",
            "4M",
            "--traffic",
            draw(st.sampled_from(("own", "any-to-any"))),
        ],
        ["build", "--dry-run", "-o", "never"],
        ["build", "--list-outputs"],
        ["plan", "--set", "oversubscription=2:1"],
    )
    command = draw(st.sampled_from(commands))
    named = command if FILE in command else [command[0], FILE, *command[1:]]
    return (*named, *draw(st.sampled_from([[], ["--json"]])))


@st.composite
def sessions(draw: st.DrawFn) -> tuple[Inventory, list[tuple[str, ...]], tuple[str, ...]]:
    """Draw an inventory, some commands, and the groups of files to build.

    Nine times in ten there are none.
    """
    groups = (
        draw(st.lists(st.sampled_from(tuple(GROUPS)), min_size=1, max_size=3, unique=True))
        if draw(st.integers(0, 3)) == 0
        else []
    )
    return draw(fabrics()), draw(st.lists(questions(), min_size=2, max_size=5)), tuple(groups)


def search_fabrics(
    drawn: tuple[Inventory, list[tuple[str, ...]], tuple[str, ...]], home: Path
) -> Iterator[tuple[Case, str]]:
    """Run one session; yield each case that broke a promise, and the promise."""
    inventory, asked, groups = drawn
    files = {FILE: json.dumps(inventory, indent=1)}
    planned = Case(("plan", FILE, "--json", "-o", "plan.json"), files)
    ended = execute(planned, home)
    yield from ((planned, fault) for fault in faults(planned, ended))
    for arguments in asked:
        follows = planned.arguments if arguments[0] in ("check", "build") else ()
        case = Case(arguments, files, before=follows)
        answer = execute(case, home)
        yield from ((case, fault) for fault in faults(case, answer))
        if (
            ended.code
            and not answer.code
            and arguments[0] not in {"compare", "cost"}
            and not {"--set", "--prices", "--list-outputs"} & {*arguments}
        ):
            yield case, "the command took an inventory that `plan` refuses"
        if not ended.code and case.before and answer.code:
            yield case, f"`plan` takes the inventory and {arguments[0]} ends with {answer.code}"
    if not ended.code:
        yield from _kept(ended, files, home)
        if groups:
            arguments = ("build", FILE, "-o", OUT, "--only", ",".join(groups))
            yield from _built(ended, Case(arguments, files, before=planned.arguments), home)


def _kept(ended: Ended, files: dict[str, str], home: Path) -> Iterator[tuple[Case, str]]:
    """Plan the plan file again, which must give the same document."""
    case = Case(
        ("plan", "plan.json", "--json"),
        {**files, "plan.json": (home / "plan.json").read_text(encoding="utf-8")},
    )
    again = execute(case, home)
    yield from ((case, fault) for fault in faults(case, again))
    if (again.code, again.out) != (0, ended.out):
        yield case, "the plan that was kept is planned otherwise"


def _built(planned: Ended, case: Case, home: Path) -> Iterator[tuple[Case, str]]:
    """Build what `plan` accepts; every output has the counts of the plan."""
    ended = execute(case, home)
    yield from ((case, fault) for fault in faults(case, ended))
    if ended.code:
        yield case, f"`plan` takes the inventory and `build` ends with {ended.code}"
        return
    yield from ((case, fault) for fault in count_faults(home / OUT, json.loads(planned.out)))
