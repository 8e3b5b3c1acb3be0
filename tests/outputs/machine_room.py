"""Small fabrics with the files of the installation, built and read back."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree import ElementTree as ET

from fabricgen.catalog.catalog import Catalog
from fabricgen.inventory.fabric import FabricSpec
from fabricgen.outputs.packs.render import Packs
from fabricgen.planning.plan import Plan, make_plan
from tests.csv_rows import read_rows
from tests.fabrics import SMALL, SUPERPOD, build_job

if TYPE_CHECKING:
    from pathlib import Path

OURS = (
    "cabling/cables.csv",
    "cabling/links.csv",
    "cabling/pull-sheets/",
    "cabling/hosts/",
    "cabling/racks/",
    "cabling/ports/",
)
SVG = "{http://www.w3.org/2000/svg}"
ROOM = {"racks_per_row": 5, "tray": {"width_mm": 40, "depth_mm": 25}}
FABRICS: dict[str, dict[str, Any]] = {
    "generic": SMALL,
    "three-tiers": SMALL
    | {
        "design": "fat-tree",
        "rails": {"tiers": 3},
        "switches": {"leaf": {"generic": {"radix": 8}}},
    },
    "superpod": SUPERPOD,
    "copper": SUPERPOD | {"site": ROOM},
    "two-rails": {
        "name": "shared",
        "gpus": 256,
        "hb_domain": {"gpus": 8},
        "host": {"model": "dgx-h100"},
        "rails": {"per_switch": 2},
        "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
    },
    "two-connectors": {
        "name": "wide",
        "gpus": 64,
        "hb_domain": {"gpus": 8},
        "host": {"model": "dgx-b300"},
        "rails": {"planes": 1},
        "switches": {"leaf": {"model": "sn5600", "breakout": "1x800G"}},
    },
    "networks": SMALL
    | {
        "name": "cluster",
        "networks": {
            "storage": {"switches": {"leaf": {"generic": {"radix": 8}}}},
            "inband": {"switches": {"leaf": {"model": "sn4600c"}}, "speed": "100G"},
            "oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G", "uplink": {}},
        },
        "devices": [
            {"name": "mgmt-{n}", "count": 3, "ports": {"inband": 2, "oob": 1}},
            {"name": "pdu-{n}", "count": 8, "model": "ap8886", "ports": {"oob": 1}},
        ],
    },
    "reserved": SMALL | {"reserve": {"gpus": 128}, "naming": {"rack": "x{hall}.{row}_{rack}"}},
}
"""A fabric for each difference that matters.

These are tiers, shared boxes and pieces, links of two cables, networks beside the compute fabric,
planned devices and names of racks.
"""


class Built(NamedTuple):
    """A fabric, its files below OUT by path, and the rows of its cable list."""

    plan: Plan
    files: dict[str, str]
    cables: list[dict[str, str]]

    def below(self, folder: str, suffix: str) -> dict[str, str]:
        """Return the files of a folder with a suffix, by name."""
        return {
            path.split("/")[-1]: text
            for path, text in self.files.items()
            if path.startswith(f"cabling/{folder}/") and path.endswith(suffix)
        }


def built(keys: dict[str, Any], out: Path) -> Built:
    """Write the installation files of a fabric, and its list of links."""
    plan = make_plan(FabricSpec.model_validate(keys), Catalog())
    job = build_job(plan, Packs(), ("cabling",))
    written = [
        file.path
        for task in job.tasks
        if any(path.startswith(OURS) for path in task.paths(job.context))
        for file in task.write(job.context, out)
    ]
    files = {path: (out / path).read_text("utf-8") for path in written}
    links = files.get("cabling/links.csv") or files["cabling/cables.csv"]
    return Built(plan, files, read_rows(links))


def titles(svg: str, kind: str) -> Counter[str]:
    """Return the titles of the elements of a kind in a picture."""
    groups = (group for group in ET.fromstring(svg).iter(f"{SVG}g") if group.get("class") == kind)  # noqa: S314 - fabricgen wrote the file
    return Counter(group.findtext(f"{SVG}title") or "" for group in groups)
