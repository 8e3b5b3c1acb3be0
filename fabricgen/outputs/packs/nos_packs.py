"""The pack of each NOS of a plan, and its requirements.

Owns the refusals of a NOS without a pack, of a pack without the family of the addresses, of a
switch model that lacks a fact, and of a number or a user that a NOS does not accept. `build` owns
which files a pack writes.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.core.diagnostics import Finding, Refusal, refuse
from fabricgen.core.terms import Role
from fabricgen.planning.circuit_conflicts import medium_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.outputs.packs.pack_yaml import Pack
    from fabricgen.outputs.packs.render import Packs
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.port_layout import PortLayout

    Path = tuple[str | int, ...]

_LIGHT = {
    "patch-panel": "a patch panel, in which a person moves cords",
    "ocs": "an optical circuit switch, which takes circuits alone",
}
"""Why a box that forwards light gets no configuration, by the medium of its rails."""


class NosPacks(NamedTuple):
    """The pack of each NOS that has one, and the roles without files, each with the reason."""

    packs: dict[str, Pack]
    without: list[tuple[Role, str]]


def nos_packs(plan: Plan, packs: Packs, *, configures: bool = True) -> NosPacks:
    """Return the pack of each NOS that switches run.

    Where nothing `configures` switches, packs give no more than names of ports, and nothing is
    verified. Else raises Refusal if the inventory names a NOS without a pack or asks more than the
    NOS accepts, or if the model lacks what the pack needs.
    """
    found = NosPacks({}, [])
    for port_layout, path in _running(plan):
        named, network = packs.for_nos(port_layout.nos), plan.fabric.network
        pack = named.for_access() if named and network and network.vlan else named
        reason = _without_files(plan, port_layout, pack)
        if pack and not reason:
            if configures:
                _check_bonds(plan, port_layout, pack, packs)
                _check_family(plan, pack)
                _check_needs(port_layout, pack, path, packs)
                _check_limits(plan, port_layout.role, pack)
                _check_accounts(plan, port_layout.role, pack)
            found.packs[port_layout.nos] = pack
        elif (
            configures
            and not pack
            and not port_layout.model.circuits
            and _is_named(plan, port_layout, path)
        ):
            raise (
                _no_pack(port_layout.nos, path, packs)
                if named is None
                else _no_bridge(port_layout.nos, path, packs)
            )
        else:
            found.without.append((port_layout.role, reason))
    return found


def _is_named(plan: Plan, port_layout: PortLayout, path: Path) -> bool:
    """Return whether the inventory names the NOS of switches."""
    return "rails" in path or bool(getattr(plan.spec.nos, port_layout.role))


def _without_files(plan: Plan, port_layout: PortLayout, pack: Pack | None) -> str:
    """Return why switches get no files; empty where they get some."""
    nos, model = port_layout.nos, port_layout.model
    if pack is None and model.circuits:
        return f"the {model.model} is {_LIGHT[medium_of(model)]}: the group `circuits` has them"
    if model.externally_managed:
        return f"the {model.model} is managed from outside, by its subnet manager"
    if pack is None:
        bridges = plan.fabric.network and plan.fabric.network.vlan
        return f"no pack writes {'bridges of ' if bridges else ''}{nos}"
    if plan.management is None and not pack.configures_fabric:
        return f"those of {nos} are for `management`, which the inventory does not have"
    return ""


def _running(plan: Plan) -> Iterator[tuple[PortLayout, Path]]:
    """Return the NOS of each role, and of the rails that run another, with the key that sets it."""
    fabric = plan.fabric
    network = fabric.network
    for role in plan.roles:
        path: Path = ("networks", network.name, "nos") if network else ("nos", role.value)
        yield fabric.port_layouts[role], path
    yield from (
        (port_layouts[role], ("nos", "rails", rail))
        for rail, port_layouts in fabric.switches_by_rail.items()
        for role in plan.roles
    )


def _no_pack(nos: str, path: Path, packs: Packs) -> Exception:
    """Return the refusal of a NOS that no pack configures."""
    known = ", ".join(
        own for name in packs.names() if (shown := packs.pack(name)) and (own := shown.nos)
    )
    hint = (
        f"packs: {known}, or your own with `--templates DIR`; or leave `nos` out, or name `outputs`"
        " without configurations"
    )
    return refuse("no-pack", f"no pack writes configurations for `{nos}`", path=path, hint=hint)


def _no_bridge(nos: str, path: Path, packs: Packs) -> Exception:
    """Return the refusal of a NOS whose pack configures no switches of access networks."""
    every = (packs.pack(name) for name in packs.names())
    known = ", ".join(pack.nos for pack in every if pack and pack.nos and pack.for_access())
    return refuse(
        "no-pack",
        f"the pack of `{nos}` has no switches of access networks",
        path=path,
        because=("no output in its pack.yaml has a template under `access`",),
        hint=f"use another `nos` ({known}), or your own pack with `--templates DIR`",
    )


def _check_bonds(plan: Plan, port_layout: PortLayout, pack: Pack, packs: Packs) -> None:
    """Refuse bonds of LACP on switches that do not have them, or whose pack does not."""
    network = plan.fabric.network
    if network is None or not network.tenants:
        return
    if pack.bonds.leaf:
        _check_bond_facts(network.name, port_layout, pack)
        return
    every = (packs.pack(name) for name in packs.names())
    known = ", ".join(own.nos for own in every if own and own.nos and own.bonds.leaf)
    raise refuse(
        "no-pack",
        f"the pack of `{pack.nos}` has no bonds of LACP",
        path=("networks", network.name, "bonding"),
        because=(
            f"the switches of the network run `{pack.nos}`",
            "its pack.yaml does not state `bonds.leaf`: EVPN multihoming is not written for it",
        ),
        hint=f"use another `nos` ({known}), or leave `bonding` out",
    )


def _check_bond_facts(network: str, port_layout: PortLayout, pack: Pack) -> None:
    """Refuse bonds of LACP on leaves of a model that lacks a fact which they require."""
    known = port_layout.model.nos.get(port_layout.nos, {})
    lacking = [need for need in pack.bonds.needs if not known.get(need)]
    if lacking and port_layout.role is Role.LEAF:
        raise refuse(
            "pack-needs-fact",
            f"{port_layout.model.model} has no bonds of LACP with `{pack.nos}`",
            path=("networks", network, "bonding"),
            because=(
                _lacks(port_layout, pack, lacking[0]),
                f"`{lacking[0]}`: {pack.facts[lacking[0]]}",
            ),
            hint="use another switch, leave `bonding` out, or add the fact in a catalog file of"
            " your own",
        )


def _check_family(plan: Plan, pack: Pack) -> None:
    """Refuse a pack that has no syntax for the family of the addresses."""
    addresses = plan.addresses
    if pack.supports(addresses.family):
        return
    pool, version = plan.spec.addressing.host_pool, addresses.family.replace("ipv", "IPv")
    has = ", ".join(each.replace("ipv", "IPv") for each in pack.families) or "IPv4"
    raise refuse(
        "no-address-family",
        f"the pack `{pack.name}` writes no {version} addresses",
        path=("addressing", "host_pool"),
        because=(
            f"{pool} is {version}",
            f"`families` of its pack.yaml has {has}",
        ),
        hint=f"add `families: {{{addresses.family}: {{}}}}` to a pack of your own, or choose"
        " pools of the other family",
    )


def _check_needs(port_layout: PortLayout, pack: Pack, path: Path, packs: Packs) -> None:
    """Refuse a model that lacks a fact which the pack's files require."""
    model = port_layout.model
    for need in pack.needs:
        if need not in model.nos.get(port_layout.nos, {}):
            others = ", ".join(
                nos for nos in sorted(model.interfaces) if nos != pack.nos and packs.for_nos(nos)
            )
            hint = f"use another `nos` ({others}), or add the fact in a catalog file of your own"
            raise refuse(
                "pack-needs-fact",
                f"{model.model} cannot be configured for `{pack.nos}`",
                path=path,
                because=(_lacks(port_layout, pack, need),),
                hint=hint,
            )


