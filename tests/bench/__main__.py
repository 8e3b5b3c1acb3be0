"""Measure CPU seconds, peak memory and ratios, each against its floor in the same run.

Nothing passes or fails.

Machines are noisy, so a figure is CPU time where it can be, and a ratio to something measured
beside it where that is more meaningful. `jinja_floor` is the floor of a large build, and `peers`
measures pyavd. `--quick` leaves the million-GPU build out.

Run it by `make bench`, which compiles the package first, as pip does. Where Python may write no
bytecode, every command would compile it again: 0.3 CPU seconds of the large build.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.catalog.catalog import Catalog
from fabricgen.core.resources import shipped
from fabricgen.inventory.fabric import FabricSpec
from fabricgen.inventory.load import read_inventory
from fabricgen.lab.requirements import doctor
from fabricgen.outputs.packs.render import Packs
from fabricgen.planning.plan import make_plan
from fabricgen.serve.plan_cache import PlanCache
from fabricgen.views.factory import Views
from tests import ROOT
from tests.bench.build_parts import build_parts
from tests.bench.jinja_floor import JinjaFloor, drop, to_archive, to_folder
from tests.bench.peers import MODEL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MILLION, HB_DOMAIN, RADIX = 2**20, 256, 128
SIZES = (16_384, 65_536, 262_144, MILLION)
FLOOR_GPUS = 65_536


TURNED: tuple[dict[str, str], ...] = (
    {"gpus": "32768"},
    {"hb_domain": "8"},
    {"radix": "64"},
    {"planes": "2"},
    {"design": "fat-tree"},
    {"design": "rail-optimized"},
)
"""The controls that a user of the served page changes."""


class Cost(NamedTuple):
    """The cost of a command: wall and CPU seconds, and the largest process's peak memory in MiB."""

    wall_s: float
    cpu_s: float
    peak_mib: float


def measured(arguments: list[str]) -> Cost:
    """Run fabricgen in a new process."""
    return python(["-m", "fabricgen", *arguments])


def python(arguments: list[str]) -> Cost:
    """Run Python in a new process."""
    return process([sys.executable, *arguments])


def process(command: list[str]) -> Cost:
    """Run a program. `wait4` counts its process and the children that it waited for."""
    started = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {child.returncode}")
    return Cost(
        time.perf_counter() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    )


def best(arguments: list[str], runs: int) -> Cost:
    """Return the cheapest of some runs, because noise only adds."""
    return min((measured(arguments) for _ in range(runs)), key=lambda cost: cost.cpu_s)


def sizing(gpus: int, domain: int = HB_DOMAIN, radix: int = RADIX) -> list[str]:
    """Return the flags of a fabric; by default of the benchmark's shape."""
    return ["--gpus", str(gpus), "--hb-domain", str(domain), "--radix", str(radix)]


def spec(gpus: int) -> FabricSpec:
    """Return the same fabric as a spec."""
    leaf = {"generic": {"radix": RADIX}}
    return FabricSpec.model_validate(
        {
            "name": "bench",
            "gpus": gpus,
            "hb_domain": {"gpus": HB_DOMAIN},
            "switches": {"leaf": leaf},
        }
    )


def say(what: str, figure: str, wanted: str) -> None:
    """Print one line of the report."""
    print(f"{what:<58} {figure:>34}   wanted: {wanted}", flush=True)  # noqa: T201 - a report is printed


LIBRARIES = "import numpy, pydantic, click, ruamel.yaml"
"""Imports of every command that reads an inventory: the floor of its start."""


