"""The playbooks that load configurations: order, limits, verification and restoration."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from ruamel.yaml import YAML

from fabricgen.build.group_push import tasks
from fabricgen.build.run import build
from fabricgen.build.selection import Skipped
from fabricgen.outputs.packs.render import Packs
from fabricgen.views.factory import Views
from tests.fabrics import build_context, build_job, plan_of
from tests.outputs.packs.managed import FULL, LEAST, LEAVES, SECRETS
from tests.outputs.stand_ins import (
    DOCUMENTED,
    calls,
    write_collections,
    write_connection,
    write_programs,
)

if TYPE_CHECKING:
    from subprocess import CompletedProcess

    from fabricgen.planning.plan import Plan
    from tests.conftest import PythonTool

PLAYBOOKS = ("site", "compare", "verify", "rollback")
EVERY_API = LEAST | {"api": ["http", "netconf"]}


def small_plan(nos: str, **keys: Any) -> Plan:  # noqa: ANN401 - keys of an inventory
    """Plan two rails with a leaf and a spine each."""
    infiniband = {"switches": {"leaf": {"model": "q3400"}}, "nic": {"speed": "800G"}}
    wanted: dict[str, Any] = {
        "gpus": 4,
        "hb_domain": {"gpus": 2},
        "rails": {"tiers": 2},
        "management": EVERY_API,
    }
    ethernet = {"switches": {"leaf": LEAVES.get(nos)}, "nos": nos, "addressing": {"mtu": 9000}}
    return plan_of(**wanted | (infiniband if nos == "nvos" else ethernet) | keys)


def written(plan: Plan, out: Path, packs: Packs | None = None) -> Path:
    """Build the playbooks with what they refer to."""
    build(build_job(plan, packs or Packs(), ("configs", "push", "cluster")), out)
    return out / "push"


def plays(folder: Path, name: str = "site") -> list[dict[str, Any]]:
    """Read the plays of a playbook."""
    read: list[dict[str, Any]] = YAML(typ="safe", pure=True).load(folder / f"{name}.yml")
    return read


def test_segments_are_loaded_in_the_order_of_the_phases(tmp_path: Path) -> None:
    """A phase first, in it spines before leaves, then the verification of the segment."""
    phases = [{"name": "one", "planes": 1, "rails": 1}, {"name": "rest"}]
    rails = {"tiers": 2, "planes": 2}
    folder = written(small_plan("frr", rails=rails, phases=phases), tmp_path)
    first, *others = plays(folder)
    assert first == {"ansible.builtin.import_playbook": "compare.yml"}
    selected = [play["hosts"].split(":&") for play in others]
    assert selected[:6] == [
        [plane, rail, part]
        for plane, rail in (("plane_0", "rail_0"), ("plane_1", "rail_0"))
        for part in ("spine_switches", "leaf_switches", "nos_frr")
    ]
    assert [own[:2] for own in selected[6::3]] == [["plane_0", "rail_1"], ["plane_1", "rail_1"]]
    loads = [play for play in others if "leaf_switches" in play["hosts"]]
    assert all(play["serial"] == [1, 8] for play in loads)
    assert all(play["any_errors_fatal"] and not play["max_fail_percentage"] for play in others)


def test_blocks_that_span_rails_are_loaded_by_plane(tmp_path: Path) -> None:
    """Their switches are in no group of a rail."""
    folder = written(small_plan("frr", design="rail-optimized"), tmp_path)
    assert [play["hosts"] for play in plays(folder)[1:]] == [
        "plane_0:&spine_switches",
        "plane_0:&leaf_switches",
        "plane_0:&nos_frr",
    ]


def test_each_switch_has_the_sessions_of_the_plan(tmp_path: Path) -> None:
    """Those with switches and those with hosts, by VRF, interface and AS number."""
    plan = small_plan("frr", addressing={"mtu": 9000, "host_links": "unnumbered"})
    folder = written(plan, tmp_path)
    for segment in range(plan.mapping.segments):
        for switch in Views(plan).switches(segment):
            read = YAML(typ="safe", pure=True).load(folder / f"host_vars/{switch.name}.yml")
            for name, to_host in (("sessions", False), ("host_sessions", True)):
                assert [(own["interface"], own["asn"], own["peer"]) for own in read[name]] == [
                    (port.interface, port.peer_asn, port.peer_device)
                    for instance in switch.instances
                    for port in instance.bgp_ports
                    if port.to_host == to_host
                ]
                assert all(own["vrf"] == "default" for own in read[name])


@pytest.mark.parametrize(("nos", "api"), [("junos", "netconf"), ("srlinux", "http")])
def test_a_missing_api_is_named(nos: str, api: str) -> None:
    """The playbooks of a NOS that Ansible does not reach by SSH are left out, with the key."""
    (reason,) = tasks(build_context(small_plan(nos, management=LEAST), Packs()))
    key = f"push/{nos}/: Ansible needs `management: {{api: [{api}]}}`"
    assert reason == Skipped(key)
    assert not [
        one for one in tasks(build_context(small_plan(nos), Packs())) if isinstance(one, Skipped)
    ]


def test_without_management_there_is_nothing() -> None:
    """The group has no tasks."""
    assert not [*tasks(build_context(small_plan("eos", management=None), Packs()))]


def test_no_secret_is_in_the_playbooks(tmp_path: Path) -> None:
    """Not even where the build reads them."""
    packs = Packs()
    packs.secrets.values = SECRETS
    folder = written(small_plan("eos", management=FULL), tmp_path, packs)
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert not [path for path in files if b"CANARY" in path.read_bytes()]
    assert "`--with-secrets`" in (folder / "README.md").read_text(encoding="utf-8")


def test_every_documented_module_is_used() -> None:
    """So each of their definitions verifies a playbook."""
    root = Path(__file__).parents[2] / "templates"
    texts = "".join(path.read_text("utf-8") for path in root.glob("*/push_*.j2"))
    used = set(re.findall(r"^ +([a-z]+\.[a-z]+\.[a-z_]+):$", texts, re.MULTILINE))
    assert {name for name in used if not name.startswith("ansible.builtin.")} == set(DOCUMENTED)


def play(
    run: PythonTool, folder: Path, books: str, *options: str, home: Path, **values: object
) -> CompletedProcess[str]:
    """Run playbooks, whose names have spaces between them, on this machine as every switch."""
    (home / "calls.jsonl").touch()
    write_connection(home)
    here: dict[str, object] = {
        "ansible_connection": "here",
        "ansible_become": False,
        "ansible_python_interpreter": "{{ ansible_playbook_python }}",
        "session_retries": 1,
        "session_delay_s": 0,
        "sonic": str(home / "sonic"),
        "frr_reload": "frr-reload.py",
        "frr_files": [{"file": "frr.conf", "at": str(home / "frr.conf")}],
    }
    extra = json.dumps(here | values)
    paths = [f"{book}.yml" for book in books.split()]
    return run("ansible-playbook", *paths, "-e", extra, *options, cwd=folder, programs=home / "bin")


def loaded(done: CompletedProcess[str]) -> list[str]:
    """Return the switches of the plays that load, in their order."""
    found: list[str] = []
    for text in done.stdout.split("\nPLAY ")[1:]:
        if text.startswith("[Load"):
            found += re.findall(r"(?m)^(?:changed|ok|fatal): \[([^\]]+)\]", text)
    return [*dict.fromkeys(found)]


@pytest.mark.slow
def test_ansible_reads_every_playbook(python_tool: PythonTool, tmp_path: Path) -> None:
    """Those of every NOS, with the modules that the collections have."""
    write_collections(tmp_path, {})
    systems = ["nvos", *sorted(LEAVES)]
    for nos in systems:
        written(small_plan(nos), tmp_path / nos)
    books = [f"{nos}/push/{name}.yml" for nos in systems for name in PLAYBOOKS]
    hosts = [f"--inventory={nos}/cluster/ansible/inventory.yml" for nos in systems]
    done = python_tool("ansible-playbook", "--syntax-check", *hosts, *books, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line for line in done.stdout.splitlines() if line] == [
        f"playbook: {name}" for name in books
    ]


@pytest.mark.slow
def test_ansible_finds_a_file_that_is_not_there(python_tool: PythonTool, tmp_path: Path) -> None:
    """Reading a playbook includes the files that it names."""
    folder = written(small_plan("frr"), tmp_path / "out")
    site = folder / "site.yml"
    site.write_text(site.read_text("utf-8").replace("load.yml", "lode.yml"), encoding="utf-8")
    assert python_tool("ansible-playbook", "--syntax-check", "site.yml", cwd=folder).returncode


LINUX = {
    "vtysh": {"*summary*": "cat ~/sessions.json", "*": "true"},
    **{name: {"*": "true"} for name in ("config", "systemctl", "ifreload", "sysctl")},
    "frr-reload.py": {"*": "echo 'Lines To Add'"},
}


def established(folder: Path, *, down: str = "") -> dict[str, Any]:
    """Return the summary of FRR with the sessions of all switches but one, which are here at once.

    Each switch has an address family of its own, since all have the same interfaces.
    """
    families: dict[str, Any] = {}
    for path in folder.glob("host_vars/*"):
        sessions = YAML(typ="safe", pure=True).load(path)["sessions"]
        state = "Active" if path.stem == down else "Established"
        peers = {own["interface"]: {"remoteAs": own["asn"], "state": state} for own in sessions}
        families[path.stem] = {"routerId": "10.0.0.1", "peers": peers}
    return {"default": families}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("nos", "rails"),
    [pytest.param("frr", (0, 1), id="frr"), pytest.param("sonic", (1,), id="sonic")],
)
def test_linux_is_loaded_verified_and_restored(
    nos: str, rails: tuple[int, ...], python_tool: PythonTool, tmp_path: Path
) -> None:
    """In order, by files; a session that is down stops the run, and rollback brings files back.

    All switches are here at once, so a switch finds the files of the one before it. The order of
    rails is in `site.yml`, which is the same for both.
    """
    folder = written(small_plan(nos), tmp_path / "out")
    write_programs(tmp_path, LINUX)
    (tmp_path / "sonic/frr").mkdir(parents=True)
    for name in ("frr.conf", "sonic/config_db.json", "sonic/frr/frr.conf"):
        (tmp_path / name).write_text("old\n", encoding="utf-8")
    summary = tmp_path / "sessions.json"
    summary.write_text(json.dumps(established(folder)), encoding="utf-8")
    target = tmp_path / ("frr.conf" if nos == "frr" else "sonic/config_db.json")

    leaf = ("--limit", "r0-leaf-1")
    compared = play(python_tool, folder, "site", "--check", "--diff", *leaf, home=tmp_path)
    assert compared.returncode == 0, compared.stdout + compared.stderr
    assert "-old" in compared.stdout
    assert target.read_text("utf-8") == "old\n"
    assert not [call for call in calls(tmp_path) if call[0] in ("systemctl", "ifreload")]

    ordered = [f"r{rail}-{name}" for rail in rails for name in ("spine-1", "leaf-1")]
    done = play(python_tool, folder, "site", "--limit", ":".join(ordered), home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert loaded(done) == ordered
    before, last = (
        (tmp_path / "out/configs" / name / target.name).read_bytes() for name in loaded(done)[-2:]
    )
    assert target.read_bytes() == last
    restored = play(python_tool, folder, "rollback", "--limit", "r1-leaf-1", home=tmp_path)
    assert restored.returncode == 0, restored.stdout + restored.stderr
    assert target.read_bytes() == before != last
    assert play(python_tool, folder, "rollback", home=tmp_path).returncode

    summary.write_text(json.dumps(established(folder, down="r0-leaf-1")), encoding="utf-8")
    two = ("--limit", "r0-leaf-1:r1-spine-1")
    stopped = play(python_tool, folder, "site", *two, home=tmp_path)
    assert stopped.returncode
    assert "missing sessions: default/" in stopped.stdout
    assert loaded(stopped) == ["r0-leaf-1"]


def answers(own: dict[str, Any], state: str) -> dict[str, Any]:
    """Return what the systems print of the sessions of a switch."""
    sessions = own["sessions"]
    peers = {
        str(at): {"peerState": state, "asn": str(one["asn"])} for at, one in enumerate(sessions)
    }
    table = (
        f"Total peers {len(sessions)}, established peers {len(sessions) * (state == 'Established')}"
    )
    rows = [
        {"peer-state": [{"data": state}], "peer-as": [{"data": str(one["asn"])}]}
        for one in sessions
    ]
    return {
        "arista.eos.eos_command": {"stdout": [{"vrfs": {"default": {"peers": peers}}}]},
        "cisco.nxos.nxos_command": {"stdout": [table]},
        "junipernetworks.junos.junos_command": {
            "stdout": [{"bgp-information": [{"bgp-peer": rows}]}]
        },
        "nokia.srlinux.get": {"result": [[{"session-state": state.lower()}] * len(sessions)]},
    }


STEPS = {
    "eos": ["eos_config", "eos_command", "net_put", "eos_command", "eos_command", "eos_command"],
    "nxos": ["nxos_config", "nxos_rollback", "nxos_config", "nxos_config", "nxos_command"],
    "junos": ["junos_config", "junos_config", "junos_config", "junos_command"],
    "srlinux": ["config", "cli", "config", "config", "cli", "get"],
}
"""The modules that a switch is compared, loaded and verified with."""


@pytest.mark.slow
@pytest.mark.parametrize("nos", STEPS)
def test_modules_load_and_verify(nos: str, python_tool: PythonTool, tmp_path: Path) -> None:
    """In these steps, of which the first changes nothing; a session that is down ends the run."""
    folder = written(small_plan(nos), tmp_path / "out")
    own = YAML(typ="safe", pure=True).load(folder / "host_vars/r0-leaf-1.yml")
    (tmp_path / "bin").mkdir()
    limit = ("--limit", "r0-leaf-1")
    for state, code, books in (("Established", 0, "site rollback"), ("Active", 2, "site")):
        write_collections(tmp_path, answers(own, state))
        done = play(python_tool, folder, books, *limit, home=tmp_path)
        assert done.returncode == code, done.stdout + done.stderr
        made = calls(tmp_path)
        assert [name.split(".")[-1] for name, *_ in made][: len(STEPS[nos])] == STEPS[nos]
        assert [check for _, check, _ in made] == [True] + [False] * (len(made) - 1)


@pytest.mark.slow
def test_hosts_are_loaded_in_the_order_of_stripes(python_tool: PythonTool, tmp_path: Path) -> None:
    """FRR verifies the file first; a host whose FRR does not start has its old file again."""
    plan = small_plan("frr", addressing={"mtu": 9000, "host_links": "unnumbered"})
    groups = ("configs", "push", "cluster", "hosts")
    build(build_job(plan, Packs(), groups), tmp_path / "out")
    folder, target = tmp_path / "out/push", tmp_path / "frr.conf"
    last = tmp_path / "out/hosts" / plan.hosts[-1] / "frr.conf"
    values = {"frr_conf": str(target)}
    target.write_text("old\n", encoding="utf-8")
    write_programs(tmp_path, LINUX)
    one = ("--limit", plan.hosts[-1])
    checked = play(python_tool, folder, "hosts", "--check", *one, home=tmp_path, **values)
    assert (checked.returncode, target.read_text("utf-8")) == (0, "old\n"), checked.stdout
    done = play(python_tool, folder, "hosts", home=tmp_path, **values)
    assert done.returncode == 0, done.stdout + done.stderr
    assert target.read_bytes() == last.read_bytes()
    target.write_text("old\n", encoding="utf-8")
    write_programs(
        tmp_path, LINUX | {"systemctl": {"*": "test ! -e ~/failed && touch ~/failed && false"}}
    )
    stopped = play(python_tool, folder, "hosts", home=tmp_path, **values)
    assert (bool(stopped.returncode), target.read_text("utf-8")) == (True, "old\n")


@pytest.mark.slow
def test_nvos_is_patched_and_confirmed(python_tool: PythonTool, tmp_path: Path) -> None:
    """It has no BGP: the verification reads its host name."""
    plan = small_plan("nvos")
    folder, own = written(plan, tmp_path / "out"), next(iter(plan.switches()))
    shown = f'echo \'{{"hostname": "{own}"}}\''
    write_programs(tmp_path, {"nv": {"*system*": shown, "*": "true"}})
    done = play(python_tool, folder, "site", "--limit", own, home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    made = [arguments for _, arguments in calls(tmp_path)]
    assert made[3:] == [
        "config show",
        "config patch push.txt",
        "config apply --assume-yes --confirm 10",
        "config apply --confirm-yes",
        "config save",
        "show system -o json",
    ]


@pytest.mark.slow
def test_nvue_confirms_what_it_applied(python_tool: PythonTool, tmp_path: Path) -> None:
    """After a comparison, with a limit of time; a session that is down ends the run."""
    folder = written(small_plan("nvue"), tmp_path / "out")
    own = YAML(typ="safe", pure=True).load(folder / "host_vars/r0-leaf-1.yml")
    rows = [f"{one['interface']}  {one['asn']}  established  0:01:00" for one in own["sessions"]]
    (tmp_path / "table").write_text("\n".join(["Neighbor  AS  State", *rows]), encoding="utf-8")
    write_programs(tmp_path, {"nv": {"*neighbor*": "cat ~/table", "*": "true"}})
    limit = ("--limit", "r0-leaf-1")
    done = play(python_tool, folder, "site", *limit, home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [arguments for _, arguments in calls(tmp_path)] == [
        "config replace push.yaml",
        "config diff",
        "config detach",
        "config show",
        "config replace push.yaml",
        "config apply --assume-yes --confirm 10",
        "config apply --confirm-yes",
        "config save",
        "show vrf default router bgp neighbor",
    ]
    (tmp_path / "table").write_text("\n".join(rows[1:]), encoding="utf-8")
    assert play(python_tool, folder, "site", *limit, home=tmp_path).returncode
    assert not play(python_tool, folder, "rollback", *limit, home=tmp_path).returncode
