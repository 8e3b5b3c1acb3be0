"""QR codes of short texts, as paths of SVG, many at a time.

The only user of segno. Of a fixed version and mask, a QR code is affine over GF(2) in the bits of
its text: its error correction is linear, and the mask is added to it (ISO/IEC 18004, sections 7.5
and 7.8). So segno makes the code of zeros and one for each bit that is set in a text, and all
others are their sums: 100,000 codes take seconds instead of a minute.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Rows = NDArray[np.int64]

ERROR, MASK = "m", 3
"""Error correction of 15 %, because labels get dirty; one mask for all: any is readable."""


def paths(texts: Sequence[str]) -> Iterator[str]:
    """Yield for each text the `d` of a path with strokes 1 wide, in a square of `size(text)`.

    Raises ValueError beyond 2,331 bytes.
    """
    lengths = [len(text.encode()) for text in texts]
    for _, run in groupby(range(len(texts)), key=lengths.__getitem__):
        for rows in _rows([texts[at] for at in run]).tolist():
            yield "".join(map(str.__add__, _starts(len(rows)), map(_strokes, rows)))


def size(text: str) -> int:
    """Return the modules along a side of a text's code.

    >>> size("r0-h00001"), size("r255p1-h000001")
    (21, 21)
    """
    return len(_zeros(len(text.encode())))


def _rows(texts: Sequence[str]) -> Rows:
    """Return the rows of the codes of texts of one length in bytes; shape (texts, rows)."""
    data = np.frombuffer("".join(texts).encode(), dtype=np.uint8).reshape(len(texts), -1)
    length = data.shape[1]
    rows = np.tile(_zeros(length), (len(texts), 1))
    for place, values in enumerate(data.T):
        rows ^= _changes(length, place, int(np.bitwise_or.reduce(values)))[values]
    return rows


@cache
def _zeros(length: int) -> Rows:
    """Return the code of so many zero bytes."""
    return _code(bytes(length))


@cache
def _changes(length: int, place: int, bits: int) -> Rows:
    """Return how each value of a byte changes the code of zeros, for values of these bits.

    The shape is (256, rows).
    """
    changes: Rows = np.zeros((256, len(_zeros(length))), dtype=np.int64)
    for bit in range(8):
        if bits >> bit & 1:
            # the values with this bit set, each of which has the changes of its lower bits so far
            changes[1 << bit : 2 << bit] = changes[: 1 << bit] ^ _change(length, place, bit)
    return changes


@cache
def _change(length: int, place: int, bit: int) -> Rows:
    """Return how one bit of a byte changes the code of zeros."""
    text = bytearray(length)
    text[place] = 1 << bit
    changed: Rows = _code(bytes(text)) ^ _zeros(length)
    return changed


@cache
def _starts(rows: int) -> list[str]:
    """Return for each row of a code the move to its left end."""
    return [f"M0 {y}.5" for y in range(rows)]


def _code(text: bytes) -> Rows:
    """Have segno make one code; return its rows as numbers, whose lowest bit is leftmost."""
    import segno  # noqa: PLC0415 - it costs 25 ms, and most commands draw no code

    made = segno.make_qr(text, error=ERROR, mask=MASK, mode="byte", boost_error=False)
    return np.array(
        [sum(module << at for at, module in enumerate(row)) for row in made.matrix], dtype=np.int64
    )


@lru_cache(maxsize=1 << 16)
def _strokes(row: int) -> str:
    """Draw the dark runs of a row, from its left end on.

    >>> _strokes(0b1011100)
    'm2 0h3m1 0h1'
    """
    drawn, bits = [], f"{row:b}"[::-1]
    for dark, run in groupby(bits):
        wide = len([*run])
        drawn.append(f"h{wide}" if dark == "1" else f"m{wide} 0")
    return "".join(drawn)
