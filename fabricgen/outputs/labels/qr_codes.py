"""QR codes of short texts, as paths of SVG, many at a time.

The only user of segno. Of a fixed version and mask, a QR code is affine over GF(2) in the bits of
its text: its error correction is linear, and the mask is added to it (ISO/IEC 18004, sections 7.5
and 7.8). So segno makes the code of zeros and one with each bit set, and all others are their sums:
100,000 codes take seconds instead of a minute.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Bits = NDArray[np.uint8]

ERROR, MASK = "m", 3
"""Error correction of 15 %, because labels get dirty; one mask for all: any is readable."""


def paths(texts: Sequence[str]) -> Iterator[str]:
    """Yield for each text the `d` of a path with strokes 1 wide, in a square of `size(text)`.

    Raises ValueError beyond 2,331 bytes.
    """
    lengths = [len(text.encode()) for text in texts]
    for _, run in groupby(range(len(texts)), key=lengths.__getitem__):
        for rows in _rows(matrices([texts[at] for at in run])).tolist():
            yield "".join(f"M0 {y}.5{_strokes(row)}" for y, row in enumerate(rows))


def size(text: str) -> int:
    """Return the modules along a side of a text's code.

    >>> size("r0-h00001"), size("r255p1-h000001")
    (21, 21)
    """
    return int(_pattern(len(text.encode()))[0].shape[0])


def matrices(texts: Sequence[str]) -> Bits:
    """Return the codes of texts of one length in bytes, as 0 and 1, by text, row and column."""
    zero, units = _pattern(len(texts[0].encode()))
    bits = np.unpackbits(
        np.frombuffer("".join(texts).encode(), dtype=np.uint8).reshape(len(texts), -1), axis=1
    )
    summed = (
        bits.astype(np.float32) @ units % 2
    )  # as floats, which BLAS multiplies; sums stay far below 2**24
    return np.bitwise_xor(summed.astype(np.uint8).reshape(len(texts), *zero.shape), zero)


def _rows(codes: Bits) -> NDArray[np.int64]:
    """Return the rows of codes as numbers, whose lowest bit is the leftmost module."""
    rows: NDArray[np.int64] = (codes.astype(np.int64) << np.arange(codes.shape[-1])).sum(axis=-1)
    return rows


@cache
def _pattern(length: int) -> tuple[Bits, NDArray[np.float32]]:
    """Return the code of so many zero bytes, and the changes by each bit of a text, flat."""
    zero = _code(bytes(length))
    ones = (np.packbits(row).tobytes() for row in np.eye(8 * length, dtype=np.uint8))
    units = np.array([_code(one) ^ zero for one in ones], dtype=np.float32).reshape(8 * length, -1)
    return zero, units


def _code(text: bytes) -> Bits:
    """Have segno make one code."""
    import segno  # noqa: PLC0415 - it costs 25 ms, and most commands draw no code

    made = segno.make_qr(text, error=ERROR, mask=MASK, mode="byte", boost_error=False)
    return np.array([[*row] for row in made.matrix], dtype=np.uint8)


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
