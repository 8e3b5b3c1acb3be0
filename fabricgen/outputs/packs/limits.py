"""The limits of one rendering: time, memory, output, and the size of values.

Owns the limits and the counting of values. The environment of `bounded` checks each text, list and
number that an operator or a filter makes, so that no single step can exhaust memory; `timer` stops
a template of many steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import GeneratorType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Limits(NamedTuple):
    """The limits of one rendering."""

    seconds: float = 5
    """CPU seconds."""
    memory_bytes: int = 2**30
    """Growth of the program's memory."""
    output: int = 2**27
    """Characters that a template, a macro or a block writes."""
    text: int = 2**20
    """Characters of a text, and items of a list, that an expression makes."""
    range: int = 100_000
    """Numbers of a range."""
    width: int = 9_999
    """Digits and blanks by which formatting or indenting pads."""
    bits: int = 1_024
    """Size of a number."""


class LimitError(Exception):
    """The error of a template that exceeds a limit; its text is the predicate of a sentence."""


class LimitCheck(NamedTuple):
    """A check of values against limits; every method raises LimitError."""

    limits: Limits

    def short(self, value: object) -> None:
        """Check a text before it is split: it is no longer than an expression could make it."""
        if isinstance(value, str) and len(value) > self.limits.text:
            raise self.too_long()

    def parts(self, parts: tuple[object, ...]) -> tuple[object, ...]:
        """Return the operands of `~` after their texts are measured."""
        if sum(map(len, map(str, parts))) > self.limits.text:
            raise self.too_long()
        return parts

    def written(self, pieces: Iterable[str]) -> str:
        """Return the pieces of an output as one text."""
        texts = [*pieces]
        self.fits(sum(map(len, texts)))
        return "".join(texts)

    def held(self, made: Any) -> Any:  # noqa: ANN401 - any value
        """Return a list or mapping that a template made, after counting everything in it.

        Otherwise lists of lists would double with each line of a template, and printing or
        comparing them is one step of Python.
        """
        if len(made) > _FEW or any(item.__class__ in _CONTAINERS for item in _items(made)):
            for _ in self.counted([made]):
                pass
        return made

    def counted(self, items: Iterable[Any]) -> Iterator[Any]:
        """Yield items, and count them and their contents."""
        weight, most = 0, self.limits.text
        for item in items:
            waiting = [item]
            while waiting:
                value = waiting.pop()
                weight += 1 + (len(value) if isinstance(value, str) else 0)
                if weight > most:
                    raise self.too_long()
                if value.__class__ in _CONTAINERS:
                    waiting.extend(_items(value))
            yield item

    def operands(self, operator: str, left: object, right: object) -> None:
        """Check the operands of arithmetic whose result may be too large."""
        if operator == "%" and isinstance(left, str):
            raise LimitError("formats a text by `%`, which has no limit; write `'{}'.format(...)`")
        if any(
            isinstance(value, int) and value.bit_length() > self.limits.bits
            for value in (left, right)
        ):
            raise self._too_large()
        if (
            operator == "**"
            and isinstance(left, int)
            and isinstance(right, int)
            and left.bit_length() * abs(right) > self.limits.bits
        ):
            raise self._too_large()
        if operator == "*":
            times = min((value for value in (left, right) if isinstance(value, int)), default=1)
            if any(
                isinstance(value, str | list | tuple) and len(value) * times > self.limits.text
                for value in (left, right)
            ):
                raise self.too_long()

    def result(self, made: Any) -> Any:  # noqa: ANN401 - any value
        """Return the result of arithmetic if it is not too large."""
        if isinstance(made, str):
            self.short(made)
        return self.held(made) if made.__class__ in _CONTAINERS else made

    def filtered(self, made: Any) -> Any:  # noqa: ANN401 - any value
        """Return the result of a filter if it is not too large; an iterator is counted later."""
        if isinstance(made, GeneratorType):
            return self.counted(made)
        if isinstance(made, str):
            self.fits(len(made))
        return self.held(made) if made.__class__ in _CONTAINERS else made

    def fits(self, length: int) -> None:
        """Check the length of a text before it is made."""
        if length > self.limits.output:
            raise self._too_much()

    def padded(self, width: int) -> None:
        """Check the width of padding."""
        if width > self.limits.width:
            raise LimitError(f"fills a text up to more than {self.limits.width} characters")

    def numbers(self, *bounds: int) -> range:
        """Return a range within the limit."""
        made = range(*bounds)
        try:
            if len(made) <= self.limits.range:
                return made
        except OverflowError:  # more numbers than a length can be
            pass
        raise LimitError(f"asks for a range of more than {self.limits.range} numbers")

    def too_long(self) -> LimitError:
        """Return the error for a text or a list."""
        return LimitError(
            f"makes a text or a list of more than {self.limits.text} characters or items"
        )

    def _too_much(self) -> LimitError:
        """Return the error for an output."""
        return LimitError(f"writes more than {self.limits.output} characters")

    def _too_large(self) -> LimitError:
        """Return the error for a number."""
        return LimitError(f"computes with a number of more than {self.limits.bits} bits")


_FEW = 16
"""Items of a list of texts that is not counted: its texts were counted one by one."""
_CONTAINERS = frozenset({list, tuple, dict})


def _items(held: Any) -> Iterable[Any]:  # noqa: ANN401 - any container
    """Return the items of a list or a mapping."""
    return [*held, *held.values()] if isinstance(held, Mapping) else held
