"""The controls as the page shows them: values, choices of the catalog, and reasons of refusal.

Owns their order, labels and steps. `controls` owns what they set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.bom.comparison import COMPARED
from fabricgen.core.document import Document
from fabricgen.core.terms import Design, Role
from fabricgen.planning.room.footprints import unknown_facts
from fabricgen.serve.controls import ANY_HOST, GENERIC, values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.host import Host
    from fabricgen.catalog.models.switch import Switch
    from fabricgen.planning.plan import Plan


@dataclass(frozen=True)
class ControlChoice(Document):
    """A value of a control, its label, and why it would be refused; empty where it would not."""

    value: str
    label: str
    refused: str = ""


@dataclass(frozen=True)
class Control(Document):
    """One control: `Control` of the page's model."""

    name: str
    label: str
    value: str
    step: int = 0
    """What the arrows of a number add; 0 where it is no number."""
    usual: tuple[str, ...] = ()
    """Values that are suggested."""
    choices: tuple[ControlChoice, ...] = ()
    """The only values, where there are any."""
    refused: str = ""
    """Why no other value would be accepted; empty where one may be."""
    resets: tuple[str, ...] = ()
    """The controls that return to the inventory's value when this one changes."""


def control_panel(plan: Plan, catalog: Catalog) -> list[Control]:
    """Return the controls of a plan in the order of the page."""
    return [*_sizes(plan, catalog), *_rails(plan), *_terms(plan, catalog)]


def _sizes(plan: Plan, catalog: Catalog) -> Iterator[Control]:
    """Yield the controls of GPUs, hosts and switches."""
    fabric, value = plan.fabric, values(plan.spec)
    domain = fabric.domain_gpus
    yield Control("gpus", "GPUs", value["gpus"], step=domain, usual=_powers(6, 20))
    designs = tuple(ControlChoice(design.value, design.value) for design in COMPARED)
    yield Control("design", "Design", value["design"], choices=designs, resets=("per_switch",))
    hosts = (
        ControlChoice(ANY_HOST, "any"),
        *_listed(plan, catalog.names("hosts"), catalog.host, "host"),
    )
    resets = ("hb_domain", "planes", "rails")
    yield Control("host", "Host", value["host"], choices=hosts, resets=resets)
    sizes = (*_powers(1, 6), "72", *_powers(7, 9), "576")
    fixed = f"host {fabric.host.model} has HB domains of {domain} GPUs" if fabric.host else ""
    yield Control("hb_domain", "HB domain", str(domain), step=1, usual=sizes, refused=fixed)
    switches = _switches(plan, catalog)
    yield Control("leaf", "Switch", value["leaf"], choices=switches, resets=("radix",))
    yield Control(
        "radix",
        "Radix, generic",
        str(fabric.port_layouts[Role.LEAF].radix),
        step=16,
        usual=_powers(3, 9),
        refused=_unplaced(plan, None, "leaf"),
        resets=("leaf",),
    )


def _rails(plan: Plan) -> Iterator[Control]:
    """Yield the controls of rails and planes."""
    fabric, value = plan.fabric, values(plan.spec)
    counts = _divisors(fabric.domain_gpus)
    yield Control("rails", "Rails", str(fabric.rails), step=1, usual=counts)
    shares = dict.fromkeys(["auto", *_divisors(fabric.rails), value["per_switch"]])
    no_rails = fabric.design is Design.FAT_TREE
    yield Control(
        "per_switch",
        "Rails per box",
        value["per_switch"],
        choices=tuple(ControlChoice(text, text) for text in shares),
        refused="a fat-tree has no rails that could share a switch" if no_rails else "",
    )
    ports = list(fabric.host.speeds_gbps) if fabric.host else []
    only = f"a GPU of host {fabric.host.model} has one NIC port" if fabric.host else ""
    yield Control(
        "planes",
        "Planes",
        str(fabric.planes),
        step=1,
        usual=tuple(map(str, ports)) or _powers(0, 3),
        refused=only if ports == [1] else "",
    )


def _terms(plan: Plan, catalog: Catalog) -> Iterator[Control]:
    """Yield the controls of oversubscription and prices."""
    value = values(plan.spec)
    ratios = ("1:1", "3:2", "2:1", "3:1", "7:1")
    yield Control("oversubscription", "Oversubscription", value["oversubscription"], usual=ratios)
    books = dict.fromkeys([*catalog.names("prices"), value["prices"]])
    listed = tuple(ControlChoice(name, name) for name in books)
    yield Control("prices", "Prices", value["prices"], choices=listed)


def _switches(plan: Plan, catalog: Catalog) -> tuple[ControlChoice, ...]:
    """Return the switches of the catalog, and the generic one where the plan has that."""
    names = [name for name in catalog.names("switches") if name != GENERIC]
    listed = _listed(plan, names, catalog.switch, "leaf")
    own = (ControlChoice(GENERIC, plan.fabric.port_layouts[Role.LEAF].model.model),)
    return listed if plan.spec.switches.leaf.model else (*own, *listed)


def _listed(
    plan: Plan, names: list[str], find: Callable[[str], Host | Switch | None], kind: str
) -> tuple[ControlChoice, ...]:
    """Return models of the catalog as choices."""
    refused = {name: _unplaced(plan, find(name), kind) for name in names}
    return tuple(
        ControlChoice(name, f"{name} (size unknown)" if why else name, why)
        for name, why in refused.items()
    )


def _unplaced(plan: Plan, part: Host | Switch | None, kind: str) -> str:
    """Return why a part has no place in a described room; None is a generic switch."""
    site = plan.spec.site
    if site is None or site.lengths == "unknown":
        return ""
    missing = unknown_facts(part, kind, site)
    keys = ", ".join(f"site.footprints.{kind}.{fact}" for fact in missing)
    name = part.model if part else "a generic switch"
    return f"{name} has no place in the described room without {keys}" if missing else ""


def _divisors(number: int) -> tuple[str, ...]:
    """Return the divisors of a number.

    >>> _divisors(8)
    ('1', '2', '4', '8')
    """
    return tuple(str(size) for size in range(1, number + 1) if number % size == 0)


def _powers(first: int, last: int) -> tuple[str, ...]:
    """Return the powers of two from one exponent to another.

    >>> _powers(0, 3)
    ('1', '2', '4', '8')
    """
    return tuple(str(2**exponent) for exponent in range(first, last + 1))
