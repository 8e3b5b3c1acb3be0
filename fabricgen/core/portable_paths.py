"""Names that every file system can hold and keeps apart: those of OUT are unpacked anywhere.

Windows reserves names of devices, whatever their case and their extension, and drops a dot or a
space at the end (Microsoft, Naming Files, Paths, and Namespaces). It takes names that differ in
case for one, as macOS does.
"""

from __future__ import annotations

RESERVED = frozenset(
    {
        *("con", "prn", "aux", "nul"),
        *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)),
    }
)
"""The names of devices."""

RESERVED_RULE = "Windows reserves the name, so no file or folder of it could be unpacked there"


def is_reserved(name: str) -> bool:
    """Return whether Windows cannot hold a file or a folder of this name.

    >>> [is_reserved(name) for name in ("com1", "NUL.cfg", "rack.", "com10", "console")]
    [True, True, True, False, False]
    """
    return name.partition(".")[0].rstrip().lower() in RESERVED or name.endswith((".", " "))
