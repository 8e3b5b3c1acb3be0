"""The options of `lab`: which part of a fabric is booted, and which lab is meant."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from fabricgen.cli.options import FabricArguments
    from fabricgen.lab.registry import LabRegistry
    from fabricgen.lab.session import LabRequest
    from fabricgen.planning.plan import Plan


NAME = r"[a-z0-9][a-z0-9-]*"


def _check_name(_context: click.Context, _option: click.Parameter, name: str | None) -> str | None:
    """Refuse a name that could be a path."""
    if name is not None and not re.fullmatch(NAME, name):
        raise click.BadParameter(f"`{name}` may have lower case letters, digits and hyphens only")
    return name


name_option = click.option(
    "--name",
    callback=_check_name,
    help="Name of the lab; default: that of the fabric, or of the only lab that is up.",
)


def slice_options(function: Any) -> Any:  # noqa: ANN401 - a click command, before and after
    """Add the options that choose what is booted."""
    for option in (
        click.option(
            "--rails", metavar="N", type=click.IntRange(1), help="Boot the first N rails only."
        ),
        click.option(
            "--hb-domains",
            "domains",
            metavar="N",
            type=click.IntRange(1),
            help="Boot N HB domains only, the first and the last ones.",
        ),
        click.option(
            "--network",
            metavar="NAME",
            help=(
                "Boot a network beside the compute fabric, such as storage, instead of it; all: "
                "boot the compute fabric and all networks, with four hosts."
            ),
        ),
        click.option(
            "-o",
            "--output",
            "out",
            type=click.Path(path_type=Path, file_okay=False),
            help="Output of `build` to boot; default: build it now.",
        ),
    ):
        function = option(function)
    return function


failures_option = click.option(
    "--failures",
    type=click.Choice(["none", "clocked", "single", "all"]),
    default="none",
    show_default=True,
    help=(
        "clocked: fail one part of each kind while packets flow; single: fail every part once "
        "and compare every pair with the plan; all: both."
    ),
)


def lab_request(
    asked: FabricArguments,
    options: dict[str, Any],
    *,
    one_rail: bool = False,
    infiniband: bool = False,
) -> LabRequest:
    """Plan, and check that this machine can boot the lab.

    `infiniband` allows subnets over ibsim, direct rails and boxes of circuits, which run no system.
    """
    from fabricgen.lab import requirements
    from fabricgen.lab.infiniband import requirements as ib_requirements
    from fabricgen.lab.session import LabRequest
    from fabricgen.views.infiniband.build import Subnets
    from fabricgen.views.infiniband.transport import is_infiniband

    planned, inventory = asked.plan()
    network, out = options["network"], options["out"] and options["out"].resolve()
    if network:
        _check_network_options(options, one_rail=one_rail)
    subnets = infiniband and is_infiniband(planned) and not network
    if subnets and options["domains"]:
        raise click.UsageError("an InfiniBand lab runs whole subnets; leave --hb-domains out")
    if planned.mapping.topology and options["domains"]:
        raise click.UsageError("a lab of direct rails has all HB domains; leave --hb-domains out")
    templates = tuple(root.resolve() for root in asked.template_roots)
    request = LabRequest(
        planned,
        out,
        templates,
        options["rails"],
        options["domains"],
        options["failures"],
        one_rail,
        network,
    )
    with inventory.locate_findings():
        if subnets:
            Subnets(planned).prepare()
        elif infiniband and planned.mapping.topology:
            from fabricgen.lab.direct.layout import lay_out

            requirements.check_fits(lay_out(planned, options["rails"]))
        elif network or not (infiniband and planned.fabric.has_circuits):
            requirements.check_fits(request.layout(), one_rail=one_rail)
        _check_same(planned, out, options["out"])
    if subnets:
        ib_requirements.check_machine()
    else:
        requirements.check_machine(managed=planned.management is not None)
    return request


def _check_network_options(options: dict[str, Any], *, one_rail: bool) -> None:
    """Refuse options that a lab of networks does not have."""
    if options["rails"] or one_rail:
        raise click.UsageError(
            "a lab of networks has all rails; leave --rails and --rail-at-a-time out"
        )
    check_network_failures(options["failures"])


def check_network_failures(failures: str) -> None:
    """Refuse the failures that a lab of networks does not have."""
    if failures in ("clocked", "all"):
        raise click.UsageError("a lab of networks fails switches; use --failures single")


def _check_same(plan: Plan, out: Path | None, typed: Path) -> None:
    """Refuse a directory that was built for another wiring, or holds more than files."""
    from fabricgen.core.diagnostics import refuse
    from fabricgen.core.files import irregular
    from fabricgen.lab.session import digest_of

    if not out:
        return
    fault = "was not built from this inventory" if digest_of(out) != plan.digest() else ""
    if found := next(irregular(out), None):
        fault = f"was not built by `build`, which writes regular files: `{found}` is none"
    if fault:
        hint = (
            f"`fabricgen build FABRIC --only configs,forwarding,lab -o {typed}` builds it; "
            "without -o the lab builds what it needs"
        )
        raise refuse("lab-other-files", f"`{typed}` {fault}", hint=hint)


def find_lab(fabric: str | None, name: str | None) -> LabRegistry:
    """Find a lab by its name, by its inventory, or because it is the only one."""
    from fabricgen.lab.registry import LabRegistry, only_lab

    if name:
        return LabRegistry(name)
    if fabric:
        from fabricgen.cli.options import FabricArguments

        inventory, _ = FabricArguments(fabric, {}, None, (), ()).read()
        return LabRegistry(inventory.spec.name)
    return only_lab()
