"""The life cycle of a lab.

Every kind of user, two labs at once, and every way of killing it leave nothing behind.
"""

from __future__ import annotations

import json
import os
import re
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fabricgen.lab.frr import AT_ONCE
from fabricgen.lab.process_tree import children
from tests.lab.conftest import PATIENCE_S

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from tests.lab.conftest import Machine

TRIED = ["sessions", "routes", "paths", "isolation", "spread"]


def outside() -> list[str]:
    """Return the state of the machine that a lab might change.

    It is interfaces, routing, namespaces and mounts.
    """
    named = Path("/run/netns")
    return [
        *sorted(path.name for path in Path("/sys/class/net").iterdir()),
        *(
            Path("/proc/sys/net/ipv4", key).read_text(encoding="ascii")
            for key in ("ip_forward", "fib_multipath_hash_policy", "conf/all/rp_filter")
        ),
        Path("/proc/net/route").read_text(encoding="ascii"),
        *(sorted(path.name for path in named.iterdir()) if named.exists() else []),
        Path("/proc/sys/kernel/hostname").read_text(encoding="ascii"),
        Path("/proc/self/mountinfo").read_text(encoding="utf-8"),
    ]


def test_run_boots_tests_and_ends(each_user: Machine) -> None:
    """For any user every trial holds, and stdout is one JSON document. Nothing is left."""
    before = outside()
    done = each_user.run("lab", "run", each_user.write(), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    output = json.loads(done.stdout)
    assert output["ok"]
    assert [trial["code"] for trial in output["trials"]][: len(TRIED)] == TRIED
    assert all(trial["ok"] and not trial["findings"] for trial in output["trials"])
    assert [step["step"] for step in output["steps"]][-2:] == [
        "FRR in 8 switches",
        "routes in every kernel",
    ]
    assert each_user.left() == []
    assert outside() == before


def test_up_test_exec_shell_and_down(each_user: Machine) -> None:
    """A lab stays up between commands and answers each, and `down` leaves nothing.

    The machine outside is unchanged.
    """
    before = outside()
    done = each_user.run("lab", "up", each_user.write())
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1].startswith("small is up: ")
    assert outside() == before
    (lab,) = json.loads(each_user.run("lab", "status", "--json").stdout)["labs"]
    assert lab == {
        "name": "small",
        "ready": True,
        "fabric": "small",
        "gpus": 8,
        "switches": 8,
        "sessions": 8,
        "of": 8,
    }
    tried = each_user.run("lab", "test")
    assert tried.returncode == 0
    assert tried.stdout.count("\nok ") + tried.stdout.startswith("ok ") == len(
        tried.stdout.splitlines()
    )
    assert (
        each_user.run("lab", "exec", "d1-g3", "--", "cat", "/sys/class/net/nic0/operstate").stdout
        == "up\n"
    )
    assert each_user.run("lab", "exec", "r0-leaf-1", "--", "sh", "-c", "exit 5").returncode == 5
    entered = each_user.run(
        *("lab", "exec", "r1-spine-2", "--", "vtysh", "--vty_socket", "/run/frr/r1-spine-2"),
        *("-c", "show running-config"),
    )
    assert "frr version" in entered.stdout
    assert AT_ONCE in entered.stdout.splitlines()
    typed = each_user.run("lab", "shell", "hb:1", stdin="ls /sys/class/net\nid -u\n")
    assert {"br0", "gpu0", "gpu1", "gpu2", "gpu3"} <= set(typed.stdout.split())
    assert typed.returncode == 0
    again = each_user.run("lab", "up", each_user.write())
    assert (again.returncode, again.stderr.splitlines()[0]) == (
        2,
        "error[lab-is-up]: a lab called `small` is up already",
    )
    ended = each_user.run("lab", "down")
    assert (ended.returncode, ended.stdout, each_user.left()) == (0, "small is down\n", [])
    assert outside() == before
    gone = each_user.run("lab", "test", "--json")
    assert (gone.returncode, json.loads(gone.stdout)["findings"][0]["code"]) == (2, "no-such-lab")


