"""Unnumbered hosts in a lab: the emitted FRR of hosts runs, and no host takes another's address."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING

from fabricgen.lab.frr_parts import part_of_gpu
from fabricgen.lab.topology import LabLayout
from fabricgen.outputs.packs.render import Packs
from fabricgen.views.hosts.build import Hosts
from tests.fabrics import plan_of
from tests.lab.conftest import PATIENCE_S, SMALL

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.lab.conftest import Machine

UNNUMBERED: dict[str, dict[str, str]] = {"addressing": {"host_links": "unnumbered"}}
LEAF = "r0-leaf-1"


def test_every_line_of_a_host_runs_in_the_namespace_of_a_gpu() -> None:
    """The parts of the GPUs are the file of the host, each with the lab's name of its NIC port."""
    plan = plan_of(**SMALL | UNNUMBERED)
    layout, host = LabLayout(plan, frozenset({0, 1}), (0, 1)), next(Hosts(plan).views([0]))
    text = Packs().render("host-frr", "frr.conf.j2", host=host)
    lines = set(text.splitlines())
    ran = set()
    for gpu in [gpu for gpu, name in layout.speakers.items() if name == host.name]:
        part = part_of_gpu(text, layout.nic_ports(gpu))
        (leaf,) = re.findall(r"^interface nic0\n description (\S+) ", part, re.MULTILINE)
        (nic,) = re.findall(rf"^interface (\S+)\n description {leaf} ", text, re.MULTILINE)
        back = re.sub(r"\bnic0\b", nic, part)
        assert set(back.splitlines()) < lines
        ran |= set(back.splitlines())
    assert ran == lines


def test_every_trial_holds(machine: Machine) -> None:
    """Leaves learn their hosts by BGP, and hosts their rail, with all of `addressing.bgp`."""
    bgp = {"ttl_security": True, "graceful_restart": True}
    secured = {"addressing": {**UNNUMBERED["addressing"], "bgp": bgp}}
    done = machine.run("lab", "run", machine.write(**secured), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    output = json.loads(done.stdout)
    assert output["ok"]
    assert {trial["code"]: trial["figure"] for trial in output["trials"]}["sessions"] == "16 of 16"
    assert "FRR in 8 switches and 8 GPUs" in [step["step"] for step in output["steps"]]
    assert machine.left() == []


def test_a_host_cannot_take_the_address_of_another(machine: Machine) -> None:
    """Its announcement is ignored; without the filter of its port it would get half of the flows.

    The victim is on the same leaf.
    """
    assert machine.run("lab", "up", machine.write(**UNNUMBERED)).returncode == 0
    thief, victim = _hosts(machine)
    (asn,) = re.findall(r"router bgp (\d+)", _frr(machine, thief, "show running-config"))
    _exec(machine, thief, "ip", "address", "add", f"{victim}/32", "dev", "lo")
    _configure(
        machine,
        thief,
        f"ip prefix-list nic0-own seq 20 permit {victim}/32",
        *(f"router bgp {asn}", "address-family ipv4 unicast", f"network {victim}/32"),
    )
    announced = "show bgp ipv4 unicast neighbors nic0 advertised-routes"
    assert _waits(lambda: victim in _frr(machine, thief, announced))
    (port,) = re.findall(r"dev (\S+)", _route(machine, victim))
    time.sleep(1)  # a wrong route would come as soon as a right one
    assert re.findall(r"dev (\S+)", _route(machine, victim)) == [port]
    running = _frr(machine, LEAF, "show running-config")
    (other,) = set(re.findall(r"neighbor (\S+) prefix-list HOST-", running)) - {port}
    (own,) = re.findall(r"router bgp (\d+)", running)
    _configure(
        machine,
        LEAF,
        *(f"router bgp {own}", "address-family ipv4 unicast"),
        "neighbor HOSTS maximum-prefix 9",
        f"no neighbor {other} prefix-list HOST-{other.removeprefix('swp')} in",
    )
    assert _waits(lambda: set(re.findall(r"dev (\S+)", _route(machine, victim))) == {port, other})
    assert machine.run("lab", "down").returncode == 0
    assert machine.left() == []


def _hosts(machine: Machine) -> tuple[str, str]:
    """Return a GPU of the leaf, and the address of the other one."""
    text = _exec(machine, LEAF, "cat", f"/run/fabricgen/configs/{LEAF}/frr.conf")
    addresses = re.findall(r"prefix-list HOST-\S+ seq 10 permit (\S+)/32", text)
    assert len(addresses) == 2
    for gpu in ("d0-g0", "d0-g2", "d1-g0", "d1-g2"):
        own = re.findall(r"inet (\S+)/32", _exec(machine, gpu, "ip", "address", "show", "nic0"))
        if own[0] in addresses:
            return gpu, next(address for address in addresses if address != own[0])
    raise AssertionError(addresses)


def _exec(machine: Machine, node: str, *command: str) -> str:
    """Run a command in a node."""
    done = machine.run("lab", "exec", node, "--", *command)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def _frr(machine: Machine, node: str, *commands: str) -> str:
    """Run commands in the FRR of a node."""
    words = [word for command in commands for word in ("-c", command)]
    return _exec(machine, node, "vtysh", "--vty_socket", f"/run/frr/{node}", *words)


def _configure(machine: Machine, node: str, *lines: str) -> None:
    """Enter lines of configuration."""
    _frr(machine, node, "configure terminal", *lines)


def _route(machine: Machine, address: str) -> str:
    """Return the leaf's route to an address, as its kernel has it."""
    return _exec(machine, LEAF, "ip", "route", "show", address)


def _waits(holds: Callable[[], bool]) -> bool:
    """Wait for a condition; return whether it holds in time."""
    until = time.monotonic() + PATIENCE_S
    while not (held := holds()) and time.monotonic() < until:
        time.sleep(0.2)
    return held
