"""The values of secrets while files are rendered.

Owns where a template may read one: in the files of switches and hosts alone, so that the build
knows which files hold secrets. `build.secrets` resolves the references of the inventory; without
that, no template sees a value, and statements that need one are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2.runtime import Context

    from fabricgen.outputs.packs.sandbox import Sandbox

SECRET_FILTER, RESOLVED_TEST = "secret", "resolved"


class SecretValues:
    """Reference -> value, and whether the file that is being rendered has read one.

    Templates read values within a block `with secrets:`, and `used` notes whether they did.
    """

    def __init__(self) -> None:
        """Start without values."""
        self.values: Mapping[str, str] = {}
        self.used = False
        self._readable = False

    def __enter__(self) -> Self:
        """Let templates read values."""
        self._readable, self.used = True, False
        return self

    def __exit__(self, *error: object) -> None:
        """End the block."""
        self._readable = False

    def has(self, reference: str) -> bool:
        """Return whether a template may read the value of a reference now."""
        return self._readable and reference in self.values

    def read(self, reference: str) -> str:
        """Return the value of a reference. Raises KeyError where `has` does not hold."""
        if not self.has(reference):
            raise KeyError("a secret is read only where it is `resolved`")
        self.used = True
        return self.values[reference]

    def bind(self, environment: Sandbox) -> None:
        """Give an environment the filter and the test.

        Both take the context: Jinja computes a call without it when it compiles, and the value
        would be in the code that is kept.
        """
        from jinja2 import pass_context  # noqa: PLC0415 - planning reads packs without Jinja2

        @pass_context
        def secret(_: Context, reference: str) -> str:
            return self.read(reference)

        @pass_context
        def resolved(_: Context, reference: str) -> bool:
            return self.has(reference)

        environment.filters[SECRET_FILTER] = secret
        environment.tests[RESOLVED_TEST] = resolved
