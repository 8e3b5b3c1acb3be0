"""What a plan keeps of an earlier one: names, numbers, addresses, cables and rack positions.

Owns `Baseline` and its form in a plan file. A plan that follows its inventory alone has none.
`lifecycle.change.expand` decides what an expansion keeps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fabricgen.core.arrays import distinct
from fabricgen.core.diagnostics import refuse
from fabricgen.core.terms import CLOS_KINDS, LinkKind, Role
from fabricgen.planning.baseline.expansion_stages import (
    NOTHING,
    ExpansionStage,
    ExpansionStages,
    stage_of,
)
from fabricgen.planning.baseline.kept_bonds import read_kept_bonds
from fabricgen.planning.baseline.kept_channels import read_kept_channels
from fabricgen.planning.baseline.rack_positions import read_rack_positions
from fabricgen.planning.baseline.run_length import decode_runs, encode_runs, read_count
from fabricgen.planning.block_links import TierLinks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.core.arrays import Int32Array
    from fabricgen.planning.baseline.kept_bonds import KeptBonds
    from fabricgen.planning.baseline.kept_channels import KeptChannels
    from fabricgen.planning.baseline.rack_positions import RackPositions
    from fabricgen.planning.clos import Sizing


MOST_ADDRESSES = 2**63
"""More than any slice has; a slice of IPv6 addresses is larger than a column of 32 bits holds."""


class Slices(NamedTuple):
    """The number of addresses of each block in the two pools, powers of two."""

    hosts: int
    loopbacks: int


@dataclass(frozen=True, eq=False)
class Baseline:
    """What a plan keeps. `digits` are those of names by role, of `host` and of `cable` labels.

    `endpoints` is `Mapping.pattern` where it differs from the rule; `wired` has the upper switch
    and its port of each uplink of a block, in order of lower switch and uplink, where they differ
    from the rule. `positions` are those before the expansion, with the device numbers after it, or
    those of the file `site.positions`, whose name is `table`.
    """

    stages: ExpansionStages
    digits: dict[str, int]
    slices: Slices
    endpoints: Int32Array | None = None
    wired: dict[LinkKind, tuple[Int32Array, Int32Array]] = field(default_factory=dict)
    positions: RackPositions | None = None
    domains: tuple[int, ...] = ()
    """The positions of the HB domains that keep their numbers; empty where each is at its own."""
    table: str = ""
    bonds: KeptBonds | None = None
    """The leaf ports that devices keep; of a network beside the compute fabric only."""
    channels: KeptChannels | None = None
    """The panels, trunks and strands of structured cabling."""
    networks: dict[str, Baseline] = field(default_factory=dict)
    """What each network beside the compute fabric keeps."""

    @cached_property
    def downlinks(self) -> dict[Role, int]:
        """The downlinks that kept cables take on a switch of each role, up to the last one."""
        return {kind.upper: int(port.max(initial=-1)) + 1 for kind, (_, port) in self.wired.items()}

    @property
    def panel_units(self) -> dict[tuple[int, ...], int]:
        """The rack units of the panels of all networks, as `KeptPanels.units` has them."""
        found: dict[tuple[int, ...], int] = {}
        for each in (self, *self.networks.values()):
            for place, units in each.channels.panels.units().items() if each.channels else ():
                found[place] = found.get(place, 0) | units
        return found

    def document(self) -> dict[str, Any]:
        """Return the form of a plan file; columns are runs of [first, step, count]."""
        columns = {
            kind.key: {"upper": encode_runs(upper), "upper_port": encode_runs(port)}
            for kind, (upper, port) in sorted(self.wired.items())
        }
        return {
            "rings": [stage._asdict() for stage in self.stages.stages],
            "digits": self.digits,
            "slices": self.slices._asdict(),
            **({} if self.endpoints is None else {"endpoints": encode_runs(self.endpoints)}),
            **({"domains": encode_runs(np.array(self.domains))} if self.domains else {}),
            **columns,
            **(
                {}
                if self.positions is None
                else {"standing": self.positions.document(), "table": self.table}
            ),
            **({"bonds": self.bonds.document()} if self.bonds else {}),
            **({"channels": self.channels.document()} if self.channels else {}),
            **(
                {"networks": {name: each.document() for name, each in self.networks.items()}}
                if self.networks
                else {}
            ),
        }


def read_baseline(values: Any) -> Baseline | None:  # noqa: ANN401 - any value of a plan file
    """Read what a plan file keeps; None where it keeps nothing.

    Raises Refusal `bad-plan-file` where it does not have this form.
    """
    if values is None:
        return None
    try:
        stages = ExpansionStages(_stages(values["rings"]))
        slices = Slices(
            *(read_count(values["slices"][key], MOST_ADDRESSES) for key in Slices._fields)
        )
        digits = {str(key): read_count(number) for key, number in values["digits"].items()}
        endpoints = decode_runs(values["endpoints"]) if "endpoints" in values else None
        domains = tuple(decode_runs(values.get("domains", [])).tolist())
        positions = read_rack_positions(values["standing"]) if "standing" in values else None
        bonds = read_kept_bonds(values.get("bonds"))
        channels = read_kept_channels(values.get("channels"))
        networks = {name: read_baseline(each) for name, each in values.get("networks", {}).items()}
        wired = {
            kind: (
                decode_runs(values[kind.key]["upper"]),
                decode_runs(values[kind.key]["upper_port"]),
            )
            for kind in CLOS_KINDS[1:]
            if kind.key in values
        }
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        because = (
            f"`kept` is not of the form that `plan -o` writes: {type(error).__name__}: {error}",
        )
        raise refuse(
            "bad-plan-file",
            "what the plan keeps of an older one cannot be read",
            path=("kept",),
            because=because,
            hint=_AGAIN,
        ) from None
    return Baseline(
        stages=stages,
        digits=digits,
        slices=slices,
        endpoints=endpoints,
        wired=wired,
        positions=positions,
        domains=domains,
        table=str(values.get("table", "")),
        bonds=bonds,
        channels=channels,
        networks={name: each for name, each in networks.items() if each},
    )


def _stages(written: Iterable[Any]) -> tuple[ExpansionStage, ...]:
    """Read the stages of a block. Raises ValueError where a block shrinks or has no pod."""
    stages = tuple(
        ExpansionStage(*(read_count(stage[key]) for key in ExpansionStage._fields))
        for stage in written
    )
    if any(
        below > above
        for old, new in pairwise(stages)
        for below, above in zip(old, new, strict=True)
    ):
        raise ValueError("a block of it has shrunk")
    if any(not stage.pods for stage in stages):
        raise ValueError("a block of it has no pod")
    return stages


_AGAIN = "write it again with `fabricgen plan -o`"


def check_baseline(
    baseline: Baseline, sizing: Sizing, pattern: Int32Array, radix: dict[Role, int]
) -> None:
    """Refuse a baseline that does not fit a block with this size, these endpoints and this radix.

    Raises Refusal `cannot-grow`.
    """
    because = ""
    if not baseline.stages.stages or baseline.stages.stages[-1] != stage_of(sizing):
        kept = baseline.stages.stages[-1] if baseline.stages.stages else NOTHING
        because = (
            f"it keeps a block of {_counts_text(kept)}, "
            f"and its inventory asks for {_counts_text(stage_of(sizing))}"
        )
    elif baseline.endpoints is not None and not np.array_equal(
        np.sort(baseline.endpoints), np.sort(pattern)
    ):
        because = "its endpoints are not those of its inventory"
    else:
        odd = [
            kind.key
            for kind, columns in baseline.wired.items()
            if not _fits(kind, columns, sizing, radix)
        ]
        because = (
            f"its {odd[0].replace('_', '-')} cables do not fill the ports of its switches"
            if odd
            else ""
        )
    if because:
        hint = "grow a plan with `fabricgen plan --from`, which works out anew what it keeps"
        raise refuse(
            "cannot-grow",
            "the plan keeps cables of a fabric of another size",
            path=("kept",),
            because=(because,),
            hint=hint,
        )


def _counts_text(stage: ExpansionStage) -> str:
    """Format the number of switches of a block."""
    return f"{stage.leaf} leaf, {stage.spine} spine and {stage.core} core switches"


def _fits(
    kind: LinkKind, columns: tuple[Int32Array, Int32Array], sizing: Sizing, radix: dict[Role, int]
) -> bool:
    """Return whether each uplink of a block has a port of its own above it.

    On the top tier every port of a switch may be used.
    """
    (lowers, uplinks), (uppers, ports) = _sides(kind, sizing)
    ports = radix[kind.upper] if kind.upper.tier == sizing.tiers else ports
    upper, port = columns
    if not len(upper) == len(port) == lowers * uplinks or not uplinks:
        return False
    inside = min(upper.min(), port.min()) >= 0 and upper.max() < uppers and port.max() < ports
    return bool(inside) and len(distinct(upper.astype(np.int64) * ports + port)) == len(upper)


def _sides(kind: LinkKind, sizing: Sizing) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the lower switches of a kind of link and their uplinks, and the upper ones alike."""
    if kind is LinkKind.LEAF_SPINE:
        return (sizing.leaf, sizing.leaf_up), (sizing.spine, sizing.spine_down)
    return (sizing.spine, sizing.spine_up), (sizing.core, sizing.core_down)


def kept_links(kind: LinkKind, columns: tuple[Int32Array, Int32Array], sizing: Sizing) -> TierLinks:
    """Return the links between two tiers of a block, from columns of upper switch and port.

    The columns are in order of lower switch and uplink.
    """
    (lowers, uplinks), _ = _sides(kind, sizing)
    lower, lower_port = np.divmod(np.arange(lowers * uplinks, dtype=np.int32), np.int32(uplinks))
    return TierLinks(lower, lower_port, *columns)
