"""`model --all-to-all`: the cost of relays through HB domains for an all-to-all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.cli.printing import echo, grouped, print_result, table
from fabricgen.core.document import Document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.analysis.workload.all_to_all import AllToAllCost
    from fabricgen.analysis.workload.sweep import Point
    from fabricgen.planning.plan import Plan


@dataclass(frozen=True)
class AllToAllResult(Document):
    """The cost of an all-to-all on a fabric: `model --all-to-all --json`."""

    name: str
    llm: str
    design: str
    failed: list[str]
    all_to_all: AllToAllCost


def print_all_to_all(plan: Plan, point: Point, failed: Sequence[str], *, as_json: bool) -> None:
    """Print the load and the slowdown of an all-to-all. Raises Refusal for an unknown failure."""
    from fabricgen.analysis.forwarding.failures import find_failures
    from fabricgen.analysis.workload.all_to_all import AllToAll

    cost = AllToAll(plan, point.machine, find_failures(plan, failed)).cost(point.llm)
    design = plan.fabric.design.value
    if as_json:
        print_result(AllToAllResult(plan.spec.name, point.llm.name, design, list(failed), cost))
    else:
        echo(_text(plan, point, failed, cost))


def _text(plan: Plan, point: Point, failed: Sequence[str], found: AllToAllCost) -> str:
    """Lay out the load and the slowdown."""
    down = f"; {', '.join(failed)} down" if failed else ""
    head = (
        f"all-to-all on {plan.spec.name}, {plan.fabric.design.value}{down}: every GPU sends one "
        "unit to every other one"
    )
    design = plan.fabric.design.value
    rows = [
        ["units on the busiest", "any-to-any", design],
        ["NIC", grouped(found.nic_units_any_to_any), grouped(found.nic_units)],
        ["HB link", grouped(found.hb_units_any_to_any), grouped(found.hb_units)],
        ["HB link, relayed", "0", grouped(found.relay_units)],
    ]
    slow = [
        ["slower than any-to-any", "%", ""],
        ["overlapped", f"{found.slowdown_overlapped_pct:.2f}", "relays forward while NICs send"],
        [
            "in turn",
            f"{found.slowdown_in_turn_pct:.2f}",
            "relayed traffic takes the HB link first, then the NICs",
        ],
        [
            "in the paper's terms",
            f"{found.paper_pct:.2f}",
            "B_S/B_F: every byte is relayed once",
        ],
    ]
    lines = [
        (
            f"{found.pairs_relayed_pct:.1f} % of the pairs take a "
            f"relay{', from a sample of the sources' if found.sampled else ''}."
        )
    ]
    if found.pairs_lost:
        lines.append(
            f"{grouped(found.pairs_lost)} pairs of working GPUs have no path over at most "
            "one other HB domain, and are left out."
        )
    if found.bytes_per_gpu and (seconds := found.iteration_s):
        name, amount = point.llm.name, found.bytes_per_gpu / 1e9
        lines.append(
            f"{name} sends {amount:.4g} GB a GPU to experts in an iteration: any-to-any "
            f"{seconds.any_to_any:.4g} s, "
            f"overlapped {seconds.overlapped:.4g} s, in turn {seconds.in_turn:.4g} s."
        )
    return "\n\n".join([head, table(rows, right=(1, 2)), table(slow, right=(1,)), "\n".join(lines)])
