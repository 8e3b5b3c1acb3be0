"""pyavd on the switches of a plan, as two processes.

`facts GPUS FILE` writes its input, and `render FILE FOLDER` is measured.

Run by the interpreter of `.venv-peers`. The second reads that file, validates and renders each
switch, and writes its configuration; it imports nothing of fabricgen.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

MODEL = "7060dx5-64s"


def write_facts(gpus: int, file: Path) -> None:
    """Write every switch of a fabric of a number of GPUs as structured configuration.

    Print how many there are.
    """
    from fabricgen.catalog.catalog import Catalog  # noqa: PLC0415 - the process of pyavd does not import it
    from fabricgen.inventory.fabric import FabricSpec  # noqa: PLC0415 - as above
    from fabricgen.planning.plan import make_plan  # noqa: PLC0415 - as above
    from fabricgen.views.factory import Views  # noqa: PLC0415 - as above
    from tests.nos.eos_avd import facts_of  # noqa: PLC0415 - it imports pyavd, which the venv of MODEL lacks

    spec = {
        "name": "bench",
        "gpus": gpus,
        "hb_domain": {"gpus": 8},
        "switches": {"leaf": {"model": MODEL}},
    }
    views = Views(make_plan(FabricSpec.model_validate(spec), Catalog()))
    facts = [
        facts_of(switch)
        for segment in range(views.plan.mapping.segments)
        for switch in views.switches(segment)
    ]
    file.write_text(json.dumps(facts), encoding="utf-8")
    print(len(facts))  # noqa: T201 - the caller reads it


def render(file: Path, folder: Path) -> None:
    """Render every switch of a file."""
    from tests.nos.eos_avd import rendered  # noqa: PLC0415 - as above

    for facts in json.loads(file.read_text(encoding="utf-8")):
        (folder / f"{facts['hostname']}.cfg").write_text(rendered(facts), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "facts":
        write_facts(int(sys.argv[2]), Path(sys.argv[3]))
    else:
        render(Path(sys.argv[2]), Path(sys.argv[3]))
