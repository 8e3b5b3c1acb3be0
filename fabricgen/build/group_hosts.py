"""The group of hosts: addresses, routes and NCCL settings of each host and each of its NICs.

Owns their tasks, each of which serves a run of hosts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.build.context import per_build
from fabricgen.build.pack_outputs import fitting_outputs, wanted_packs
from fabricgen.build.runs import host_runs
from fabricgen.build.selection import Skipped
from fabricgen.build.task import OneFile
from fabricgen.build.write.files import Root, write_text
from fabricgen.outputs.groups import ADDRESSES, SESSIONS
from fabricgen.outputs.packs.quoted_text import csv_cell
from fabricgen.views.hosts.direct import hosts_of
from fabricgen.views.hosts.network_ports import network_ports
from fabricgen.views.hosts.router_sessions import RouterSession, has_sessions, router_sessions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.build.context import BuildContext
    from fabricgen.build.task import BuildTask
    from fabricgen.build.write.manifest import Written
    from fabricgen.outputs.packs.pack_output import PackOutput
    from fabricgen.planning.plan import Plan
    from fabricgen.views.hosts.build import Hosts
    from fabricgen.views.hosts.view import HostView


def tasks(context: BuildContext) -> Iterator[BuildTask | Skipped]:
    """List the tasks of the hosts."""
    ports = len(context.plan.hosts) * len(hosts(context).ports)
    if over := context.selection.over("hosts", ports):
        yield over
    else:
        yield from _not_written(context)
        yield from (HostFiles(run) for run in host_runs(context))
    if (context.plan.networks or context.plan.mapping.topology) and context.scope is None:
        yield AddressTable(ADDRESSES)
    if has_sessions(context.plan) and context.scope is None:
        yield SessionTable(SESSIONS)


def _not_written(context: BuildContext) -> Iterator[Skipped]:
    """List the files of hosts that their NICs, links or addresses do not allow, with the reason."""
    fabric, plan = context.plan.fabric, context.plan
    ethernet, family = hosts(context).ethernet, plan.addresses.family
    for pack in wanted_packs(context, "hosts"):
        for output in pack.outputs:
            path = output.path.format(host="*", interface="*")
            if output.roce_tools and ethernet and not (fabric.nic and fabric.nic.roce_tools):
                yield Skipped(f"{path}: {_without_tools(plan)}")
            if output.library != fabric.library.name or not ethernet:
                continue
            if not pack.supports(family):
                yield Skipped(f"{path}: {fabric.library.title} reads no {family} addresses")
            elif output.host_links not in (None, plan.spec.addressing.host_links):
                yield Skipped(f"{path}: {fabric.library.title} needs numbered links")


def _without_tools(plan: Plan) -> str:
    """Return why no script sets the lossless class of NICs, and what to set by hand."""
    nic, roce = plan.fabric.nic, plan.spec.roce
    why = (
        f"the catalog names no `roce_tools` for the NIC {nic.model}"
        if nic
        else "the inventory names no NIC as `nic: {model: ...}`"
    )
    return (
        f"{why}; by the vendor's tool, set on every NIC port: DSCP {roce.dscp}, PFC and ECN on"
        f" priority {roce.priority}, and DSCP {roce.cnp_dscp} on priority {roce.cnp_priority} for"
        " congestion notifications"
    )


@per_build
def hosts(context: BuildContext) -> Hosts:
    """Return the maker of the views of hosts."""
    return hosts_of(context.plan)


@per_build
def host_outputs(context: BuildContext) -> list[tuple[str, PackOutput]]:
    """List what is written for each host and NIC, with the name of its pack."""
    return fitting_outputs(context, "hosts")


NETDEV = "host-netdev"
LINKS = ("host-link", NETDEV)
"""The kinds of outputs for the interfaces of a host in the networks beside compute."""


@dataclass(frozen=True)
class HostFiles:
    """The files of a run of hosts."""

    run: Sequence[int]

    def paths(self, context: BuildContext) -> Iterator[str]:
        """List what the packs write for each host, and for each of its NICs."""
        every = hosts(context)
        nics = [interface for _, _, interface in every.ports]
        for host in self.run:
            name = context.plan.hosts[host]
            for _, output in host_outputs(context):
                interfaces = nics if output.each == "nic" else [""]
                if output.each in LINKS:
                    interfaces = every.link_names(host, made=output.each == NETDEV)
                for interface in interfaces:
                    yield output.path.format(host=name, interface=interface)

    def prepare(self, context: BuildContext) -> None:
        """Make what all hosts share."""
        hosts(context).prepare()

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render them."""
        for host in hosts(context).views(self.run):
            for pack, output in host_outputs(context):
                for interface, views in _parts(host, output):
                    with context.packs.secrets as secrets:
                        text = context.packs.render(pack, output.template, host=host, **views)
                    path = output.path.format(host=host.name, interface=interface)
                    yield write_text(root, path, text, output.bits, secret=secrets.used)