def test_the_sites_own_lines_are_booted(machine: Machine) -> None:
    """FRR runs the overrides of the matched switches, and rejects a wrong line by name."""
    line = "ip prefix-list SITE seq 5 permit 192.0.2.0/24"
    own = {"match": {"role": "leaf", "rail": 0}, "place": "bgp", "text": line}
    path = machine.write(overrides=[own])
    assert machine.run("lab", "up", path).returncode == 0
    running = {
        name: machine.run(
            *("lab", "exec", name, "--", "vtysh", "--vty_socket", f"/run/frr/{name}"),
            *("-c", "show running-config"),
        ).stdout
        for name in ("r0-leaf-1", "r0-leaf-2", "r0-spine-1", "r1-leaf-1")
    }
    assert {name for name, text in running.items() if line in text} == {"r0-leaf-1", "r0-leaf-2"}
    assert all("router bgp" in text for text in running.values())
    assert machine.run("lab", "test").returncode == 0
    assert machine.run("lab", "down").returncode == 0
    wrong = machine.run("lab", "up", machine.write(overrides=[{"text": "ip prefx-list SITE"}]))
    assert (wrong.returncode, "vtysh rejects what was emitted" in wrong.stderr) == (2, True)
    assert "ip prefx-list SITE" in wrong.stderr
    assert machine.left() == []


def test_two_labs_side_by_side(machine: Machine) -> None:
    """Two labs with the same names inside are independent.

    A cut in one does not affect the other, nor does its end.
    """
    for name in ("one", "two"):
        assert machine.run("lab", "up", machine.write(name=name)).returncode == 0
    unclear = machine.run("lab", "test")
    assert (unclear.returncode, unclear.stderr) == (
        2,
        "error[no-such-lab]: several labs are up\n\nhint: choose one with `--name`: one, two\n",
    )
    assert (
        machine.run(
            "lab", "exec", "--name", "one", "r0-leaf-1", "--", "ip", "link", "set", "swp1", "down"
        ).returncode
        == 0
    )
    broken, whole = (
        machine.run("lab", "test", "--name", "one"),
        machine.run("lab", "test", "--name", "two"),
    )
    assert (broken.returncode, "FAILED" in broken.stdout) == (1, True)
    assert (whole.returncode, "FAILED" in whole.stdout) == (0, False)
    assert machine.run("lab", "down", "--name", "one").returncode == 0
    assert machine.run("lab", "test", machine.place / "two.yaml").returncode == 0
    assert machine.run("lab", "down").stdout == "two is down\n"
    assert machine.left() == []


def wait_for(process: subprocess.Popen[str], text: str) -> None:
    """Wait until a command has printed something."""
    assert process.stdout is not None
    output = next((line for line in process.stdout if text in line), None)
    assert output, f"never printed {text!r}"


def worker(number: int) -> int:
    """Return the innermost process of the tree that a command started.

    It is the grandchild of its guard.
    """
    for _ in range(3):
        (number,) = children(number)[:1]
    return number


DEATHS: dict[str, tuple[str, int, Callable[[int], int]]] = {
    "Ctrl-C early": ("the emitted files", signal.SIGINT, lambda number: -number),
    "Ctrl-C late": ("routes in every kernel", signal.SIGINT, lambda number: -number),
    "interrupt of the program alone": ("routes in every kernel", signal.SIGINT, int),
    "a polite kill": ("FRR in", signal.SIGTERM, int),
    "kill -9": ("FRR in", signal.SIGKILL, int),
    "kill -9 early": ("the emitted files", signal.SIGKILL, int),
    "kill -9 of the guard": ("FRR in", signal.SIGKILL, lambda number: children(number)[0]),
    "kill -9 of the worker": ("FRR in", signal.SIGKILL, worker),
}


