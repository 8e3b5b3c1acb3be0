"""The parts of kinds of link whose cages the compute fabric does not have: RJ45 and QSFP28."""

from __future__ import annotations

import pytest

from fabricgen.bom.priced_bill import make_bom
from fabricgen.core.terms import LinkKind
from fabricgen.inventory.purchasing import Preferences
from fabricgen.planning.cabling.candidates import known_parts
from fabricgen.planning.cabling.compatibility import Cage, fitting
from fabricgen.planning.cabling.preference import Preference
from tests.fabrics import CATALOG, CO_PACKAGED, plan_of


@pytest.mark.parametrize(
    ("form", "speed", "models"),
    [("rj45", 1, ["cat5e", "cat6"]), ("qsfp28", 100, ["mfa1a00"])],
)
def test_cables_with_ends_of_their_own_in_an_assumed_room(
    form: str, speed: int, models: list[str]
) -> None:
    """Twisted pairs and active optical cables reach 50 m without modules; copper does not."""
    cage = Cage(form, "any", 1, speed, "ethernet")
    found = known_parts(cage, cage, LinkKind.LEAF_SPINE, Preference(CATALOG, Preferences(), None))
    assert [joint.cable.model for _, joint in found] == models
    assert not any(joint.modules for _, joint in found)


def test_a_twisted_pair_needs_no_permission() -> None:
    """An RJ45 socket takes no other medium, so `site.media` does not list twisted pairs."""
    cage = Cage("rj45", "any", 1, 1, "ethernet")
    found = fitting(cage, cage, LinkKind.HOST, CATALOG, ("dac",))
    assert {joint.medium for joint in found} == {"utp"}


def test_co_packaged_optics_take_no_module() -> None:
    """A Q3450 has MPO connectors: a module is bought for the host's end of a fibre alone."""
    plan = plan_of(**CO_PACKAGED)
    host, up = plan.link_parts[LinkKind.HOST], plan.link_parts[LinkKind.LEAF_SPINE]
    assert (host.cable.model, [*host.modules], [*up.modules]) == ("mfp7e30", ["lower"], [])
    (line,) = [line for line in make_bom(plan).lines if line.part_class == "transceivers"]
    assert (line.part, line.quantity) == ("mms4a20", 576)
