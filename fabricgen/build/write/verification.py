"""The verification of an output against its manifest: a directory, or an archive as it is."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from fabricgen.build.write.archive import reading
from fabricgen.build.write.changes import Changes, changes_of, digests_of
from fabricgen.build.write.manifest import MANIFEST, read_digests
from fabricgen.core.diagnostics import Refusal, refuse

if TYPE_CHECKING:
    from pathlib import Path


def verify(path: Path) -> Changes:
    """Compare every file of a directory or an archive with its manifest.

    Raises Refusal `no-such-file`, `not-ours` where there is no manifest, and `broken-archive`.
    """
    try:
        if not path.is_dir():
            return _archived(path)
        digests = digests_of(path)
        if digests is None:
            raise _not_ours(path)
        return changes_of(path, digests)
    except FileNotFoundError:
        raise refuse(
            "no-such-file",
            f"there is no file or directory `{path}`",
            hint="give what `fabricgen build` wrote",
        ) from None
    except OSError as error:
        raise refuse(
            "no-such-file",
            f"`{path}` cannot be read: {error.strerror}",
            hint="give what `fabricgen build` wrote",
        ) from None


def _archived(path: Path) -> Changes:
    """Compare the files of an archive with its manifest, which comes last."""
    path.stat()
    found: dict[str, str | None] = {}
    tops, digests, twice = set(), None, set()
    with reading(path) as entries:
        for entry, content in entries:
            top, _, name = entry.partition("/")
            tops.add(top)
            if name == MANIFEST:
                digests = read_digests(content)
            elif name in found:
                twice.add(name)
            elif name.endswith("/"):
                found[name] = None
            else:
                digest = hashlib.file_digest(content, "sha256")  # type: ignore[arg-type]  # it only reads
                found[name] = digest.hexdigest()
    if digests is None or len(tops) != 1:
        raise _not_ours(path)
    extra = sorted((found.keys() - digests.keys()) | (twice - digests.keys()))
    altered = sorted(
        name
        for name, digest in digests.items()
        if name in twice or (name in found and found[name] != digest)
    )
    return Changes(len(digests), sorted(digests.keys() - found.keys()), extra, altered)


def _not_ours(path: Path) -> Refusal:
    """Return the refusal for a path that fabricgen did not write."""
    because = (f"it has no {MANIFEST} of ours",)
    return refuse(
        "not-ours",
        f"`{path}` was not written by fabricgen, so there is nothing to verify",
        because=because,
        hint="give what `build` wrote",
    )
