"""Every mutation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.mutations import (
    capacity,
    channels,
    counts,
    managed,
    names,
    optics,
    outputs,
    ports,
    settings,
    wiring,
)

if TYPE_CHECKING:
    from tests.mutations.breaking import Mutation

MUTATIONS: tuple[Mutation, ...] = (
    *ports.MUTATIONS,
    *wiring.MUTATIONS,
    *capacity.MUTATIONS,
    *optics.MUTATIONS,
    *names.MUTATIONS,
    *outputs.MUTATIONS,
    *settings.MUTATIONS,
    *managed.MUTATIONS,
    *counts.MUTATIONS,
    *channels.MUTATIONS,
)
