"""The links that stay direct although their kind is structured, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.planning.cabling.compatibility import FIBRES
from fabricgen.planning.channels.parts import is_patchable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.cabling.compatibility import LinkParts
    from fabricgen.planning.draft import Draft


def direct_links(draft: Draft, candidate: IntArray) -> Iterator[str]:
    """Yield a notice for each cable that no panel can take and that structured links have.

    `candidate` is that of each link.
    """
    if draft.spec.cabling is None:
        return
    where = draft.spec.cabling.where
    counts = np.bincount(candidate.ravel(), minlength=len(draft.candidates))
    for joint, count in zip(draft.candidates, counts.tolist(), strict=True):
        kind = joint.kind.key
        if count and getattr(where, kind) == "structured" and not is_patchable(joint):
            yield (
                f"{count:,} {kind.replace('_', '-')} links stay direct, although"
                f" `cabling.where.{kind}` is `structured`: {joint.cable.model} {_reason(joint)}"
            )


def _reason(joint: LinkParts) -> str:
    """Return why the cable of a link cannot run through panels."""
    if joint.cable.medium not in FIBRES:
        return f"is {joint.cable.medium}, not a fibre of its own"
    if joint.shared > 1:
        return f"splits into {joint.shared} links, and a jumper carries one"
    return "does not join two modules"
