"""The settings in files that NVUE saved, without the names and values of a site."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from tests.nos.nvue import flattened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.nos.nvue import Command

NAMED = frozenset(
    {
        *("interface", "neighbor", "peer-group", "vrf"),
        *("as-path-list", "prefix-list", "route-map"),
        "member",
        *("authorized-key", "server", "user", "username"),
    }
)
"""Settings whose keys are names, which differ from file to file."""
FREE = frozenset(
    {
        *("anycast-mac", "mac-address", "aspath-exp", "description", "hostname", "speed"),
        *("auth-sha", "encrypt-aes", "hashed-password", "key", "secret"),
        *("base-dn", "bind-dn", "pre-login", "system-contact", "system-location", "timezone"),
    }
)
"""Settings whose values are the site's."""


def settings_of(startup_yaml: str) -> set[Command]:
    """Return the settings of a startup.yaml, with `*` for each name, number and free value."""
    lines = list(flattened(startup_yaml))
    names = {word for line in lines for above, word in pairwise(line) if above in NAMED}
    return {tuple(_words(line, names)) for line in lines}


def _words(line: Command, names: set[str]) -> Iterator[str]:
    for above, word in zip(("", *line), line, strict=False):
        varies = (
            above in NAMED | FREE
            or word in names
            or re.fullmatch(r"[\d./:x]+|[\da-f]*:[\da-f:]*/\d+", word)
        )
        yield "*" if varies else word
