"""The training iteration of one language model on the fabric, as finished text.

Owns which figures a report shows; `analysis.workload` computes them, with their sources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabricgen.analysis.workload.direct_rails import over_direct_rails
from fabricgen.analysis.workload.equations import iterate, least_group
from fabricgen.analysis.workload.machine import find_llm, machine_of
from fabricgen.analysis.workload.sweep import Point
from fabricgen.analysis.workload.text import equations, notes, symbols
from fabricgen.core.diagnostics import Refusal
from fabricgen.outputs.report.key_figures import KeyFigure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.plan import Plan

LLM = "gpt3"
"""The language model of the figures in reports."""


def iteration(plan: Plan) -> dict[str, Any] | None:
    """Return `iteration` of the model, as `fabricgen model --llm gpt3` prints it.

    None where a figure of the host's GPU is unknown, also its memory, and where no group of an HB
    domain holds the weights: the time of what cannot be trained is shown on request only.
    """
    try:
        llm, machine = find_llm(plan.catalog, LLM), machine_of(plan.fabric, plan.catalog)
        if plan.mapping.topology:
            machine = over_direct_rails(machine, plan, llm.pipeline_stages)
        least = least_group(llm, machine)
        if least is None or least > machine.domain_gpus:
            return None
        point = Point(llm, machine, 0, iterate(llm, machine))
    except Refusal:
        return None
    return {
        "llm": llm.name,
        "parts": [figure._asdict() for figure in _parts(point)],
        "symbols": [symbol.document() for symbol in symbols(point, "continuous")],
        "notes": notes(point, plan),
    }


def _parts(point: Point) -> Iterator[KeyFigure]:
    """Return the time, and its parts with their equations."""
    found, llm = point.times, point.llm
    ideal = f"{100 * found.relative:.1f} % of the speed of one HB domain of all GPUs"
    yield KeyFigure(
        "iteration_s",
        f"iteration of {llm.batch_tokens:,} tokens",
        f"{found.iteration_s:.4g} s",
        ideal,
    )
    for key, words, how in equations(point):
        yield KeyFigure(key, words, f"{getattr(found, key):.4g} s", how)
