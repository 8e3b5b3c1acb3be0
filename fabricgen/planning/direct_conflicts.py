"""What does not go with direct rails: keys, and tasks; and keys of direct rails elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, refuse
from fabricgen.core.terms import Design

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.diagnostics import Path
    from fabricgen.inventory.fabric import FabricSpec

_NO_SWITCHES = "direct rails have no switches"
_OTHER_LINKS = "a graph of fewer or more GPUs has other links"
_RDMA = "RDMA needs an address on each link, as a NIC ends the connections of its own links alone"
_NOT_YET = "it is planned for the links of switches only, today"


def require_switches(spec: FabricSpec, task: str) -> None:
    """Refuse rails without switches to a task that works on switches alone."""
    if spec.rails.medium == "direct":
        raise refuse(
            "no-switches",
            f"`{task}` needs rails with switches",
            path=("rails", "medium"),
            because=("the GPUs of a direct rail are joined by cables alone",),
            hint="use `plan`, `check`, `route`, `impact`, `compare`, `cost`, `model`, `lab run` or"
            " `build`, or write `medium: packet`",
        )


def direct_conflicts(spec: FabricSpec) -> Iterator[Finding]:
    """Refuse keys that direct rails do not go with, or `split` and `topology` without them."""
    if spec.rails.medium != "direct":
        for (group, key), asked in {
            ("nic", "split"): spec.nic.split,
            ("rails", "topology"): spec.rails.topology,
        }.items():
            if asked:
                yield Finding(
                    "medium-conflict",
                    f"`{group}.{key}` is for direct rails alone",
                    (group, key),
                    (f"the medium of these rails is `{spec.rails.medium}`",),
                    "write `rails.medium: direct`, or leave it out",
                )
        return
    for path, (given, why) in _keys(spec).items():
        if given:
            yield Finding(
                "medium-conflict",
                f"`{'.'.join(map(str, path))}` does not go with `rails.medium: direct`",
                path,
                (why,),
                f"leave `{path[-1]}` out, or write `rails.medium: packet`",
            )


def _keys(spec: FabricSpec) -> dict[Path, tuple[bool, str]]:
    """Return keys that do not go with direct rails: whether each is given, and why it does not."""
    rails = spec.rails
    meet = f"the rails of a {spec.design} meet in switches"
    return {
        ("design",): (spec.design is not Design.RAIL_ONLY, meet),
        ("rails", "per_switch"): (rails.per_switch != 1, _NO_SWITCHES),
        ("rails", "tiers"): (rails.tiers != "auto", _NO_SWITCHES),
        ("scalable_unit",): (spec.scalable_unit is not None, _NO_SWITCHES),
        ("reserve",): (spec.reserve is not None, _OTHER_LINKS),
        ("phases",): (bool(spec.phases), _OTHER_LINKS),
        ("addressing", "host_links"): (spec.addressing.host_links != "numbered", _RDMA),
        ("exclude",): (bool(spec.exclude), _OTHER_LINKS),
        ("cabling",): (spec.cabling is not None, _NOT_YET),
        ("management",): (spec.management is not None, _NOT_YET),
        ("networks",): (bool(spec.networks.every()), _NOT_YET),
        ("devices",): (bool(spec.devices), _NOT_YET),
    }
