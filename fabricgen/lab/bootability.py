"""Whether the emitted files of a fabric boot on a plain Linux kernel.

Owns the refusals of fabrics that a lab cannot boot. `requirements` owns what the machine needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import refuse

if TYPE_CHECKING:
    from fabricgen.core.terms import Role
    from fabricgen.planning.plan import Plan

LONGEST_INTERFACE = 15
"""Characters of an interface name in Linux."""


NOS = "frr"
"""The NOS whose files boot on a plain Linux kernel."""


def check_bootable(plan: Plan) -> None:
    """Raise Refusal for what a plain Linux kernel cannot boot."""
    for role in plan.roles:
        _check_nos(plan, role)
    _check_interfaces(plan)


def _check_nos(plan: Plan, role: Role) -> None:
    """Refuse switches of a role that run another NOS."""
    nos = next((each.nos for each in plan.fabric.nos_variants(role) if each.nos != NOS), NOS)
    if nos == NOS:
        return
    model = plan.fabric.port_layouts[role].model
    hint = (
        f"`--set nos={NOS}` boots the same wiring with {NOS}"
        if NOS in model.interfaces
        else f"plan it with switches that run {NOS}, such as generic ones"
    )
    if model.transport == "infiniband":
        hint = (
            "`fabricgen lab run` runs an InfiniBand fabric over ibsim, with OpenSM; "
            "it does not stay up"
        )
    if plan.fabric.network:
        network = plan.fabric.network.name
        fact = f"the lab boots {NOS}, and the {role} switches of `{network}` run {nos}"
        path = ("networks", network, "nos")
        raise refuse(
            "lab-needs-frr", fact, path=path, hint=hint.replace("nos=", f"{'.'.join(path)}=")
        )
    key = (
        ("nos",)
        if getattr(plan.spec.nos, role) or plan.spec.nos.rails
        else ("switches", role.value)
    )
    fact = f"the lab boots {NOS}, and the {role} switches run {nos}"
    raise refuse("lab-needs-frr", fact, path=key, hint=hint)


def _check_interfaces(plan: Plan) -> None:
    """Refuse interface names that Linux does not accept."""
    for role, ports in plan.ports.items():
        port_layout = plan.fabric.port_layouts[role]
        for name in (port_layout.interface(port) for port in ports):
            if len(name) > LONGEST_INTERFACE or "/" in name:
                own = f"other `interfaces.{NOS}`, in a catalog file of your own"
                raise refuse(
                    "lab-interface-name",
                    f"Linux does not accept an interface called `{name}`",
                    path=("nos",),
                    because=(f"at most {LONGEST_INTERFACE} characters, no slash",),
                    hint=f"give {port_layout.model.model} {own}",
                )
