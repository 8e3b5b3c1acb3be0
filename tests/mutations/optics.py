"""Mutations of transceivers and cables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.catalog.models.optics import LaneMap
from fabricgen.core.terms import Role
from tests.fabrics import CATALOG
from tests.mutations.breaking import (
    HOST,
    UP,
    Mutation,
    rows,
    with_copper,
    with_joint,
    with_other_offer,
    with_ports,
)

if TYPE_CHECKING:
    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.catalog.models.optics import Cable, Transceiver


def _module(name: str) -> Transceiver:
    """Return a module of the catalog."""
    return next(module for module in CATALOG.transceivers() if module.model == name)


def _fibre(name: str) -> Cable:
    """Return a cable of the catalog."""
    return next(cable for cable in CATALOG.cables() if cable.model == name)


def _cage_of_two_modules(evidence: Evidence) -> Evidence:
    """Put the last downlink of a leaf into the cage of the first uplink, whose module differs."""
    down, ports = evidence.plan.widths[Role.LEAF][0], list(evidence.ports[Role.LEAF])
    ports[down - 1 : down + 1] = ports[down], ports[down - 1]
    upper = evidence.link_parts[UP].modules["lower"].model_copy(update={"model": "another"})
    return with_joint(with_ports(evidence, Role.LEAF, ports), UP, lower=upper)


MUTATIONS = (
    Mutation(
        "single-mode against multimode",
        "superpod",
        lambda e: with_joint(e, UP, upper=_module("mms4x00-nm")),
        "optics-match",
        "mms4x00-nm is smf",
    ),
    Mutation(
        "fibre of another medium",
        "superpod",
        lambda e: with_joint(e, UP, cable=_fibre("mfp7e30"), medium="smf"),
        "optics-match",
        "mfp7e30 is smf",
    ),
    Mutation(
        "another medium on the list",
        "superpod",
        lambda e: with_joint(e, UP, medium="smf"),
        "optics-match",
        "leaf-spine links are listed as smf",
    ),
    Mutation(
        "a fibre without a module at a spine",
        "superpod",
        lambda e: with_joint(e, UP, upper=None),
        "optics-match",
        "has no module in a cage of the spine",
    ),
    Mutation(
        "a fibre without a module at a host",
        "photonic",
        lambda e: with_joint(e, HOST, lower=None),
        "optics-match",
        "has no module in a cage of the gb300-nvl72",
    ),
    Mutation(
        "a module of another shape",
        "superpod",
        lambda e: with_joint(e, UP, upper=_module("mma1z00-ns400")),
        "optics-match",
        "mma1z00-ns400 on leaf-spine links does not fit",
    ),
    Mutation(
        "a flat top under the air",
        "superpod",
        lambda e: with_joint(e, UP, upper=_module("mma4z00-ns-flt")),
        "optics-match",
        "flat top",
    ),
    Mutation(
        "a module of other lanes",
        "superpod",
        lambda e: with_joint(
            e,
            UP,
            upper=_module("mma4z00-ns").model_copy(update={"lanes": (LaneMap(cage=2, fibre=2),)}),
        ),
        "lanes-agree",
        "mma4z00-ns makes no lanes of them",
    ),
    Mutation(
        "copper of half the lanes",
        "copper",
        lambda e: with_copper(e, lanes=2),
        "lanes-agree",
        "mcp4y10 has 2 lanes a link",
    ),
    Mutation(
        "half the links of a cage",
        "superpod",
        lambda e: with_joint(e, UP, upper=_module("mma4z00-ns400")),
        "optics-match",
        "1 x 400G",
    ),
    Mutation(
        "a link of another speed",
        "superpod",
        lambda e: with_joint(e, HOST, speed_gbps=200),
        "optics-match",
        "host links run at 200G",
    ),
    Mutation(
        "fibre that does not cross",
        "superpod",
        lambda e: with_joint(
            e, UP, cable=e.link_parts[UP].cable.model_copy(update={"polarity": "A"})
        ),
        "optics-match",
        "does not cross",
    ),
    Mutation(
        "fibre with another plug",
        "superpod",
        lambda e: with_joint(
            e, UP, cable=e.link_parts[UP].cable.model_copy(update={"ends": ("LC", "LC")})
        ),
        "optics-match",
        "no plug in common",
    ),
    Mutation(
        "copper of another shape",
        "copper",
        lambda e: with_copper(e, form_factors=("osfp", "qsfp112")),
        "optics-match",
        "it goes from osfp to qsfp112",
    ),
    Mutation(
        "copper of half the speed",
        "copper",
        lambda e: with_copper(e, speed_gbps=200),
        "optics-match",
        "does not carry the links of a cage of the spine",
    ),
    Mutation(
        "copper of another transport",
        "copper",
        lambda e: with_copper(e, transports=("infiniband",)),
        "optics-match",
        "does not carry ethernet",
    ),
    Mutation(
        "copper that is too short",
        "copper",
        lambda e: with_copper(e, reach_m=1.0),
        "optics-match",
        "the cable mcp4y10 reaches 1 m",
    ),
    Mutation(
        "two parts in one cage",
        "copper",
        lambda e: with_other_offer(e, rows(e, UP)[0]),
        "optics-match",
        "would need two modules",
    ),
    Mutation(
        "a short fibre",
        "superpod",
        lambda e: with_joint(
            e, UP, cable=e.link_parts[UP].cable.model_copy(update={"reach_m": 20.0})
        ),
        "optics-match",
        "reaches 20 m",
    ),
    Mutation(
        "a short-sighted module",
        "superpod",
        lambda e: with_joint(
            e, UP, lower=e.link_parts[UP].modules["lower"].model_copy(update={"reach_m": 3.0})
        ),
        "optics-match",
        "reaches 3 m",
    ),
    Mutation(
        "a module of another transport",
        "superpod",
        lambda e: with_joint(
            e,
            HOST,
            upper=e.link_parts[HOST]
            .modules["upper"]
            .model_copy(update={"transports": ("ethernet",)}),
        ),
        "optics-match",
        "does not carry infiniband",
    ),
    Mutation(
        "a cage of two modules",
        "mixed",
        _cage_of_two_modules,
        "optics-match",
        "would need two modules",
    ),
)
