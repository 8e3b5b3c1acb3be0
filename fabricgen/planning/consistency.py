"""Keys of an inventory that contradict each other, or the host model.

Owns the checks of one key against another: numbers that must divide, facts of the chassis, settings
that cancel each other, and prices of unknown parts. Each yields findings, so that all are reported
together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.count_text import plain_count
from fabricgen.core.diagnostics import Finding, Path
from fabricgen.core.divisors import divisors
from fabricgen.core.terms import Design, speed_text
from fabricgen.planning.circuit_conflicts import (
    circuit_conflicts,
    network_boxes,
    spare_conflicts,
)
from fabricgen.planning.setting_conflicts import (
    price_conflicts,
    relay_conflicts,
    roce_conflicts,
    tray_conflicts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.host import Host
    from fabricgen.inventory.fabric import FabricSpec

MOST_GPUS = 2**22
"""The most GPUs of a plan, four million: ports are 32-bit columns."""


def contradictions(spec: FabricSpec, catalog: Catalog, host: Host | None) -> Iterator[Finding]:
    """Return the findings of all checks."""
    yield from _domains(spec)
    yield from _divisions(spec, host)
    yield from _nic_names(spec, host)
    if host:
        yield from _host_findings(spec, host)
    yield from circuit_conflicts(spec, catalog)
    yield from spare_conflicts(spec)
    if spec.rails.medium == "direct" or spec.nic.split or spec.rails.topology:
        from fabricgen.planning.direct_conflicts import direct_conflicts  # noqa: PLC0415 - for direct rails only

        yield from direct_conflicts(spec)
    yield from relay_conflicts(spec, host)
    yield from roce_conflicts(spec)
    yield from tray_conflicts(spec)
    yield from price_conflicts(spec, catalog)
    if spec.has_networks:
        from fabricgen.planning.network_conflicts import network_conflicts  # noqa: PLC0415 - for networks only

        yield from network_conflicts(spec, host, catalog)
        yield from network_boxes(spec, catalog)


def _domains(spec: FabricSpec) -> Iterator[Finding]:
    """Refuse GPUs that do not fill HB domains, and more of them than can be planned."""
    domain, reserve = spec.hb_domain.gpus, spec.reserve
    counts: dict[Path, int] = {
        ("gpus",): spec.gpus,
        **({("reserve", "gpus"): reserve.gpus} if reserve else {}),
        **{
            ("phases", index, "gpus"): phase.gpus
            for index, phase in enumerate(spec.phases)
            if phase.gpus
        },
    }
    large = {
        path: count
        for path, count in {**counts, ("hb_domain", "gpus"): domain}.items()
        if count > MOST_GPUS
    }
    for path, count in large.items():
        because = (f"a fabric has at most {MOST_GPUS} GPUs",)
        yield Finding(
            "too-many-gpus",
            f"{count} GPUs are more than one fabric is planned for",
            path,
            because,
            "plan several fabrics",
        )
    if large:
        return
    for path, count in counts.items():
        low = count // domain * domain
        if low != count:
            because = (f"{count} = {count // domain} x {domain} + {count - low}",)
            hint = (
                f"use `gpus: {low}` or `gpus: {low + domain}`"
                if low
                else f"use `gpus: {domain}`, or smaller HB domains"
            )
            what = "reserved GPUs" if path[0] == "reserve" else "GPUs"
            yield Finding(
                "gpus-not-whole-domains",
                f"{count} {what} do not fill whole HB domains of {domain}",
                path,
                because,
                hint,
            )
    if reserve and reserve.gpus < spec.gpus:
        because = (f"{reserve.gpus} GPUs are reserved and {spec.gpus} are installed",)
        hint = f"use `gpus: {spec.gpus}` or more: it counts all GPUs, the installed ones too"
        yield Finding(
            "reserve-too-small",
            "the reserve is smaller than what is installed",
            ("reserve", "gpus"),
            because,
            hint,
        )


def _divisions(spec: FabricSpec, host: Host | None) -> Iterator[Finding]:
    """Refuse numbers that do not divide."""
    domain, planes, shared = spec.hb_domain.gpus, spec.rails.planes, spec.rails.per_switch
    hosts, rails = spec.hb_domain.hosts, spec.rails.count or domain
    nics = spec.nic.per_gpu or (host.nics_per_gpu if host else 1)
    gpus = f"the {plain_count(domain, 'GPU')} of an HB domain"
    if hosts:
        yield from _undivided(
            "hosts-do-not-divide",
            domain,
            hosts,
            ("hb_domain", "hosts"),
            gpus,
            plain_count(hosts, "host"),
        )
    yield from _undivided(
        "rails-do-not-divide", domain, rails, ("rails", "count"), gpus, plain_count(rails, "rail")
    )
    ports = f"{plain_count(planes, 'plane')} (one for each NIC port of a GPU)"
    yield from _undivided(
        "nics-do-not-divide", planes, nics, ("nic", "per_gpu"), ports, f"{nics} NICs per GPU"
    )
    if shared != "auto" and spec.design is not Design.FAT_TREE:
        yield from _undivided(
            "rails-do-not-divide",
            rails,
            shared,
            ("rails", "per_switch"),
            plain_count(rails, "rail"),
            f"switches of {shared} rails each",
        )
    of_rails = {
        "per_switch": shared not in (1, "auto"),
        "grouping": spec.rails.grouping != "adjacent",
    }
    for key in [key for key, asked in of_rails.items() if asked]:
        if spec.design is Design.FAT_TREE:
            yield Finding(
                "per-switch-without-rails",
                "a fat-tree has no rails to share a switch",
                ("rails", key),
                ("its leaves take hosts in order, whatever the rank",),
                f"leave `rails.{key}` out, or choose another design",
            )
    yield from _unit(spec, hosts or (host.hb_domain_hosts if host else 1))


def _unit(spec: FabricSpec, hosts: int) -> Iterator[Finding]:
    """Refuse a scalable unit that has a part of an HB domain."""
    unit = spec.scalable_unit
    if unit is None or unit.hosts is None or unit.hosts % hosts == 0:
        return
    fewer = unit.hosts // hosts * hosts
    remainder = f"{unit.hosts} = {unit.hosts // hosts} x {hosts} + {unit.hosts % hosts}"
    sizes = [size for size in (fewer, fewer + hosts) if size]
    yield Finding(
        "unit-splits-domain",
        f"a scalable unit of {unit.hosts} hosts has a part of an HB domain",
        ("scalable_unit", "hosts"),
        (f"an HB domain has {hosts} hosts, and {remainder}",),
        "use " + " or ".join(f"`hosts: {size}`" for size in sizes),
    )


def _undivided(
    code: str, whole: int, part: int, path: Path, what: str, among: str
) -> Iterator[Finding]:
    """Refuse a remainder; the hint is the two nearest divisors to `part`."""
    if whole % part == 0 or whole > MOST_GPUS:
        return
    fitting = sorted(divisors(whole), key=lambda number: (abs(number - part), number))[:2]
    hint = "use " + " or ".join(f"`{path[-1]}: {number}`" for number in sorted(fitting))
    yield Finding(
        code,
        f"{what} cannot be divided evenly among {among}",
        path,
        (f"{whole} = {whole // part} x {part} + {whole % part}",),
        hint,
    )


def _nic_names(spec: FabricSpec, host: Host | None) -> Iterator[Finding]:
    """Refuse names of NIC ports that are too few, too many, or given twice."""
    hosts = spec.hb_domain.hosts or (host.hb_domain_hosts if host else 1)
    gpus, planes = spec.hb_domain.gpus // hosts, spec.rails.planes
    for key in ("nics", "rdma"):
        names = (getattr(spec.host, key) if spec.host else None) or ()
        twice = next((name for name in names if names.count(name) > 1), None)
        if names and len(names) != gpus * planes:
            yield Finding(
                "nic-contradicts-host",
                f"`host.{key}` has {plain_count(len(names), 'name')}, and a host has"
                f" {plain_count(gpus * planes, 'NIC port')}",
                ("host", key),
                (f"{plain_count(gpus, 'GPU')} per host x {plain_count(planes, 'plane')}",),
                "list one name per NIC port: GPU by GPU, and plane by plane for each GPU",
            )
        elif twice:
            yield Finding(
                "nic-contradicts-host",
                f"`host.{key}` has `{twice}` twice",
                ("host", key, names.index(twice)),
                ("each NIC port has a name of its own",),
                f"correct one of them; `ls /sys/class/{'net' if key == 'nics' else 'infiniband'}`"
                " on a host lists the names",
            )


def _host_findings(spec: FabricSpec, host: Host) -> Iterator[Finding]:
    """Refuse keys that contradict the host model."""
    yield from _host_domain(spec, host)
    yield from _host_nics(spec, host)


def _host_domain(spec: FabricSpec, host: Host) -> Iterator[Finding]:
    """Refuse an HB domain of another size than that of the host model."""
    domain, hosts = spec.hb_domain.gpus, spec.hb_domain.hosts
    if host.hb_domain_gpus != domain:
        because = (
            (
                f"{host.model}: {host.hb_domain_hosts} x {host.gpus} GPUs make an HB domain of"
                f" {host.hb_domain_gpus}"
            ),
        )
        yield Finding(
            "host-contradicts-hb-domain",
            f"an HB domain of {host.model} has {host.hb_domain_gpus} GPUs, not {domain}",
            ("hb_domain", "gpus"),
            because,
            f"write `gpus: {host.hb_domain_gpus}`, or choose another host",
        )
    elif hosts and hosts != host.hb_domain_hosts:
        because = (f"{domain} GPUs / {host.gpus} per {host.model} = {domain // host.gpus}",)
        yield Finding(
            "host-contradicts-hb-domain",
            (
                f"an HB domain of {host.model} has {plain_count(host.hb_domain_hosts, 'host')},"
                f" not {hosts}"
            ),
            ("hb_domain", "hosts"),
            because,
            f"write `hosts: {host.hb_domain_hosts}`, or leave it out",
        )


def _host_nics(spec: FabricSpec, host: Host) -> Iterator[Finding]:
    """Refuse NICs that the host model does not have, and speeds at which theirs do not run."""
    nics = spec.nic.per_gpu
    if nics and nics != host.nics_per_gpu:
        yield Finding(
            "nic-contradicts-host",
            f"a {host.model} does not have {plain_count(nics, 'NIC')} per GPU",
            ("nic", "per_gpu"),
            (f"it has {plain_count(host.nics_per_gpu, host.nic)} per GPU",),
            f"write `per_gpu: {host.nics_per_gpu}`, or leave it out",
        )
    planes, offered = spec.rails.planes, host.speeds_gbps
    if planes not in offered:
        ways = " or ".join(
            f"{plain_count(number, 'port')} of {speed_text(speed)}"
            for number, speed in sorted(offered.items())
        )
        near = min(offered, key=lambda number: (abs(number - planes), number))
        yield Finding(
            "nic-contradicts-host",
            (
                f"a GPU of {host.model} has no {plain_count(planes, 'NIC port')}"
                f" for {plain_count(planes, 'plane')}"
            ),
            ("rails", "planes"),
            (f"it has {ways}",),
            f"use `planes: {near}`",
        )
    elif spec.nic.speed and spec.nic.speed != offered[planes]:
        because = (
            (
                f"with {plain_count(planes, 'NIC port')} per GPU,"
                f" each runs at {speed_text(offered[planes])}"
            ),
        )
        yield Finding(
            "nic-contradicts-host",
            f"a NIC port of {host.model} does not run at {speed_text(spec.nic.speed)}",
            ("nic", "speed"),
            because,
            f"write `speed: {speed_text(offered[planes])}`, or leave it out",
        )
