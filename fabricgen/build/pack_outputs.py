"""The outputs of packs that a build writes.

Owns the selection of packs and of their outputs by NOS, transport and host links. `nos_packs`
verifies what a pack needs of the inventory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.build.context import per_build
from fabricgen.build.selection import Skipped
from fabricgen.core.terms import Role
from fabricgen.outputs.groups import GROUPS, PACK_GROUPS
from fabricgen.outputs.packs.nos_packs import nos_packs
from fabricgen.outputs.packs.site_lines import SiteLines
from fabricgen.planning.patch_cords import cord_of
from fabricgen.views.infiniband.transport import is_infiniband
from fabricgen.views.switches.facts import switch_facts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.context import BuildContext
    from fabricgen.outputs.packs.nos_packs import NosPacks
    from fabricgen.outputs.packs.pack_output import PackOutput
    from fabricgen.outputs.packs.pack_yaml import Pack
    from fabricgen.planning.plan import Plan


PATCHED = ("patching", "panel", "panel-labels")
"""The kinds of outputs that exist where links run through panels."""

CIRCUITS = ("circuits", "cords", "circuit-box", "circuit-set")
"""The kinds of outputs that exist where leaves join ports."""


@per_build
def _nos_packs(context: BuildContext) -> NosPacks:
    """Find the pack of each NOS that switches run. Raises Refusal as `config_packs` does."""
    configures = any(GROUPS[name].configures for name in context.selection.groups)
    return nos_packs(context.plan, context.packs, configures=configures)


def config_packs(context: BuildContext) -> dict[str, Pack]:
    """Return the pack of each NOS that switches run.

    Raises Refusal where the inventory names a NOS without one or asks more than the NOS takes, or
    the model lacks what the pack needs.
    """
    return _nos_packs(context).packs


def every_config_pack(context: BuildContext) -> dict[str, Pack]:
    """Return the pack of each NOS that switches of any network run. Raises Refusal."""
    return {nos: pack for own in reversed(context.each) for nos, pack in config_packs(own).items()}


def without_files(context: BuildContext) -> list[tuple[Role, str]]:
    """List the roles whose switches get no files, each with the reason."""
    return _nos_packs(context).without


@per_build
def site_lines(context: BuildContext) -> SiteLines:
    """Return what renders the files of switches with the site's own lines."""
    return SiteLines(context.packs, context.texts)


def unconfigured(context: BuildContext) -> Iterator[Skipped]:
    """List the roles whose NOS no pack configures."""
    managed = (
        "; their subnet manager's files are in subnets/" if is_infiniband(context.plan) else ""
    )
    for role, reason in without_files(context):
        yield Skipped(f"no configurations for the {role} switches: {reason}{managed}")


def incomplete(context: BuildContext) -> Iterator[Skipped]:
    """List what configurations lack because the catalog lacks a fact of a switch."""
    packs, plan = config_packs(context), context.plan
    for role in plan.roles:
        for layout in plan.fabric.nos_variants(role):
            pack, facts = packs.get(layout.nos), switch_facts(layout)
            for fact, lack in pack.wants.items() if pack and plan.fabric.lossless else ():
                if fact not in facts:
                    named = f"the {role} switches ({layout.model.model}, {layout.nos})"
                    yield Skipped(f"on {named}, {lack}")


def switch_outputs(context: BuildContext, segment: int, role: Role) -> list[PackOutput]:
    """List the outputs of the pack of a role in a segment."""
    layout = context.plan.port_layouts(segment)[role]
    pack = config_packs(context).get(layout.nos)
    if (
        pack is None
        or layout.model.externally_managed
        or not context.selection.wants("configs", pack.name)
    ):
        return []
    asked, lossless = context.plan.spec.management, context.plan.fabric.lossless
    return [
        output
        for output in pack.outputs
        if role in output.roles and output.is_written(asked) and (lossless or not output.lossless)
    ]


def wanted_packs(context: BuildContext, group: str) -> list[Pack]:
    """List the packs of a `group` of pack.yaml that are wanted."""
    return [
        pack
        for pack in context.packs.group(group)
        if context.selection.wants(PACK_GROUPS[group], pack.name)
    ]


def fitting_outputs(context: BuildContext, group: str) -> list[tuple[str, PackOutput]]:
    """List the outputs of a group that fit the fabric, with their packs' names."""
    links = context.plan.spec.addressing.host_links
    medium = "direct" if context.plan.mapping.topology else "packet"
    fabric = context.plan.fabric
    transport = fabric.port_layouts[Role.LEAF].model.transport
    tools = bool(fabric.nic and fabric.nic.roce_tools)
    return [
        (pack.name, output)
        for pack in wanted_packs(context, group)
        for output in pack.outputs
        if pack.supports(context.plan.addresses.family)
        and output.transport in (None, transport)
        and output.host_links in (None, links)
        and output.medium in (None, medium)
        and output.library in (None, fabric.library.name)
        and (tools or not output.roce_tools)
        and (context.plan.pieces or not output.shared_cables)
        and (not output.networks or context.plan.routed)
        and (output.each not in PATCHED or _has_panels(context))
        and (output.each != "power-cords" or _has_pdus(context.plan))
        and (output.each != "cord-labels" or _has_cords(context.plan))
        and (output.each != "spare-leaves" or context.plan.mapping.spare_leaves)
        and _fits_leaves(context, pack.name, output)
        and output.is_written(context.plan.spec.management)
    ]


def _has_cords(plan: Plan) -> bool:
    """Return whether there are power cords with an outlet, or panels in which cords are moved."""
    return _has_pdus(plan) or cord_of(plan) is not None


def _has_pdus(plan: Plan) -> bool:
    """Return whether power cords have an outlet."""
    from fabricgen.planning.power_cords import has_pdus

    return has_pdus(plan)


def _has_panels(context: BuildContext) -> bool:
    """Return whether links of any network run through panels."""
    if context.plan.fabric.spec.cabling is None:
        return False
    return any(plan.channels for plan in context.plan.cluster)


def _fits_leaves(context: BuildContext, pack: str, output: PackOutput) -> bool:
    """Return whether leaves have the circuits that an output is of, and a pack's commands."""
    if output.each not in CIRCUITS:
        return True
    fabric = context.plan.fabric
    if output.each == "cords":
        return cord_of(context.plan) is not None
    own = output.each == "circuits" or fabric.port_layouts[Role.LEAF].nos == pack
    return fabric.has_circuits and own
