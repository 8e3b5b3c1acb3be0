"""The pack that configures each NOS of a plan, and what the pack asks of the inventory and of the switch model.

Owns the refusals of a NOS without a pack, of a model that lacks a fact, and of a number above what
a NOS takes. Which files a pack writes belongs to `building`.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.core.diagnostics import refuse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.terms import Role
    from fabricgen.outputs.packs.pack_yaml import Pack
    from fabricgen.outputs.packs.render import Packs
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.port_layout import PortLayout

    Path = tuple[str | int, ...]


class NosPacks(NamedTuple):
    """The pack of each NOS that has one, and each role whose NOS, which nobody named, has none."""

    packs: dict[str, Pack]
    without: list[tuple[Role, str]]


def nos_packs(plan: Plan, packs: Packs) -> NosPacks:
    """Find the pack of each NOS that switches run.

    Raises Refusal where the inventory names a NOS without one or asks more than the NOS takes, or
    the model lacks what the pack needs.
    """
    found = NosPacks({}, [])
    for port_layout, path in _running(plan):
        pack = packs.for_nos(port_layout.nos)
        if pack:
            _check_needs(port_layout, pack, path, packs)
            _check_limits(plan, port_layout.role, pack)
            found.packs[port_layout.nos] = pack
        elif "rails" in path or getattr(plan.spec.nos, port_layout.role):
            raise _no_pack(port_layout.nos, path, packs)
        else:
            found.without.append((port_layout.role, port_layout.nos))
    return found


def _running(plan: Plan) -> Iterator[tuple[PortLayout, Path]]:
    """List what the switches of each role run, and those of the rails that run another NOS, with the key that says so."""
    fabric = plan.fabric
    yield from ((fabric.port_layouts[role], ("nos", role.value)) for role in plan.roles)
    yield from (
        (port_layouts[role], ("nos", "rails", rail))
        for rail, port_layouts in fabric.switches_by_rail.items()
        for role in plan.roles
    )


def _no_pack(nos: str, path: Path, packs: Packs) -> Exception:
    """Refuse a NOS that no pack configures."""
    known = ", ".join(
        own for name in packs.names() if (shown := packs.pack(name)) and (own := shown.nos)
    )
    hint = f"packs: {known}, or your own with `--templates DIR`; or leave `nos` out, or name `outputs` without configurations"
    return refuse("no-pack", f"no pack writes configurations for `{nos}`", path=path, hint=hint)


def _check_needs(port_layout: PortLayout, pack: Pack, path: Path, packs: Packs) -> None:
    """Refuse a model that lacks a fact which the pack's files cannot do without."""
    model = port_layout.model
    for need in pack.needs:
        if need not in model.nos.get(port_layout.nos, {}):
            fact = f"nos.{port_layout.nos}.{need}"
            because = (
                f"the pack `{pack.name}` needs `{fact}`, and the catalog does not have it for {model.model}",
            )
            others = ", ".join(
                nos for nos in sorted(model.interfaces) if nos != pack.nos and packs.for_nos(nos)
            )
            hint = f"use another `nos` ({others}), or add the fact in a catalog file of your own"
            raise refuse(
                "pack-needs-fact",
                f"{model.model} cannot be configured for `{pack.nos}`",
                path=path,
                because=because,
                hint=hint,
            )


def _check_limits(plan: Plan, role: Role, pack: Pack) -> None:
    """Refuse a number of the inventory that the NOS rejects, or of which it would make another."""
    for key, limit in pack.limits.items():
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
