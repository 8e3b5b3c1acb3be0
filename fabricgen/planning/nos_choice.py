"""The NOS of each role, and of rails whose switches run another one.

Owns the choice, and the refusals of a NOS or a version that no switch runs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, Path, nearest
from fabricgen.core.terms import ROLES, Role

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from fabricgen.catalog.models.switch import Switch
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.port_layout import PortLayout


def choose_nos(spec: FabricSpec, role: Role, model: Switch, findings: list[Finding]) -> str:
    """Choose the NOS of a role: its own, else that of the tier below, else the model's default.

    That of the tier below is only taken where the model runs it.
    """
    own = getattr(spec.nos, role)
    below = [getattr(spec.nos, lower) for lower in ROLES[: role.tier - 1]]
    named = [model.nos_name(nos) for nos in reversed(below) if nos]
    inherited = next((nos for nos in named if nos in model.interfaces), None)
    nos = model.nos_name(str(own or inherited or model.default_nos))
    if nos not in model.interfaces:
        because = (f"it runs {', '.join(sorted(model.interfaces))}",)
        near = nearest(nos, model.interfaces) or model.default_nos
        findings.append(
            Finding(
                "nos-not-on-switch",
                f"{model.model} does not run `{nos}`",
                ("nos", role.value),
                because,
                f"use `{near}`",
            )
        )
    return nos


def layouts_by_rail(
    spec: FabricSpec, port_layouts: dict[Role, PortLayout], rails: int, findings: list[Finding]
) -> dict[int, dict[Role, PortLayout]]:
    """Return the port layouts of the rails for which the inventory names a NOS."""
    found: dict[int, dict[Role, PortLayout]] = {}
    for rail, nos in sorted(spec.nos.rails.items()):
        path: Path = ("nos", "rails", rail)
        if rail >= rails:
            because = (f"{rails} rails count from 0 to {rails - 1}",)
            findings.append(
                Finding(
                    "nos-of-no-rail",
                    f"there is no rail {rail}",
                    path,
                    because,
                    f"leave it out, or write `{rails - 1}`",
                )
            )
        for model in {
            port_layout.model.model: port_layout.model
            for port_layout in port_layouts.values()
            if port_layout.model.nos_name(nos) not in port_layout.model.interfaces
        }.values():
            because = (f"it runs {', '.join(sorted(model.interfaces))}",)
            near = nearest(nos, model.interfaces) or model.default_nos
            findings.append(
                Finding(
                    "nos-not-on-switch",
                    f"{model.model} does not run `{nos}`",
                    path,
                    because,
                    f"use `{near}`",
                )
            )
        found[rail] = {
            role: replace(port_layout, nos=port_layout.model.nos_name(nos))
            for role, port_layout in port_layouts.items()
        }
    return found


def unused_versions(
    spec: FabricSpec, models: Collection[Switch], run: set[str]
) -> Iterator[Finding]:
    """Refuse the version or the image of a NOS that no switch runs: it would have no effect.

    `run` are the systems of all switches, by the names or the aliases that their models have.
    """
    run = {model.nos_name(nos) for model in models for nos in run}
    images = spec.management.images if spec.management else ()
    given: list[tuple[str, str, tuple[str | int, ...]]] = [
        *((name, "version", ("nos", "versions", name)) for name in sorted(spec.nos.versions)),
        *((own.nos, "image", ("management", "images", at)) for at, own in enumerate(images)),
    ]
    for name, word, path in given:
        if run.intersection(model.nos_name(name) for model in models):
            continue
        because = (f"the switches run {', '.join(sorted(run))}",)
        hint = f"write `{nearest(name, run) or min(run)}`, or leave it out"
        yield Finding(
            "version-of-no-nos",
            f"no switch runs `{name}`, whose {word} is given",
            path,
            because,
            hint,
        )
