"""The catalog model of a published design, which `init --reference` writes as an inventory."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fabricgen.catalog.models.base import Count, Facts, Many, Sourced, Text


class Vacancy(Facts):
    """Hosts that the source leaves out of the designs of some sizes, and why.

    `keys` are lines of the inventories of these sizes alone.
    """

    units: tuple[Many, ...]
    hosts: tuple[Text, ...]
    why: Text
    keys: str = ""


class Reference(Sourced):
    """A published design of any number of equal units.

    `keys` is its inventory without `name` and `gpus`, as text; `published` lists the numbers of
    units whose counts the source prints, and `differences` where the plan has other counts.
    """

    name: Text
    unit: Text
    hosts_per_unit: Many
    gpus_per_host: Count
    published: Annotated[tuple[Many, ...], Field(min_length=1)]
    vacant: Vacancy | None = None
    differences: tuple[Text, ...] = ()
    keys: Annotated[str, Field(min_length=1)]
    quality: Literal["A", "B", "C"]

    @model_validator(mode="after")
    def _published_in_order(self) -> Self:
        if list(self.published) != sorted(set(self.published)):
            raise ValueError("published: the numbers of units are listed once each, in order")
        return self

    @property
    def gpus_per_unit(self) -> int:
        """GPUs of a whole unit."""
        return self.hosts_per_unit * self.gpus_per_host

    def vacancy(self, units: int) -> Vacancy | None:
        """Return the hosts that a design of so many units lacks; None where it lacks none."""
        return self.vacant if self.vacant and units in self.vacant.units else None

    def gpus(self, units: int) -> int:
        """Return the GPUs of a design of so many units."""
        vacancy = self.vacancy(units)
        lacking = len(vacancy.hosts) * self.gpus_per_host if vacancy else 0
        return units * self.gpus_per_unit - lacking
