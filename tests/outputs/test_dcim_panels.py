"""A trace through the panels of the DCIM files joins the two ports of each link."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from fabricgen.build.patching_files import patching
from fabricgen.outputs.packs.render import Packs
from tests.fabrics import build_context, cables_of, plan_of
from tests.outputs.dcim_files import read_netbox
from tests.outputs.machine_room import FABRICS as ROOMS
from tests.outputs.test_dcim import netbox_tables, write
from tests.planning.channels.test_channels import SMALL, STRUCTURED, channels_of, duplex_plan

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.plan import Plan
    from tests.outputs.dcim_files import Database, Port

TWIN = ROOMS["two-connectors"] | {"cabling": {"where": STRUCTURED}}
"""Links of two cables, so two jumpers at a port."""


class Panelled:
    """A fabric with panels, the folder of its DCIM files, and the content of NetBox."""

    def __init__(self, plan: Plan, root: Path) -> None:
        """Write the files, and read them."""
        self.plan, self.root = plan, root / "dcim"
        write(plan, root)
        self.netbox: Database = read_netbox(self.root)


@pytest.fixture(scope="module", params=["parallel", "cassettes", "two cables a link"])
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Panelled:
    """Build a fabric for each kind of panel and jumper."""
    root = tmp_path_factory.mktemp("dcim")
    plan = {
        "parallel": lambda: plan_of(**SMALL | {"cabling": {"where": STRUCTURED}}),
        "cassettes": lambda: duplex_plan(root),
        "two cables a link": lambda: plan_of(**TWIN),
    }[request.param]()
    return Panelled(plan, root)


def _ends(plan: Plan) -> set[frozenset[tuple[str, str]]]:
    """Return the two ports of each link."""
    return {
        frozenset({(link.a_device, link.a_interface), (link.b_device, link.b_interface)})
        for link in cables_of(plan)
    }


def test_traces_join_the_ports_of_every_link(built: Panelled) -> None:
    """A patched link goes through two front ports and two rear ports, each used once."""
    assert built.netbox.links.keys() == _ends(built.plan)
    ways = [way for end in built.netbox.interfaces for way in built.netbox.trace(end)]
    kinds = ["interface", "frontport", "rearport", "rearport", "frontport", "interface"]
    patched = [way for way in ways if len(way) > 2]
    assert all([port[0] for port in way] == [f"dcim.{kind}" for kind in kinds] for way in patched)
    assert len(patched) == 2 * len(channels_of(built.plan).row)


def test_traces_go_through_the_ports_of_the_cross_connects(built: Panelled) -> None:
    """The panels, their ports and the trunk are those of the list for technicians."""
    rows = patching(build_context(built.plan, Packs())).rows
    listed = {
        (row.a_panel, str(row.a_panel_port), row.trunk, row.b_panel, str(row.b_panel_port))
        for row in rows
    }
    found = {
        (near[1], near[2], built.netbox.cables[rear][0].rpartition(".")[0], far[1], far[2])
        for end in built.netbox.interfaces
        for _, near, rear, _, far, _ in _patched(built.netbox, end)
    }
    assert listed <= found
    assert {each[:2] for each in found} == {each[3:] for each in found}


def _patched(netbox: Database, end: tuple[str, str]) -> list[list[Port]]:
    """Return the ways from an interface that go through panels."""
    return [way for way in netbox.trace(end) if len(way) > 2]


def test_netboxs_forms_take_every_row_of_panels(built: Panelled) -> None:
    """Also the profile of each connector of a trunk, by the positions of its rear ports."""
    tables = netbox_tables(built.root)
    assert tables >= {"rear-ports", "front-ports", "cable-bundles", "trunks"}
    assert {row["role"] for row in built.netbox.devices.values()} >= {"patch-panel"}
    racks = {(row["rack"], row["position"]) for row in built.netbox.devices.values()}
    assert len(racks) == len(built.netbox.devices)


def test_two_jumpers_at_a_port_are_one_cable(tmp_path: Path) -> None:
    """NetBox takes one cable at an interface, whose two positions go to two front ports."""
    twin = Panelled(plan_of(**TWIN), tmp_path).netbox
    pairs = [piece for piece in twin.pieces if piece["profile"] == "breakout-1c2p-2c1p"]
    assert len(pairs) == 2 * len(_ends(plan_of(**TWIN)))


def test_a_wrong_position_is_found(tmp_path: Path) -> None:
    """Front ports that swap their positions at one end of a trunk join other links."""
    plan = duplex_plan(tmp_path)
    write(plan, tmp_path)
    path = next((tmp_path / "dcim" / "netbox").glob("02-2-front-ports*.csv"))
    text = path.read_text(encoding="utf-8")
    other = {"1": "2", "2": "1"}
    swapped = re.sub(r"(?m)^(.*,[12],lc,1,R1,)([12])$", lambda m: m[1] + other[m[2]], text, count=2)
    path.write_text(swapped, encoding="utf-8")
    assert swapped != text
    assert read_netbox(tmp_path / "dcim").links.keys() != _ends(plan)
