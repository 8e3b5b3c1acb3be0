"""The group of what switches boot from: DHCP servers and the web root.

Owns its tasks; without `management` there are none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.build.context import per_build
from fabricgen.build.network_tasks import network_tasks
from fabricgen.build.pack_outputs import (
    config_packs,
    every_config_pack,
    fitting_outputs,
    site_lines,
)
from fabricgen.build.runs import installed_switches, switch_runs
from fabricgen.build.selection import Skipped
from fabricgen.build.task import OneFile
from fabricgen.build.write.files import Root, write_text
from fabricgen.core.terms import Role
from fabricgen.outputs.packs.pack_yaml import SWITCH
from fabricgen.outputs.provision.build import (
    WEB_ROOT,
    asked_images,
    boot_files,
    fetched_files,
    folder_url,
    image_views,
    provision_view,
)
from fabricgen.planning.addressing import address_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.build.context import BuildContext
    from fabricgen.build.task import BuildTask
    from fabricgen.build.write.manifest import Written
    from fabricgen.outputs.packs.pack_yaml import Pack
    from fabricgen.outputs.provision.view import ImageView, ProvisionView
    from fabricgen.planning.port_layout import PortLayout
    from fabricgen.views.switches.view import SwitchView


def tasks(context: BuildContext) -> Iterator[BuildTask | Skipped]:
    """List the tasks of the group."""
    given = context.plan.management
    documents = fitting_outputs(context, "provision")
    if given is None or not documents:
        return
    if given.server is None:
        full = f"the subnet {given.subnet} has no address left for the server"
        yield Skipped(f"provision/: {full}; give it by `management.server`")
        return
    yield from _without_image(context)
    for pack, output in documents:
        yield ProvisionDocument(output.path, pack, output.template)
    yield from _web_files(context)
    yield from network_tasks(context, _web_files)


def _web_files(context: BuildContext) -> Iterator[BuildTask | Skipped]:
    """List the tasks of the switches of one network."""
    network = context.plan.fabric.network
    if network and network.vlan:
        yield Skipped(
            "provision/ has no access switches: no cable is planned to their management ports,"
            " so load their files by the console"
        )
        return
    yield from (WebFiles(segment, boxes) for segment, boxes in switch_runs(context))


def _without_image(context: BuildContext) -> Iterator[Skipped]:
    """List the images that no switch installs by itself."""
    packs = every_config_pack(context)
    for nos in asked_images(context.plan):
        zero = packs[nos].zero_touch if nos in packs else None
        reason = zero.no_image if zero else "its pack has no first boot"
        if reason:
            yield Skipped(f"`management.images` of {nos} on the first day: {reason}")


@per_build
def images(context: BuildContext) -> dict[str, ImageView]:
    """Return what the switches of each NOS install."""
    given = context.plan.management
    if given is None or given.server is None:
        return {}
    return image_views(context.plan, address_text(given.server), config_packs(context))


@per_build
def provision(context: BuildContext) -> ProvisionView | None:
    """Return the switches with their DHCP options; None without `management`."""
    plan, asked = context.plan, context.plan.spec.management
    if plan.management is None or asked is None:
        return None
    return provision_view(plan, asked, plan.management, every_config_pack(context))


@dataclass(frozen=True)
class ProvisionDocument(OneFile):
    """One document of a pack, rendered at once."""

    pack: str
    template: str

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render it."""
        view = provision(context)
        text = context.packs.render(self.pack, self.template, provision=view)
        yield write_text(root, self.path, text)


@dataclass(frozen=True)
class WebFiles:
    """The folders of a run of switches in the web root."""

    segment: int
    boxes: Sequence[int]

    def paths(self, context: BuildContext) -> Iterator[str]:
        """List the files that the NOS of each switch fetches."""
        layouts = context.plan.port_layouts(self.segment)
        for switch, role in installed_switches(context, self.segment, self.boxes):
            pack = _booted(context, layouts[role])
            installs = pack is not None and pack.nos in images(context)
            for name in fetched_files(pack, image=installs) if pack else ():
                yield WEB_ROOT.format(switch=switch) + name

    def prepare(self, context: BuildContext) -> None:
        """Make what all segments share."""
        context.views.prepare()

    def write(self, context: BuildContext, root: Root) -> Iterator[Written]:
        """Render the files of each switch, its configuration as in `configs/`."""
        layouts = context.plan.port_layouts(self.segment)
        roles = tuple(role for role, layout in layouts.items() if _booted(context, layout))
        for switch in context.views.switches(self.segment, roles, self.boxes):
            pack = _booted(context, layouts[Role(switch.role)])
            if pack:
                yield from _scripts(context, pack, switch, root)
                yield from _configurations(context, pack, switch, root)


def _booted(context: BuildContext, layout: PortLayout) -> Pack | None:
    """Return the pack of a layout's NOS if it boots from the network."""
    pack = config_packs(context).get(layout.nos)
    return pack if pack and pack.zero_touch else None


def _scripts(
    context: BuildContext, pack: Pack, switch: SwitchView, root: Root
) -> Iterator[Written]:
    """Write the scripts and documents by which a switch fetches its configuration."""
    given = context.plan.management
    server = address_text(given.server) if given and given.server is not None else ""
    url = folder_url(server, switch.name)
    image = images(context).get(switch.nos)
    for own in boot_files(pack, image=image is not None):
        text = context.packs.render(pack.name, own.template, switch=switch, url=url, image=image)
        yield write_text(root, WEB_ROOT.format(switch=switch.name) + own.name, text)


def _configurations(
    context: BuildContext, pack: Pack, switch: SwitchView, root: Root
) -> Iterator[Written]:
    """Write the files of a switch that it fetches; those with secrets for their owner alone."""
    for file in site_lines(context).files(pack, pack.fetched_outputs, switch):
        path = file.output.path.replace(SWITCH, WEB_ROOT).format(switch=switch.name)
        yield write_text(root, path, file.text, file.mode, secret=file.secret)
