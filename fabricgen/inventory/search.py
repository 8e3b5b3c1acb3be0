"""The candidates that `search` compares, and the limits of its results."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fabricgen.core.terms import Design
from fabricgen.inventory.fields import Count, InventoryModel, Model, Price, Ratio

Size = Annotated[Count, Field(le=65_536)]
"""GPUs of an HB domain, or rails."""
MOST_COMBINATIONS = 100_000
"""The most combinations of values that are compared."""
Share = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]


class Search(InventoryModel):
    """Candidates and limits; only `search` reads them."""

    designs: Annotated[
        tuple[Design, ...], Field(min_length=1, examples=[["rail-only", "fat-tree"]])
    ] = tuple(Design)
    """Designs to compare."""
    switches: Annotated[tuple[Model, ...], Field(examples=[["sn5600", "qm9700"]])] = ()
    """Switches to compare, each in every tier; default: the inventory's switches and those of the
    catalog that fit the NICs."""
    media: Annotated[
        tuple[Literal["packet", "ocs", "patch-panel"], ...], Field(examples=[["packet", "ocs"]])
    ] = ()
    """Media of rails to compare, each with the boxes of the catalog that make it; default: the
    inventory's `rails.medium`. Named switches have the medium that they make."""
    hosts: Annotated[tuple[Model, ...], Field(examples=[["dgx-h100", "gb200-nvl72"]])] = ()
    """Hosts to compare, each with its own HB domain and NICs; default: the inventory's host."""
    hb_domains: Annotated[tuple[Size, ...], Field(examples=[[8, 72, 256]])] = ()
    """HB domain sizes to compare, in GPUs, where the inventory names no host; default: the
    inventory's size."""
    planes: Annotated[tuple[Annotated[Count, Field(le=8)], ...], Field(examples=[[1, 2]])] = ()
    """Numbers of planes to compare; default: those that the host supports, else the inventory's."""
    rails: Annotated[tuple[Size, ...], Field(examples=[[4, 8, 9]])] = ()
    """Numbers of rails to compare; default: every divisor of `hb_domain.gpus`."""
    per_switch: Annotated[
        tuple[Annotated[Count, Field(le=4096)] | Literal["auto"], ...],
        Field(examples=[[1, "auto"]]),
    ] = ()
    """Numbers of rails that share one leaf switch to compare, each where it divides the rails;
    `auto` packs as many as fit. Default: every divisor of the rails."""
    oversubscription: Annotated[
        tuple[Ratio, ...], Field(min_length=1, examples=[["1:1", "3:1"]])
    ] = (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3))
    """Oversubscription ratios to compare."""
    spread: Annotated[
        tuple[Literal["even", "minimal"], ...], Field(min_length=1, examples=[["even"]])
    ] = ("even", "minimal")
    """Ways to spread uplinks over spines to compare, as the key `spread`."""
    budget: Annotated[Price | None, Field(examples=[Decimal(25_000_000)])] = None
    """Maximum cost, in the currency to pay in."""
    power_w: Annotated[Count | None, Field(examples=[400_000])] = None
    """Maximum power of the fabric in watts, hosts excluded."""
    max_tiers: Annotated[Literal[1, 2, 3], Field(examples=[2])] = 3
    """Maximum number of tiers."""
    llm: Annotated[str | None, Field(strict=True, min_length=1, examples=["gpt3"])] = None
    """The language model whose iteration is timed: a name or a file, as for `model --llm`."""
    min_relative: Annotated[Share | None, Field(examples=[0.9])] = None
    """Minimum speed of an iteration relative to an ideal network, at most 1."""

    @model_validator(mode="after")
    def _few_combinations(self) -> Self:
        """Refuse lists that make more combinations than can be compared."""
        lists = [each for _, each in self if isinstance(each, tuple) and each]
        every = math.prod(map(len, lists))
        if every > MOST_COMBINATIONS:
            raise ValueError(
                f"lists {every} combinations, and at most {MOST_COMBINATIONS} are compared"
            )
        return self
