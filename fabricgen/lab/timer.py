"""A timer, of which a wait with several conditions has several."""

from __future__ import annotations

import time


class Timer:
    """Measures the seconds since it was started last."""

    def __init__(self) -> None:
        """Start it."""
        self._started = time.monotonic()

    def restart(self) -> None:
        """Start it again."""
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """The seconds since its last start."""
        return time.monotonic() - self._started
