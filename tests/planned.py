"""Inventories of a few keys, planned in one call, for tests that look into a plan."""

from __future__ import annotations

from typing import Any

import pytest

from fabricgen.catalog.catalog import Catalog
from fabricgen.core.diagnostics import Refusal
from fabricgen.inventory.fabric import FabricSpec
from fabricgen.planning.plan import Plan, make_plan
from fabricgen.planning.resolve import ResolvedFabric, resolve

CATALOG = Catalog()


def spec_of(**keys: Any) -> FabricSpec:  # noqa: ANN401 - what stands in an inventory
    """Read the keys of an inventory; `name` may be left out, and `radix` stands for a generic leaf."""
    radix = keys.pop("radix", None)
    leaf = {"switches": {"leaf": {"generic": {"radix": radix}}}} if radix else {}
    return FabricSpec.model_validate({"name": "test", **leaf, **keys})


def request_of(**keys: Any) -> ResolvedFabric:  # noqa: ANN401 - what stands in an inventory
    """Fill in what an inventory leaves open."""
    return resolve(spec_of(**keys), CATALOG)


def planned(**keys: Any) -> Plan:  # noqa: ANN401 - what stands in an inventory
    """Plan an inventory."""
    return make_plan(spec_of(**keys), CATALOG)


def refusal_codes(**keys: Any) -> list[str]:  # noqa: ANN401 - what stands in an inventory
    """Return the codes with which an inventory is refused."""
    with pytest.raises(Refusal) as refused:
        planned(**keys)
    return [finding.code for finding in refused.value.findings]
