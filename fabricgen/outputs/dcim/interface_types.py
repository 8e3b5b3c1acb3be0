"""NetBox's names of the types of interfaces."""

from __future__ import annotations

TYPES = frozenset(
    {
        "10gbase-x-sfpp",
        "25gbase-x-sfp28",
        "100gbase-x-qsfp28",
        "100gbase-x-qsfpdd",
        "200gbase-x-qsfpdd",
        "400gbase-x-qsfpdd",
        "800gbase-x-qsfpdd",
        "200gbase-x-qsfp56",
        "400gbase-x-qsfp112",
        "400gbase-x-osfp",
        "800gbase-x-osfp",
        "1.6tbase-x-osfp1600",
    }
)
"""Interface types of NetBox 4 for the cages of the catalog (InterfaceTypeChoices)."""

INFINIBAND = {
    25: "infiniband-edr",
    50: "infiniband-hdr",
    100: "infiniband-ndr",
    200: "infiniband-xdr",
}
"""The same by Gb/s of a lane."""

TWISTED_PAIR = {1: "1000base-t", 10: "10gbase-t"}
"""The same by Gb/s of an RJ45 socket."""

TERABIT = 1000


def type_of(speed_gbps: int, form_factor: str, lanes: int, transport: str) -> str:
    """Return NetBox's name of a port by its transceiver and speed; `other` where it has none.

    >>> type_of(400, "osfp", 4, "ethernet"), type_of(200, "osfp", 2, "ethernet")
    ('400gbase-x-osfp', 'other')
    >>> type_of(400, "osfp", 4, "infiniband")
    'infiniband-ndr'
    >>> type_of(1, "rj45", 1, "ethernet"), type_of(100, "qsfp28", 4, "ethernet")
    ('1000base-t', '100gbase-x-qsfp28')
    >>> type_of(10, "sfp+", 1, "ethernet")
    '10gbase-x-sfpp'
    """
    if transport == "infiniband":
        return INFINIBAND.get(speed_gbps // lanes, "other")
    if form_factor == "rj45":
        return TWISTED_PAIR.get(speed_gbps, "other")
    form = form_factor.replace("-", "").replace("+", "p")
    name = (
        f"{speed_gbps}gbase-x-{form}"
        if speed_gbps < TERABIT
        else f"{speed_gbps / 1000:g}tbase-x-{form}{speed_gbps}"
    )
    return name if name in TYPES else "other"
