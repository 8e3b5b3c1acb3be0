"""The kinds of parts whose failures are ranked. The command line reads them before numpy loads."""

from __future__ import annotations

from fabricgen.core.terms import ROLES, LinkKind

CABLES = {
    "host-cable": LinkKind.HOST,
    "leaf-spine-cable": LinkKind.LEAF_SPINE,
    "spine-core-cable": LinkKind.SPINE_CORE,
    "direct-cable": LinkKind.DIRECT,
}
KINDS = (
    *(role.value for role in ROLES),
    "switch",
    *CABLES,
    "cable",
    "nic",
    "gpu",
    "hb",
    "plane",
    "rail",
)
