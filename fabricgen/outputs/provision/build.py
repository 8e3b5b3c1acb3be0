"""The switches that boot from the network, with their addresses and DHCP options.

Owns the web root, and the octets of DHCP sub-options. What a NOS asks for is `zero_touch` of its
pack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import refuse
from fabricgen.outputs.packs.pack_yaml import SWITCH
from fabricgen.outputs.provision.macs_csv import Identity, identities
from fabricgen.outputs.provision.view import (
    BootedSwitchView,
    BootedSystemView,
    DhcpOptionView,
    ImageView,
    ProvisionView,
)
from fabricgen.planning.addressing import address_text
from fabricgen.views.managed_ports import managed_ports

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabricgen.inventory.management import Image, Management
    from fabricgen.outputs.packs.pack_yaml import Pack, ZeroTouchFile
    from fabricgen.planning.management import ManagementPlan
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.port_layout import PortLayout

WEB_ROOT = "provision/www/{switch}/"
"""The folder of a switch in the web root."""


def folder_url(server: str, switch: str) -> str:
    """Return the address of the folder of a switch on the web server."""
    return f"http://{server}/{switch}"


def asked_images(plan: Plan) -> dict[str, Image]:
    """Return the images of the inventory by the NOS that switches run, not by an alias of it."""
    asked = plan.spec.management
    layouts = _layouts(plan)
    return {
        layout.nos: image
        for layout in layouts
        for image in (asked.images if asked else ())
        if layout.model.nos_name(image.nos) == layout.nos
    }


def _layouts(plan: Plan) -> list[PortLayout]:
    """Return the port layouts of the switches of all networks."""
    return [
        layout
        for own in plan.cluster
        for role in own.roles
        for layout in own.fabric.nos_variants(role)
    ]


def _booted(plan: Plan) -> list[Plan]:
    """Return the networks whose switches have a cable at their management ports."""
    return [own for own in plan.cluster if not (own.fabric.network and own.fabric.network.vlan)]


def image_views(plan: Plan, server: str, packs: Mapping[str, Pack]) -> dict[str, ImageView]:
    """Return what the switches of each NOS install, by the NOS's name."""
    return {
        nos: ImageView(
            file=given.file,
            url=f"http://{server}/images/{given.file}",
            version=given.version,
            sha256=given.sha256,
        )
        for nos, given in asked_images(plan).items()
        if (pack := packs.get(nos)) and pack.zero_touch and not pack.zero_touch.no_image
    }


def fetched_files(pack: Pack, *, image: bool) -> list[str]:
    """List the files of a switch in its folder of the web root, with or without an image."""
    own = [file.name for file in boot_files(pack, image=image)]
    return [*own, *(output.path.removeprefix(SWITCH) for output in pack.fetched_outputs)]


def boot_files(pack: Pack, *, image: bool) -> list[ZeroTouchFile]:
    """List the scripts and documents of a switch, with or without an image."""
    every = pack.zero_touch.files if pack.zero_touch else ()
    return [file for file in every if image or not file.image]


def provision_view(
    plan: Plan, asked: Management, given: ManagementPlan, packs: Mapping[str, Pack]
) -> ProvisionView:
    """Make the view of the DHCP servers' files. Raises Refusal `bad-macs`."""
    server = address_text(given.server) if given.server is not None else ""
    known = identities(plan)
    every = [switch for own in _booted(plan) for switch in _switches(own, packs, server, known)]
    return ProvisionView(
        fabric=plan.spec.name,
        server=server,
        subnet=str(given.subnet),
        first=str(given.subnet.network_address),
        netmask=str(given.subnet.netmask),
        gateway=address_text(given.gateway),
        dns=[*filter(_is_ipv4, asked.dns)],
        ntp=[*filter(_is_ipv4, asked.ntp)],
        switches=[switch for switch in every if switch.mac],
        wired=[switch for switch in every if switch.circuit],
        unknown=sum(not (switch.mac or switch.circuit) for switch in every),
        several=any(switch.name != switch.switch for switch in every),
        table=asked.macs or "",
        systems=[*_systems(plan, every, packs, image_views(plan, server, packs))],
    )


def _switches(
    plan: Plan,
    packs: Mapping[str, Pack],
    server: str,
    known: Mapping[str, Identity],
) -> Iterator[BootedSwitchView]:
    """Yield the management ports of every installed switch of a network."""
    layouts = [plan.port_layouts(segment) for segment in range(plan.mapping.segments)]
    for port in managed_ports(plan):
        nos, own = layouts[port.segment][port.role].nos, known.get(port.name, Identity())
        yield BootedSwitchView(
            name=port.name,
            switch=port.switch,
            nos=nos,
            mac=own.mac,
            circuit=own.circuit.hex(":"),
            remote=own.remote.hex(":"),
            address=address_text(port.address),
            options=dhcp_options(packs.get(nos), server, port.switch),
        )


def dhcp_options(pack: Pack | None, server: str, switch: str) -> list[DhcpOptionView]:
    """Return the DHCP options by which a switch finds its files."""
    if pack is None or pack.zero_touch is None:
        return []
    values = {"server": server, "switch": switch, "url": folder_url(server, switch)}
    return [
        DhcpOptionView(code, value.format_map(values), "")
        if isinstance(value, str)
        else DhcpOptionView(code, "", _octets(value, values))
        for code, value in sorted(pack.zero_touch.options.items())
    ]


def _octets(options: Mapping[int, str], values: Mapping[str, str]) -> str:
    """Return sub-options as octets: code, length and text of each (RFC 2132, 8.4)."""
    content = bytearray()
    for code, value in options.items():
        text = value.format_map(values).encode("ascii")
        content += bytes([code, len(text)]) + text
    if len(content) > 255:  # noqa: PLR2004 - the length of a DHCP option is one octet
        fact = "the sub-options of a DHCP option take more than 255 octets"
        raise refuse("bad-pack", fact, hint="choose a shorter pattern under `naming`")
    return content.hex(":")


def _systems(
    plan: Plan,
    switches: list[BootedSwitchView],
    packs: Mapping[str, Pack],
    images: Mapping[str, ImageView],
) -> Iterator[BootedSystemView]:
    """Yield each NOS that switches run, by name."""
    layouts = {layout.nos: layout for layout in reversed(_layouts(plan))}
    for nos in sorted({switch.nos for switch in switches}):
        pack = packs.get(nos)
        zero = pack.zero_touch if pack else None
        yield BootedSystemView(
            nos=nos,
            version=plan.fabric.nos_version(layouts[nos]),
            switches=len({switch.switch for switch in switches if switch.nos == nos}),
            follows=zero.follows if zero else "",
            unverified=zero.unverified if zero else "",
            files=fetched_files(pack, image=nos in images) if pack and zero else [],
            image=images.get(nos),
            unverified_image=zero.unverified_image if zero else "",
            afterwards=pack.afterwards if pack else "",
        )


def _is_ipv4(server: str) -> bool:
    """Return whether a server is given by its IPv4 address."""
    return ":" not in server and server[-1].isdigit()
