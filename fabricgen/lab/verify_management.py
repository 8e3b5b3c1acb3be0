"""The trials of management: an operator logs in to every switch, and the networks stay apart."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Network
from typing import TYPE_CHECKING

from fabricgen.lab.iproute import batch
from fabricgen.lab.measure import Trial
from fabricgen.lab.namespaces import THREADS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabricgen.lab.management.logins import Logins
    from fabricgen.lab.management.network import ManagementNetwork
    from fabricgen.lab.measure import RunningLab


def _logins(lab: RunningLab) -> Logins:
    """Return the SSH servers of a lab with `management`."""
    assert lab.logins is not None  # noqa: S101 - the trials run in no other lab
    return lab.logins


def reachable(lab: RunningLab) -> Trial:
    """Verify that an operator logs in to every switch, and meets the one of that name."""
    return _reached(lab, "management", "logins by SSH over management")


def _reached(lab: RunningLab, code: str, title: str) -> Trial:
    """Log in to every switch, several at once."""
    logins = _logins(lab)
    switches = list(logins.network.switches)
    with ThreadPoolExecutor(THREADS) as clients:
        faults = list(clients.map(lambda switch: _fault(logins, switch), switches))
    findings = [fault for fault in faults if fault]
    figure = (
        f"{len(switches) - len(findings):,} of {len(switches):,} switches as {logins.user.name}"
    )
    return Trial(code, title, figure, findings)


def _fault(logins: Logins, switch: str) -> str:
    """Return why the login to a switch fails; empty where it does not."""
    done = logins.log_in(switch)
    name, _, summary = done.stdout.partition("\n")
    if done.returncode == 0 and name == switch and summary.strip():
        return ""
    address = logins.network.switches[switch]
    reason = (
        "; ".join(logins.network.faults.get(switch, ()))
        or " ".join(done.stderr.split())
        or (f"its host name is `{name}`" if name != switch else "vtysh prints no summary")
    )
    return f"{switch}: no login as {logins.user.name} to {address}: {reason}"


def apart(lab: RunningLab) -> Trial:
    """Verify that management has no route of the fabric, and the fabric none of management."""
    network, layout = _logins(lab).network, lab.machines.layout
    subnet = network.plan.subnet
    own = {IPv4Network("0.0.0.0/0"), subnet}
    findings = [
        *_wrong(network, list(layout.management.values()), lambda route: route not in own),
        *_wrong(network, lab.switches, lambda route: route.overlaps(subnet)),
    ]
    figure = f"{len(layout.management):,} VRFs have routes to {subnet} and its gateway only"
    return Trial("management-apart", "management apart from the fabric", figure, findings)


def _wrong(
    network: ManagementNetwork, nodes: list[str], wrong: Callable[[IPv4Network], bool]
) -> Iterator[str]:
    """Yield the routes of nodes that they must not have."""
    listed = network.machines.networks.each(nodes, lambda _: _routes())
    for node, routes in zip(nodes, listed, strict=True):
        yield from (f"{node}: has the route {route}" for route in routes if wrong(route))


def _routes() -> list[IPv4Network]:
    """Return the destinations of the IPv4 routes of this thread's namespace."""
    command = ["ip", "-j", "-4", "route", "show"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own words
    shown = (route["dst"] for route in json.loads(done.stdout or "[]"))
    return [IPv4Network("0.0.0.0/0" if dst == "default" else dst) for dst in shown]


def without_fabric(lab: RunningLab) -> Trial:
    """Verify the logins while every port of every switch to the fabric is down."""
    machines = lab.machines
    machines.networks.each(
        lab.switches,
        lambda name: batch([f"link set {port} down" for port in machines.ends[name]], name),
    )
    try:
        trial = _reached(lab, "management-alone", "logins while the fabric is down")
    finally:
        machines.open_ports()
    _, wrong = lab.converge()
    trial.findings.extend(f"{name} does not converge" for name in wrong)
    return trial


TRIALS: tuple[Callable[[RunningLab], Trial], ...] = (reachable, apart)
"""The trials of a lab with `management`, in the order in which they run."""