def start_up() -> None:
    """Measure the delays that a user notices."""
    floor = min(_cpu([sys.executable, "-c", "import click"]) for _ in range(5))
    for arguments in (["--help"], ["--version"]):
        say(
            f"fabricgen {arguments[0]}",
            f"{best(arguments, 5).cpu_s:.3f} s CPU (click alone {floor:.3f})",
            "under 0.15",
        )
    for what, asked in (
        ("flags", sizing(1024, 8, 64)),
        ("an inventory", [str(shipped("inventories") / "dgx-h100-superpod-4su.yaml")]),
    ):
        floors, costs = zip(
            *(
                (python(["-c", LIBRARIES]).cpu_s, measured(["plan", *asked]).cpu_s)
                for _ in range(9)
            ),
            strict=True,
        )
        cost, floor = min(costs), min(floors)
        say(
            f"plan of 1,024 GPUs by {what}, against its libraries",
            f"{cost:.3f} s / {floor:.3f} s CPU = {cost / floor:.2f}",
            "at most 1.6",
        )


BARE = "import numpy, pydantic, click, ruamel.yaml"
"""Imports of every command that plans."""

EVERYDAY = ((64, ""), (256, "at most 5"), (1024, "at most 10"), (4096, ""), (16_384, ""))
PEERS = ROOT / ".venv-peers" / "bin" / "python"
EOS = ((1024, "at least 10"), (8192, "at least 30"))
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - no secret is in it
"""Where files are written if the file system is not to be measured: creating one costs it more CPU
the more files were removed before."""


@contextmanager
def scratch(parent: str | None = None) -> Iterator[Path]:
    """Lend a folder until the end of a measurement, by default where temporary files are."""
    with tempfile.TemporaryDirectory(
        prefix="fabricgen-bench-", dir=parent, ignore_cleanup_errors=True
    ) as home:
        yield Path(home)


def everyday() -> None:
    """Measure whole builds of usual sizes as ratios to the bare import, and their growth."""
    before = 0.0
    with scratch() as home:
        bare = min(python(["-c", BARE]).cpu_s for _ in range(5))
        for gpus, wanted in EVERYDAY:
            cost = min(
                (
                    measured(["build", *sizing(gpus, 8, 64), "-o", str(fresh(home))])
                    for _ in range(3)
                ),
                key=lambda cost: cost.cpu_s,
            )
            growth = f", x{cost.cpu_s / before:.2f}" if before else ""
            figure = f"{cost.cpu_s:.2f} s / {bare:.2f} s = {cost.cpu_s / bare:.1f}{growth}"
            say(
                f"whole build of {gpus:,} GPUs against the bare import",
                figure,
                wanted or "x4.2 at most",
            )
            before = cost.cpu_s


def peers() -> None:
    """Measure configurations of EOS beside pyavd, which renders the same switches.

    Both are whole processes from YAML files to a file for each switch, in memory. Ours reads an
    inventory, plans and verifies it. pyavd has a venv of its own and is measured twice: from the
    finished facts of each switch, which leaves out all planning, and from a description of each
    rail by AVD's own design, which gives the same cables, addresses and AS numbers to be
    configured, without the lossless class.
    """
    if not PEERS.exists():
        say("configurations of EOS against pyavd", "pyavd is not installed", "`make bench-peers`")
        return
    for gpus, wanted in EOS:
        with scratch(MEMORY) as home:
            fabric = home / "fabric.yaml"
            fabric.write_text(
                f"name: bench\ngpus: {gpus}\nhb_domain: {{gpus: 8}}\nswitches: "
                f"{{leaf: {{model: {MODEL}}}}}\naddressing: {{mtu: 9214}}\n",
                encoding="utf-8",
            )
            runs = (
                measured(["build", str(fabric), "--only", "configs", "-o", str(home / f"out{run}")])
                for run in range(5)
            )  # none replaces another
            cost = min(runs, key=lambda cost: cost.cpu_s)
            for given in ("facts", "inventory"):
                switches, theirs = _peer(gpus, given, home / given)
                say(
                    f"configurations of {switches} EOS switches against pyavd from {given}",
                    f"{theirs:.1f} s / {cost.cpu_s:.2f} s = {theirs / cost.cpu_s:.1f}",
                    wanted,
                )


