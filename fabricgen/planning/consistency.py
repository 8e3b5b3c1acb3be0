"""Numbers of an inventory that contradict each other, or the host model.

Owns the checks of one key against another: what must divide, what the chassis fixes, what a setting
undoes, and prices that nothing asks for. Each is a generator of findings, so that all of them are
shown together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, Path, suggest
from fabricgen.core.terms import Design, speed_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.host import Host
    from fabricgen.inventory.fabric import FabricSpec

MOST_GPUS = 2**22
"""Four million: NIC ports and ports of switches are 32-bit columns, and nobody has built a larger one."""


def contradictions(spec: FabricSpec, catalog: Catalog, host: Host | None) -> Iterator[Finding]:
    """Find every pair of keys that cannot both hold."""
    yield from _domains(spec)
    yield from _divisions(spec, host)
    if host:
        yield from _host_findings(spec, host)
    yield from _relay_findings(spec, host)
    yield from _roce_findings(spec)
    yield from _tray_findings(spec)
    yield from _price_findings(spec, catalog)


def _domains(spec: FabricSpec) -> Iterator[Finding]:
    """Find GPUs that do not fill HB domains, and more of them than can be planned."""
    domain, reserve = spec.hb_domain.gpus, spec.reserve
    counts: dict[Path, int] = {
        ("gpus",): spec.gpus,
        **({("reserve", "gpus"): reserve.gpus} if reserve else {}),
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
            what = "GPUs" if path == ("gpus",) else "reserved GPUs"
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
    """Find numbers that do not divide."""
    domain, planes, shared = spec.hb_domain.gpus, spec.rails.planes, spec.rails.per_switch
    hosts, rails = spec.hb_domain.hosts, spec.rails.count or domain
    nics = spec.nic.per_gpu or (host.nics_per_gpu if host else 1)
    gpus = f"the {domain} GPUs of an HB domain"
    if hosts:
        yield from _undivided(
            "hosts-do-not-divide",
            domain,
            hosts,
            ("hb_domain", "hosts"),
            gpus,
            _number(hosts, "host"),
        )
    yield from _undivided(
        "rails-do-not-divide", domain, rails, ("rails", "count"), gpus, _number(rails, "rail")
    )
    ports = f"{_number(planes, 'plane')} (one for each NIC port of a GPU)"
    yield from _undivided(
        "nics-do-not-divide", planes, nics, ("nic", "per_gpu"), ports, f"{nics} NICs per GPU"
    )
    if shared != "auto" and spec.design is not Design.FAT_TREE:
        yield from _undivided(
            "rails-do-not-divide",
            rails,
            shared,
            ("rails", "per_switch"),
            _number(rails, "rail"),
            f"switches of {shared} rails each",
        )
    if shared not in (1, "auto") and spec.design is Design.FAT_TREE:
        because = ("its leaves take hosts in order, whatever the rank",)
        hint = "leave `rails.per_switch` out, or choose another design"
        yield Finding(
            "per-switch-without-rails",
            "a fat-tree has no rails to share a switch",
            ("rails", "per_switch"),
            because,
            hint,
        )


def _undivided(
    code: str, whole: int, part: int, path: Path, what: str, among: str
) -> Iterator[Finding]:
    """Refuse a remainder, and name the two numbers nearest to `part` that would do."""
    if whole % part == 0 or whole > MOST_GPUS:
        return
    fitting = sorted(
        (number for number in range(1, whole + 1) if whole % number == 0),
        key=lambda number: (abs(number - part), number),
    )[:2]
    hint = "use " + " or ".join(f"`{path[-1]}: {number}`" for number in sorted(fitting))
    yield Finding(
        code,
        f"{what} cannot be divided evenly among {among}",
        path,
        (f"{whole} = {whole // part} x {part} + {whole % part}",),
        hint,
    )


def _relay_findings(spec: FabricSpec, host: Host | None) -> Iterator[Finding]:
    """Find what takes the only way between rails from a rail-only fabric: the relay through the HB domain."""
    rails = spec.rails.count or spec.hb_domain.gpus
    if spec.design is not Design.RAIL_ONLY or rails == 1:
        return
    apart = f"{rails} rails meet nowhere but inside HB domains"
    other = "use `design: rail-optimized`, whose rails meet at the spines"
    if host and not host.scale_up:
        because = (
            apart,
            f"the GPUs of a {host.model} share no scale-up interconnect, so none of them can relay for another",
        )
        yield Finding(
            "relay-impossible",
            f"no traffic could cross rails between hosts of {host.model}",
            ("host", "model"),
            because,
            other,
        )
    if not spec.nccl.pxn:
        because = (
            apart,
            "with PXN off a GPU sends through its own NIC only, which reaches its own rail only",
        )
        yield Finding(
            "relay-impossible",
            "no traffic could cross rails without PXN",
            ("nccl", "pxn"),
            because,
            f"leave `pxn` out, or {other}",
        )


def _roce_findings(spec: FabricSpec) -> Iterator[Finding]:
    """Find RoCE settings that undo each other."""
    roce = spec.roce
    path: Path
    for key, own, notified in (
        ("dscp", roce.dscp, roce.cnp_dscp),
        ("priority", roce.priority, roce.cnp_priority),
    ):
        if own == notified:
            path = ("roce", key if key in roce.model_fields_set else f"cnp_{key}")
            because = (
                f"`{key}` and `cnp_{key}` are both {own}",
                "a notification behind the traffic that it shall slow down comes too late",
            )
            default = type(roce).model_fields[str(path[-1])].default
            hint = f"use `{path[-1]}: {default}`" if default != own else f"use another `{path[-1]}`"
            yield Finding(
                "roce-contradicts-itself",
                "RoCE traffic and its congestion notifications share a class",
                path,
                because,
                hint,
            )
    low, high = roce.ecn_minimum_bytes, roce.ecn_maximum_bytes
    if low >= high:
        path = (
            "roce",
            "ecn_minimum_bytes"
            if "ecn_minimum_bytes" in roce.model_fields_set
            else "ecn_maximum_bytes",
        )
        proof = f"marking starts at {low} bytes and is complete at {high} bytes"
        hint = (
            f"use an `ecn_minimum_bytes` below {high}" if high > 1 else "raise `ecn_maximum_bytes`"
        )
        yield Finding(
            "roce-contradicts-itself",
            "ECN marking would be complete before it starts",
            path,
            (proof,),
            hint,
        )


def _tray_findings(spec: FabricSpec) -> Iterator[Finding]:
    """Find half a section of a tray, and a limit on a fill that nobody can work out."""
    tray = spec.site.tray if spec.site else None
    if tray is None or (tray.width_mm and tray.depth_mm):
        return
    missing = [f"`{key}`" for key in ("width_mm", "depth_mm") if not getattr(tray, key)]
    stated = next(
        (key for key in ("fill_percent", "width_mm", "depth_mm") if getattr(tray, key)), None
    )
    if stated:
        because = ("how full a tray is follows from its width and its depth",)
        hint = f"add {' and '.join(missing)} beside it, or leave `{stated}` out"
        yield Finding(
            "tray-without-section",
            f"`{stated}` says nothing without {' and '.join(missing)}",
            ("site", "tray", stated),
            because,
            hint,
        )


def _price_findings(spec: FabricSpec, catalog: Catalog) -> Iterator[Finding]:
    """Find prices of parts that nobody sells; a price that is never used would look like one that is."""
    if not spec.prices.parts:
        return
    known = {
        name
        for kind in ("switches", "transceivers", "cables", "nics")
        for name in catalog.names(kind)
    }
    for part in spec.prices.parts:
        if part not in known and not part.startswith("generic-"):
            hint = suggest(part, known, "`fabricgen catalog list` shows what there is")
            yield Finding(
                "unknown-model",
                f"the catalog has no part `{part}` to price",
                ("prices", "parts", part),
                hint=hint,
            )


def _host_findings(spec: FabricSpec, host: Host) -> Iterator[Finding]:
    """Find where the host model contradicts the inventory."""
    domain, hosts = spec.hb_domain.gpus, spec.hb_domain.hosts
    if host.hb_domain_gpus != domain:
        because = (
            f"{host.model}: {host.hb_domain_hosts} x {host.gpus} GPUs make an HB domain of {host.hb_domain_gpus}",
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
            f"an HB domain of {host.model} has {_number(host.hb_domain_hosts, 'host')}, not {hosts}",
            ("hb_domain", "hosts"),
            because,
            f"write `hosts: {host.hb_domain_hosts}`, or leave it out",
        )
    nics = spec.nic.per_gpu
    if nics and nics != host.nics_per_gpu:
        yield Finding(
            "nic-contradicts-host",
            f"a {host.model} does not have {_number(nics, 'NIC')} per GPU",
            ("nic", "per_gpu"),
            (f"it has {_number(host.nics_per_gpu, host.nic)} per GPU",),
            f"write `per_gpu: {host.nics_per_gpu}`, or leave it out",
        )
    planes, offered = spec.rails.planes, host.speeds_gbps
    if planes not in offered:
        ways = " or ".join(
            f"{_number(number, 'port')} of {speed_text(speed)}"
            for number, speed in sorted(offered.items())
        )
        near = min(offered, key=lambda number: (abs(number - planes), number))
        yield Finding(
            "nic-contradicts-host",
            f"a GPU of {host.model} has no {_number(planes, 'NIC port')} for {_number(planes, 'plane')}",
            ("rails", "planes"),
            (f"it has {ways}",),
            f"use `planes: {near}`",
        )
    elif spec.nic.speed and spec.nic.speed != offered[planes]:
        because = (
            f"with {_number(planes, 'NIC port')} per GPU, each runs at {speed_text(offered[planes])}",
        )
        yield Finding(
            "nic-contradicts-host",
            f"a NIC port of {host.model} does not run at {speed_text(spec.nic.speed)}",
            ("nic", "speed"),
            because,
            f"write `speed: {speed_text(offered[planes])}`, or leave it out",
        )


def _number(count: int, thing: str) -> str:
    """Write a count with its thing.

    >>> _number(1, "host"), _number(18, "host")
    ('1 host', '18 hosts')
    """
    return (
        f"{count} {thing}"
        if count == 1
        else f"{count} {thing}es"
        if thing.endswith("ch")
        else f"{count} {thing}s"
    )