def _lacks(port_layout: PortLayout, pack: Pack, need: str) -> str:
    """State which fact of a model a pack needs."""
    return (
        f"the pack `{pack.name}` needs `nos.{port_layout.nos}.{need}`, and the catalog does not"
        f" have it for {port_layout.model.model}"
    )


def _check_limits(plan: Plan, role: Role, pack: Pack) -> None:
    """Refuse a number of the inventory that the NOS rejects, or would change."""
    for key, limit in pack.limits.items():
        if key.startswith("roce.") and not plan.fabric.lossless:
            continue
        value: Any = attrgetter(key)(plan.spec)
        if fault := limit.fault(value):
            taken, proof, nearest = fault
            path = tuple(key.split("."))
            because = (f"the {role} switches run `{pack.nos}`, which takes {taken}", proof)
            hint = f"write `{key}: {nearest}`"
            if limit.most is not None and value > limit.most:
                fact = f"`{key}` is more than `{pack.nos}` can do"
                raise refuse("above-nos-limit", fact, path=path, because=because, hint=hint)
            fact = f"`{key}` is no value that `{pack.nos}` takes"
            raise refuse("outside-nos-range", fact, path=path, because=because, hint=hint)


def _check_accounts(plan: Plan, role: Role, pack: Pack) -> None:
    """Refuse users whose names are accounts of the NOS: it rejects them, or they get its rights."""
    asked, taken = plan.spec.management, pack.terms.accounts
    findings = [
        Finding(
            "reserved-account",
            f"`{user.name}` is an account that `{pack.nos}` has or reserves",
            ("management", "users", number, "name"),
            (
                f"the {role} switches run `{pack.nos}`",
                *([f"it is listed in {taken.source}"] if taken.source else []),
            ),
            "give the user another name",
        )
        for number, user in enumerate(asked.users if asked else ())
        if user.name in taken.names
    ]
    if findings:
        raise Refusal(findings)
