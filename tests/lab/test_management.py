"""Management in a lab: every switch takes a login by its emitted files alone, and a fault is named.

The faults are in the files of a build, one for each switch, so that one boot shows them all.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fabricgen.lab.management.emitted import Interface, SshDaemon, read_interfaces, read_server
from fabricgen.lab.slice import lay_out
from fabricgen.lab.topology import OPERATOR
from tests.fabrics import plan_of
from tests.lab.conftest import SMALL
from tests.lab.test_shared import SHARED
from tests.outputs.packs.managed import LEAST, managed_files, managed_plan

if TYPE_CHECKING:
    from tests.lab.conftest import Machine

LEAVES = {"leaf": {"generic": {"radix": 4}}, "spine": {"generic": {"radix": 2}}}
NO_LOGIN = "no login as ops to 10.200.0."
FAULTS: dict[str, tuple[str, str, str, str]] = {
    "r0-leaf-1": ("interfaces", "    address 10.200.0.2/24\n", "", "Nexthop has invalid gateway"),
    "r0-leaf-2": ("interfaces", "    gateway 10.200.0.1\n", "", "timed out"),
    "r0-spine-1": ("users.sh", "AAAAC3NzaC1l", "AAAAC3NzaC1m", "Permission denied (publickey"),
    "r0-spine-2": ("ssh.conf", "/usr/sbin/sshd -D", "/usr/sbin/sshd -t", "sshd does not run"),
    "r1-leaf-1": ("hostname", "r1-leaf-1", "localhost", "its host name is `localhost`"),
    "r1-leaf-2": ("sshd.conf", "PermitRootLogin", "PermitRoot", "Bad configuration option"),
    "r1-spine-1": ("interfaces", "    vrf mgmt\n", "", ""),
    "r1-spine-2": ("ssh.conf", "exec mgmt", "exec oob", "a VRF `oob`, which is not made"),
}
"""Of each switch the file, what is replaced in it and by what, and words of the finding."""


def trials(output: str) -> dict[str, dict[str, Any]]:
    """Return the trials of a lab by their codes."""
    return {trial["code"]: trial for trial in json.loads(output)["trials"]}


def test_the_emitted_files_are_read() -> None:
    """Address, gateway and VRF of the management port, and the command of the SSH server."""
    files = managed_files(managed_plan("frr", LEAST))
    interfaces = read_interfaces(files["interfaces"])
    assert interfaces["eth0"] == Interface("10.200.0.2/24", "10.200.0.1", "mgmt")
    assert read_interfaces(files["interfaces"].replace("auto eth0", ""))["mgmt"].gateway == ""
    assert "eth0" not in read_interfaces(files["interfaces"].replace("auto eth0", ""))
    assert read_server(files["ssh.conf"]) == SshDaemon("mgmt", "/usr/sbin/sshd -D $SSHD_OPTS")
    assert read_server(files["ssh.conf"].replace("/usr/sbin/ip vrf exec mgmt ", "")) == SshDaemon(
        "", "/usr/sbin/sshd -D $SSHD_OPTS"
    )
    assert read_server("[Service]\nExecStart=\n") is None


def test_a_switch_has_one_node_of_management() -> None:
    """Also where rails share the switch; without `management` there is none."""
    layout = lay_out(plan_of(**SMALL | SHARED | {"management": LEAST}))
    assert list(layout.management.values()) == [f"{name}:mgmt" for name in layout.management]
    assert layout.management.keys() == {each.switch for each in layout.switches}
    assert len(layout.nodes) == len(set(layout.nodes)) == layout.size.nodes
    assert layout.first_node("leaf-1") == "leaf-1:rail0"
    plain = lay_out(plan_of(**SMALL))
    assert (plain.management, plain.size.servers) == ({}, 0)
    assert OPERATOR not in plain.nodes


def test_every_switch_takes_a_login(each_user: Machine) -> None:
    """Each kind of user boots the lab, and nothing is left of the servers."""
    done = each_user.run("lab", "run", each_user.write(management=LEAST), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = trials(done.stdout)
    assert found["management"]["figure"] == "8 of 8 switches as ops"
    assert found["management-apart"]["figure"].startswith("8 VRFs have routes to 10.200.0.0/24")
    assert each_user.left() == []


def test_management_does_not_need_the_fabric(machine: Machine) -> None:
    """Operators log in while all its links are down, and it converges when they are up again."""
    fabric = machine.write(management=LEAST, gpus=4, hb_domain={"gpus": 2}, switches=LEAVES)
    done = machine.run("lab", "run", fabric, "--failures", "single", "--json")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    alone = trials(done.stdout)["management-alone"]
    assert (alone["figure"], alone["findings"]) == ("4 of 4 switches as ops", [])


def test_shared_leaves_take_logins(machine: Machine) -> None:
    """A switch has one address, however many rails share it, and the lab can be entered by SSH."""
    assert machine.run("lab", "up", machine.write(**SHARED, management=LEAST)).returncode == 0
    entered = machine.run(
        *("lab", "exec", OPERATOR, "--", "ssh", "-F", "/run/management/ssh_config"),
        *("leaf-1", "hostname; ip -json address show eth0"),
    )
    name, _, addresses = entered.stdout.partition("\n")
    assert (name, json.loads(addresses)[0]["addr_info"][0]["local"]) == ("leaf-1", "10.200.0.2")
    assert machine.run("lab", "test").returncode == 0
    assert machine.run("lab", "down").returncode == 0
    assert machine.left() == []


def test_a_switch_that_is_cut_off_is_named(machine: Machine) -> None:
    """Each fault is found at its switch, with its reason, and no other switch has a finding."""
    fabric, out = machine.write(management=LEAST), machine.place / "out"
    built = machine.run("build", fabric, "--only", "configs,forwarding,lab", "-o", out)
    assert built.returncode == 0, built.stderr
    for switch, (name, good, bad, _) in FAULTS.items():
        path = out / "configs" / switch / name
        text = path.read_text(encoding="utf-8")
        assert good in text
        path.write_text(text.replace(good, bad), encoding="utf-8")
    done = machine.run("lab", "run", fabric, "-o", out, "--json")
    assert done.returncode == 1
    found = trials(done.stdout)
    findings = found["management"]["findings"]
    assert len(findings) == len(FAULTS)
    for finding, (switch, (*_, words)) in zip(findings, FAULTS.items(), strict=True):
        assert finding.startswith(f"{switch}: {NO_LOGIN}")
        assert words in finding
    assert found["management-apart"]["findings"] == [
        "r1-spine-1: has the route 0.0.0.0/0",
        "r1-spine-1: has the route 10.200.0.0/24",
    ]
    assert machine.left() == []
