"""CPU seconds that pyavd takes to render the switches of a plan, as one number on stdout; run by the interpreter of `.venv-peers`."""

from __future__ import annotations

import sys
import time

from fabricgen.catalog import Catalog
from fabricgen.planner import make_plan
from fabricgen.spec import FabricSpec
from fabricgen.viewing import Views

MODEL = "7060dx5-64s"


def main() -> None:
    """Translate every switch of a fabric of so many GPUs, and measure pyavd alone: its import, its schema and its templates."""
    started = time.process_time()
    from tests.eos_avd import facts_of, rendered  # noqa: PLC0415 - its import is measured

    imported = time.process_time() - started
    spec = {"name": "bench", "gpus": int(sys.argv[1]), "hb_domain": {"gpus": 8}, "switches": {"leaf": {"model": MODEL}}}
    views = Views(make_plan(FabricSpec.model_validate(spec), Catalog()))
    facts = [facts_of(switch) for unit in range(views.plan.mapping.units) for switch in views.switches(unit)]
    started = time.process_time()
    for switch in facts:
        rendered(switch)
    print(len(facts), imported + time.process_time() - started)  # noqa: T201 - the caller reads it


if __name__ == "__main__":
    main()