def _peer(gpus: int, given: str, home: Path) -> tuple[str, float]:
    """Return how many switches pyavd configures, and the CPU seconds that it takes."""
    read, out, module = home / "read", home / "out", ["-m", "tests.bench.peers"]
    for folder in (read, out):
        folder.mkdir(parents=True)
    write = [sys.executable, *module, "write", given, str(gpus), str(read)]
    wrote = subprocess.run(write, capture_output=True, text=True, check=True)
    measure = [str(PEERS), *module, "measure", given, str(read), str(out)]
    return wrote.stdout.strip(), min(process(measure).cpu_s for _ in range(2))


def _cpu(command: list[str]) -> float:
    """Return the CPU seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def plans() -> None:
    """Measure planning at a million GPUs, with two and with three tiers per rail."""
    for domain in (HB_DOMAIN, 8):
        cost = best(
            ["plan", "--gpus", str(MILLION), "--hb-domain", str(domain), "--radix", str(RADIX)], 3
        )
        say(
            f"plan of {MILLION:,} GPUs, HB domain {domain}",
            f"{cost.cpu_s:.2f} s CPU, {cost.peak_mib:.0f} MiB",
            "under 3 s, 600 MiB",
        )


PLANES = ["build", "-o", "{}", "--design", "rail-optimized", "--set"]
DIRECT = [
    *("--set", "rails.medium=direct", "--set", "nic={speed: 600G, split: 6x100G}"),
    *("--set", "rails.topology={kind: torus-3d, dimensions: [5, 10, 10]}"),
]
PANELS = ["--set", "rails.medium=patch-panel", "--set", "switches.leaf={model: patch-144}"]
SHAPES = (
    ("build of 4,000 GPUs with 4 planes", [*PLANES, "rails.planes=4", *sizing(4000, 8, 64)]),
    ("build of 4,000 GPUs with 8 planes", [*PLANES, "rails.planes=8", *sizing(4000, 8, 64)]),
    ("the same, a GPU in each HB domain", [*PLANES, "rails.planes=8", *sizing(4000, 1, 64)]),
    ("build of 4,096 GPUs on 2,048 rails", ["build", *sizing(4096, 2048), "-o", "{}"]),
    ("build of 8 tori of 500 GPUs", ["build", *sizing(4000, 8, 64), "-o", "{}", *DIRECT]),
    ("build of 4,096 GPUs on patch panels", ["build", *sizing(4096, 32), "-o", "{}", *PANELS]),
    ("build of one HB domain of 256 GPUs", ["build", *sizing(256), "-o", "{}"]),
    ("build of 768 GPUs in HB domains of 256", ["build", *sizing(768), "-o", "{}"]),
    ("search of 88 GPUs", ["search", *sizing(88, 8, 64)]),
    (
        "all-to-all of 4,096 GPUs",
        ["model", *sizing(4096, 8, 64), "--llm", "gpt3", "--batch-tokens", "4M", "--all-to-all"],
    ),
)
"""Small fabrics of unusual shapes."""


def shapes(home: Path) -> None:
    """Measure small fabrics whose shape, not their size, might make them slow."""
    for what, arguments in SHAPES:
        # in a place of its own: OUT of an earlier build would be verified and removed
        cost = measured([word.replace("{}", str(fresh(home))) for word in arguments])
        say(what, f"{cost.cpu_s:.1f} s CPU, {cost.peak_mib:.0f} MiB", "under 10 s, 500 MiB")
    old = str(home / "one-tier.json")
    measured(["plan", *sizing(256, 16, 256), "--design", "rail-optimized", "-o", old])
    cost = measured(["plan", "--from", old, "--set", "gpus=288"])
    say(
        "plan --from, from one tier to two, of 256 GPUs",
        f"{cost.cpu_s:.1f} s CPU, {cost.peak_mib:.0f} MiB",
        "under 10 s, 500 MiB",
    )


def checks() -> None:
    """Measure every law.

    The fabrics are 65,536 GPUs as two-tier rails and as one three-tier fat-tree, and a million with
    two and with three tiers per rail.
    """
    for gpus, domain, *design in (
        (65_536, HB_DOMAIN),
        (65_536, 8, "--design", "fat-tree"),
        (MILLION, HB_DOMAIN),
        (MILLION, 8),
    ):
        cost = best(
            [
                "check",
                "--gpus",
                str(gpus),
                "--hb-domain",
                str(domain),
                "--radix",
                str(RADIX),
                *design,
            ],
            3,
        )
        wanted = "under 10 s" if gpus < MILLION else "under 60 s, 4096 MiB"
        say(
            f"check of {gpus:,} GPUs, HB domain {domain} {' '.join(design[1:])}",
            f"{cost.cpu_s:.2f} s CPU, {cost.peak_mib:.0f} MiB",
            wanted,
        )


NETWORKS = {
    "storage": {
        "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
        "speed": "400G",
        "oversubscription": "2:1",
        "nos": "frr",
    },
    "inband": {
        "switches": {"leaf": {"model": "sn5600", "breakout": "4x200G"}},
        "speed": "200G",
        "oversubscription": "4:1",
        "nos": "frr",
    },
    "oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G", "fill": 85, "nos": "frr"},
}
"""Networks beside compute, whose switches have the NOS of compute."""


def clusters(home: Path, gpus: int) -> None:
    """Compare builds of compute alone and of compute with its networks, also per cable."""
    flags = [*sizing(gpus, 8), "--set", "nos=frr"]
    beside = ["--set", f"networks={json.dumps(NETWORKS)}"]
    plans, builds = [], []
    for asked in (flags, [*flags, *beside]):
        out = ["--only", "cabling,configs,bom", "-o", str(fresh(home))]
        plans.append(best(["plan", *asked], 3))
        builds.append(measured(["build", *asked, *out]))
    shown = subprocess.run(
        [sys.executable, "-m", "fabricgen", "plan", *flags, *beside, "--json"],
        capture_output=True,
        check=True,
    )
    document = json.loads(shown.stdout)
    cables = document["cables"]["total"], document["totals"]["cables"]
    say(
        "cables of a cluster with networks, against compute alone",
        f"{cables[1]:,} / {cables[0]:,} = {cables[1] / cables[0]:.2f}",
        "",
    )
    for what, (alone, cost) in (("plan", plans), ("build", builds)):
        ratio = cost.cpu_s / alone.cpu_s
        each = ratio * cables[0] / cables[1]
        say(
            f"{what} of {gpus:,} GPUs with networks, against compute alone",
            f"{cost.cpu_s:.1f} s / {alone.cpu_s:.1f} s CPU = {ratio:.2f}, {each:.2f} a cable,"
            f" {cost.peak_mib:.0f} MiB",
            "at most 1.5, 1024 MiB",
        )


def switch_graphs() -> None:
    """Measure the graph of the switches of a million GPUs.

    They have two and three tiers per rail.
    """
    program = (
        "import sys; from fabricgen.api import plan_file, switch_graph; "
        "switch_graph(plan_file(sys.argv[1]))"
    )
    for name in ("million", "million-hb8"):
        cost = min(
            (
                python(["-c", program, str(shipped("inventories") / f"{name}.yaml")])
                for _ in range(3)
            ),
            key=lambda cost: cost.cpu_s,
        )
        say(
            f"switch graph of {name}",
            f"{cost.wall_s:.2f} s wall, {cost.cpu_s:.2f} s CPU, {cost.peak_mib:.0f} MiB",
            "under 5 s, 1024 MiB",
        )


def served() -> None:
    """Measure `serve` when a control is changed at 65,536 GPUs.

    It plans the three designs and makes the page, and then the drawing of a rail.
    """
    path = str(shipped("inventories") / "paper-65k-r128.yaml")
    plans = PlanCache(lambda sets: read_inventory(path, sets), Catalog(), Packs())
    plans.fabric({})
    for asked in TURNED:
        started = time.process_time()
        sized = plans.fabric(asked)
        _ = sized.page
        paged = time.process_time() - started
        sized.part("rails")
        drawn = time.process_time() - started - paged
        what = ", ".join(f"{name} {value}" for name, value in asked.items())
        say(
            f"served page of 65,536 GPUs, {what}",
            f"{paged:.3f} s CPU, drawing {drawn:.3f} s",
            "under 0.3 s together",
        )


LABS = (
    ("64 GPUs, 32 switches", [str(shipped("inventories") / "lab-64.yaml")], "under 6 s"),
    (
        "256 GPUs, 48 switches",
        [*sizing(256, 8, 16), "--set", "nos=frr"],
        "up in 8 s, tried in 15 s",
    ),
    (
        "1,024 GPUs, 192 switches, no BFD",
        [*sizing(1024, 8, 16), "--set", "nos=frr", "--set", "addressing.bfd=false"],
        "up in 40 s",
    ),
    (
        "2 rails of a million GPUs",
        [str(shipped("inventories") / "million-hb8.yaml"), "--rails", "2", "--hb-domains", "8"],
        "seconds",
    ),
)


def labs() -> None:
    """Boot and test labs on this machine.

    The steps are wall time, which depends on other work; without FRR they are left out.
    """
    if not all(need.ok for need in doctor()):
        say("labs", "this machine cannot boot any", "`fabricgen lab doctor`")
        return
    for what, arguments, wanted in LABS:
        started = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "fabricgen", "lab", "run", *arguments, "--json"],
            capture_output=True,
            text=True,
            check=False,
        )
        took, document = time.perf_counter() - started, json.loads(done.stdout or "{}")
        up = sum(step["seconds"] for step in document.get("steps", []))
        say(
            f"lab of {what}",
            f"up in {up:.1f} s, all in {took:.1f} s, {'ok' if document.get('ok') else 'FAILED'}",
            wanted,
        )


def one_config() -> None:
    """Measure rendering one configuration of 64 ports."""
    leaf = {"generic": {"radix": 64}}
    plan = make_plan(
        FabricSpec.model_validate(
            {"name": "bench", "gpus": 1024, "hb_domain": {"gpus": 8}, "switches": {"leaf": leaf}}
        ),
        Catalog(),
    )
    switch, packs = next(Views(plan).switches(0)), Packs()
    packs.render("frr", "frr.conf.j2", switch=switch)
    runs = 500
    started = time.process_time()
    for _ in range(runs):
        packs.render("frr", "frr.conf.j2", switch=switch)
    say(
        f"frr.conf of {len(switch.ports)} ports, in the sandbox",
        f"{(time.process_time() - started) / runs * 1e6:.0f} us",
        "under 200 us",
    )


def against_jinja(home: Path) -> None:
    """Compare builds with Jinja rendering the same files, and writing them in the same form.

    A build also reads and plans the fabric, verifies it, makes the views, runs templates in a
    sandbox, hashes each file, and makes the bill with its workbook, which Jinja has no part in.
    """
    floor = JinjaFloor(make_plan(spec(FLOOR_GPUS), Catalog()))

    def dropped() -> float:
        return floor.cpu_s(drop)

    def written() -> float:
        return floor.cpu_s(to_folder(fresh(home)))

    def archived() -> float:
        with to_archive(fresh(home)) as store:
            return floor.cpu_s(store)

    forms: tuple[tuple[str, str, str, Callable[[], float], str], ...] = (
        ("rendering alone", "-o", "", dropped, "no limit, as a build also writes"),
        ("rendering and writing", "-o", "", written, "under 2"),
        ("rendering and writing, in an archive", "--archive", ".tar", archived, "under 2"),
    )
    for what, option, suffix, cpu_s, wanted in forms:
        costs, floors = [], []
        for _ in range(3):
            out = f"{fresh(home)}{suffix}"
            asked = [*sizing(FLOOR_GPUS), "--only", "cabling,configs,bom", option, out]
            costs.append(measured(["build", *asked]).cpu_s)
            floors.append(cpu_s())
        cost, least = min(costs), min(floors)
        say(
            f"build of {FLOOR_GPUS:,} GPUs against Jinja {what}",
            f"{cost:.2f} s / {least:.2f} s = {cost / least:.2f}",
            wanted,
        )


def floor() -> None:
    """Print what the parts of that build take, each alone, and their sum as a ratio to Jinja.

    Files are written in memory, because a file system takes between a third and twice of Jinja's
    time for the same files.
    """
    bare = ["-c", "import fabricgen.build.group_configs, fabricgen.bom.comparison"]
    imports = min(python(bare).cpu_s for _ in range(5))
    with tempfile.TemporaryDirectory(prefix="fabricgen-bench-", dir=MEMORY) as home:
        parts = {"imports": imports, **dict(build_parts(spec(FLOOR_GPUS), Path(home)))}
    for name, cpu_s in parts.items():
        say(f"build of {FLOOR_GPUS:,} GPUs: {name}", f"{cpu_s:.2f} s CPU", "")
    least = parts["Jinja alone"] + parts["creating and writing files"]
    total = sum(parts.values())
    say("sum of these parts against Jinja rendering and writing", f"{total / least:.2f}", "2")


def fresh(home: Path) -> Path:
    """Return an OUT that does not exist, in a directory whose files stay until all is measured.

    For a minute or more ext4 skips the inodes of removed files one by one, and a new file takes
    three times as long.
    """
    return Path(tempfile.mkdtemp(dir=home)) / "out"


def growth(home: Path, sizes: tuple[int, ...]) -> None:
    """Measure whole builds, each four times larger than the last."""
    before: float | None = None
    for gpus in sizes:
        out = fresh(home)
        cost = measured(["build", *sizing(gpus), "--only", "cabling,configs,bom", "-o", str(out)])
        files = [path.stat().st_size for path in out.rglob("*") if path.is_file()]
        ratio = f"x{cost.cpu_s / before:.2f}" if before else ""
        wanted = "x4.5 at most" if gpus < MILLION else "x4.5 at most, under 60 s wall, 1536 MiB"
        say(
            f"build of {gpus:,} GPUs ({len(files):,} files, {sum(files) / 2**20:,.0f} MiB)",
            f"{cost.wall_s:.1f} s wall, {cost.cpu_s:.1f} s CPU, {cost.peak_mib:.0f} MiB a "
            f"process {ratio}",
            wanted,
        )
        before = cost.cpu_s


def changes(home: Path, sizes: tuple[int, ...]) -> None:
    """Measure `plan --from` and `diff` where a fabric grows by a thirty-second.

    It grows within a reserve and without one, and each size is four times the last.
    """
    for what, reserve in (("in a reserve", 1.125), ("without one", 0)):
        before: list[float] = []
        for gpus in sizes:
            old, new = (home / name for name in ("old.json", "new.json"))
            room = ["--set", f"reserve.gpus={int(gpus * reserve)}"] if reserve else []
            measured(["plan", *sizing(gpus), *room, "-o", str(old)])
            costs = [
                measured(
                    [
                        "plan",
                        "--from",
                        str(old),
                        "--set",
                        f"gpus={gpus + gpus // 32}",
                        "-o",
                        str(new),
                    ]
                ),
                measured(["diff", str(old), str(new)]),
            ]
            for name, cost, last in zip(
                ("plan --from", "diff"), costs, before or (0.0, 0.0), strict=True
            ):
                ratio = f"x{cost.cpu_s / last:.2f}" if last else ""
                say(
                    f"{name} of {gpus:,} GPUs {what}",
                    f"{cost.cpu_s:.1f} s CPU, {cost.peak_mib:.0f} MiB {ratio}",
                    "x4.5 at most; a million under 80 s, 3072 MiB",
                )
            before = [cost.cpu_s for cost in costs]


def main() -> None:
    """Run every measurement."""
    quick = "--quick" in sys.argv[1:]
    start_up()
    everyday()
    peers()
    plans()
    checks()
    switch_graphs()
    served()
    one_config()
    labs()
    with scratch(MEMORY) as home:
        against_jinja(home)
        floor()
        shapes(home)
        clusters(home, SIZES[-3] if quick else MILLION)
    with scratch() as home:
        growth(home, SIZES[:-1] if quick else SIZES)
        changes(home, SIZES[:-1] if quick else SIZES)


if __name__ == "__main__":
    main()
