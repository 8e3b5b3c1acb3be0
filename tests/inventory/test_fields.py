"""The types of values: sections whose validators are built on demand."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import Field, ValidationError

from fabricgen.inventory.fields import Count, InventoryModel, OnDemand
from fabricgen.inventory.search import Search  # noqa: TC001 - pydantic reads the annotation


class Section(InventoryModel):
    """A section that most inventories leave out."""

    size: Count
    """How large it is."""


class Whole(InventoryModel):
    """An inventory with the section, alone and as a list."""

    one: Annotated[Section | None, OnDemand(), Field(examples=[{"size": 1}])] = None
    """One of them."""
    many: Annotated[tuple[Section, ...], OnDemand(), Field(examples=[[]])] = ()
    """Many of them."""
    named: Annotated[
        Annotated[Any, OnDemand("search", "Search")] | None, Field(examples=[{"max_tiers": 2}])
    ] = None
    """One of another module."""


class Plain(InventoryModel):
    """The same without the marks."""

    one: Annotated[Section | None, Field(examples=[{"size": 1}])] = None
    """One of them."""
    many: Annotated[tuple[Section, ...], Field(examples=[[]])] = ()
    """Many of them."""
    named: Annotated[Search | None, Field(examples=[{"max_tiers": 2}])] = None
    """One of another module."""


def test_a_validator_is_built_for_the_first_inventory_with_the_section() -> None:
    """An inventory without the section builds nothing of it."""
    assert Whole.model_validate({}).one is None
    assert not Section.__pydantic_complete__
    whole = Whole.model_validate({"one": {"size": 2}})
    assert whole.one == Section(size=2)
    assert Section.__pydantic_complete__


def test_a_section_on_demand_is_like_any_other() -> None:
    """Values, errors, their places and the schema are those of a section without the mark."""
    good = {"one": {"size": 2}, "many": [{"size": 3}], "named": {"max_tiers": 2}}
    dumped = [
        shape.model_validate(good).model_dump(mode="json", exclude_defaults=True)
        for shape in (Whole, Plain)
    ]
    assert dumped == [good, good]
    faults = []
    for shape in (Whole, Plain):
        with pytest.raises(ValidationError) as caught:
            shape.model_validate(
                {"one": {"size": 0, "no": 1}, "many": [{"size": "x"}, 1], "named": {"max": 2}}
            )
        faults.append(caught.value.errors(include_url=False))
        schema = shape.model_json_schema()
        faults.append([schema["properties"], schema["$defs"]])
    assert faults[:2] == faults[2:]