@pytest.mark.parametrize(
    ("command", "death"),
    [
        *(("run", death) for death in DEATHS),
        ("up", "Ctrl-C early"),
        ("up", "kill -9"),
        ("up", "kill -9 of the guard"),
    ],
)
def test_a_kill_while_booting(machine: Machine, death: str, command: str) -> None:
    """Whatever kills the command, nothing is left of its lab."""
    moment, number, whom = DEATHS[death]
    with machine.start("lab", command, machine.write()) as process:
        wait_for(process, moment)
        target = whom(process.pid)
        if target < 0:
            os.killpg(-target, number)
        else:
            os.kill(target, number)
        _, output = process.communicate()
    assert process.returncode == {signal.SIGINT: 130, signal.SIGTERM: 130}.get(
        signal.Signals(number), -9 if target == process.pid else process.returncode
    )
    assert process.returncode != 0
    assert "Traceback" not in output
    if command == "up" and target == process.pid and number == signal.SIGKILL:
        assert settled(machine) == {}
        assert machine.run("lab", "status").stdout == "no lab is up\n"
    assert machine.left() == []


def settled(machine: Machine) -> dict[int, str]:
    """Wait until no process is left, and return those still left."""
    until = time.monotonic() + PATIENCE_S
    while machine.processes() and time.monotonic() < until:
        time.sleep(0.02)
    return machine.processes()


def test_a_lab_whose_guard_is_killed(machine: Machine) -> None:
    """A lab that is up ends with its guard.

    The next command removes its directory, and the name is free.
    """
    assert machine.run("lab", "up", machine.write()).returncode == 0
    (record,) = machine.place.glob("run/fabricgen-lab/*/lab.json")
    os.kill(json.loads(record.read_text(encoding="utf-8"))["guard"], signal.SIGKILL)
    assert settled(machine) == {}
    gone = machine.run("lab", "exec", "--name", "small", "d0-g0", "--", "true")
    assert (gone.returncode, gone.stderr) == (
        2,
        "error[no-such-lab]: no lab called `small` is up\n\nhint: `fabricgen lab up` boots one\n",
    )
    assert machine.left() == []
    assert machine.run("lab", "up", machine.write()).returncode == 0
    assert machine.run("lab", "down").returncode == 0
    assert machine.left() == []


def test_an_interrupted_test_leaves_the_lab_up(machine: Machine) -> None:
    """The lab finishes the running trial, and answers the next command."""
    assert machine.run("lab", "up", machine.write()).returncode == 0
    with machine.start("lab", "test", "--failures", "all") as process:
        wait_for(process, "BGP sessions up")
        os.killpg(process.pid, signal.SIGINT)
        process.communicate()
    assert process.returncode == 130
    assert machine.run("lab", "test").returncode == 0
    assert machine.run("lab", "down").returncode == 0
    assert machine.left() == []


@pytest.mark.parametrize("command", ["run", "up"])
def test_a_lab_that_does_not_come_up(machine: Machine, command: str) -> None:
    """A line that FRR rejects is refused with FRR's words, and nothing is left.

    `-o` keeps the build.
    """
    fabric, out = machine.write(), machine.place / "out"
    assert (
        machine.run("build", fabric, "--only", "configs,forwarding,lab", "-o", out).returncode == 0
    )
    config = out / "configs" / "r0-leaf-1" / "frr.conf"
    config.write_text(
        config.read_text(encoding="utf-8").replace(" timers bgp 3 9", " timers bgp three nine"),
        encoding="utf-8",
    )
    done = machine.run("lab", command, fabric, "-o", out)
    assert done.returncode == 2
    assert re.match(
        r"error\[lab-failed\]: r0-leaf-1: vtysh rejects what was emitted\n   = "
        r"because % Unknown command: +timers bgp three nine",
        done.stderr,
    )
    assert machine.left() == []