def _parts(host: HostView, output: PackOutput) -> list[tuple[str, dict[str, object]]]:
    """Return what an output has a file for on a host, by interface, and the views of each file."""
    if output.each == "nic":
        return [(nic.interface, {"nic": nic, "link": None}) for nic in host.nics]
    if output.each in LINKS:
        links = (link for link in host.network_links if link.kind or output.each != NETDEV)
        return [(link.name, {"nic": None, "link": link}) for link in links]
    return [("", {"nic": None, "link": None})]


@dataclass(frozen=True)
class AddressTable(OneFile):
    """The table of the ports of devices in the networks beside compute, or of direct rails."""

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Write a line for each port."""
        yield write_text(root, self.path, _address_rows(context))


@dataclass(frozen=True)
class SessionTable(OneFile):
    """The table of the BGP sessions of the site's routers."""

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Write a line for each session."""
        yield write_text(root, self.path, _session_rows(context))


def _session_rows(context: BuildContext) -> Iterator[str]:
    """Yield the header, and a line for each session."""
    yield ",".join(RouterSession._fields) + "\n"
    for session in router_sessions(context.plan):
        yield ",".join(map(csv_cell, map(str, session))) + "\n"


def _address_rows(context: BuildContext) -> Iterator[str]:
    """Yield the header, and a line for each port, without an address where none is planned."""
    if context.plan.mapping.topology:
        yield from _direct_rows(context)
        return
    yield "device,interface,network,address,gateway,switch,switch_interface,cable\n"
    for port in network_ports(context.plan):
        cells = (
            port.device,
            port.interface,
            port.network,
            f"{port.address}/{port.prefix_length}" if port.address else "",
            port.gateway,
            port.switch,
            port.switch_interface,
            port.cable,
        )
        yield ",".join(map(csv_cell, cells)) + "\n"


def _direct_rows(context: BuildContext) -> Iterator[str]:
    """Yield the header, and a line for the address of each GPU and of each link of a host."""
    yield "device,interface,gpu,rail,plane,address,peer_device,peer_interface,peer_address,cable\n"
    for host in hosts(context).views(range(len(context.plan.hosts))):
        rows = [
            (host.name, "lo", gpu, rail.rail, rail.plane, f"{address}/{host.address_bits}", *_LO)
            for rail in host.rails
            for gpu, address in zip(rail.gpus, rail.addresses, strict=True)
        ]
        rows += [
            (
                *(host.name, nic.interface, nic.gpu, nic.rail, nic.plane),
                *(f"{nic.address}/{nic.prefix_length}", nic.leaf, nic.leaf_interface),
                *(nic.gateway, nic.cable),
            )
            for nic in host.nics
        ]
        yield from (",".join(map(csv_cell, cells)) + "\n" for cells in rows)


_LO = ("", "", "", "")
"""The far end of an address without a link."""
