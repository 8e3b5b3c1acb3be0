"""What `search` may choose among, and what its answer must keep to."""

from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field

from fabricgen.core.terms import Design
from fabricgen.inventory.fields import Count, Model, Part, Price, Ratio

Share = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]


class Search(Part):
    """The choices on offer, and the limits; only `search` reads them."""

    designs: Annotated[
        tuple[Design, ...], Field(min_length=1, examples=[["rail-only", "fat-tree"]])
    ] = tuple(Design)
    """Designs on offer."""
    switches: Annotated[tuple[Model, ...], Field(examples=[["sn5600", "qm9700"]])] = ()
    """Switches on offer, each in every tier; default: the inventory's own, and what the catalog has for the NICs."""
    hosts: Annotated[tuple[Model, ...], Field(examples=[["dgx-h100", "gb200-nvl72"]])] = ()
    """Hosts on offer, each with its own HB domain and NICs; default: the inventory's."""
    hb_domains: Annotated[tuple[Count, ...], Field(examples=[[8, 72, 256]])] = ()
    """Sizes of the HB domain on offer, where the inventory names no host; default: the inventory's."""
    planes: Annotated[tuple[Count, ...], Field(examples=[[1, 2]])] = ()
    """Planes on offer; default: what the host offers, else the inventory's."""
    per_switch: Annotated[
        tuple[Count | Literal["auto"], ...], Field(min_length=1, examples=[[1, "auto"]])
    ] = (1, "auto")
    """Rails that share one leaf box."""
    oversubscription: Annotated[
        tuple[Ratio, ...], Field(min_length=1, examples=[["1:1", "3:1"]])
    ] = (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3))
    """Ratios on offer."""
    budget: Annotated[Price | None, Field(examples=[Decimal(25_000_000)])] = None
    """The most that the bill may come to, in the currency that is paid in."""
    power_w: Annotated[Count | None, Field(examples=[400_000])] = None
    """The most power that the fabric may take, in watts, without hosts."""
    max_tiers: Annotated[Literal[1, 2, 3], Field(examples=[2])] = 3
    """The most tiers."""
    llm: Annotated[str | None, Field(strict=True, min_length=1, examples=["gpt3"])] = None
    """The language model whose iteration is timed: a name or a file, as `model --llm` takes it."""
    min_relative: Annotated[Share | None, Field(examples=[0.9])] = None
    """The least speed of its iteration against an ideal network, at most 1."""
