"""The secrets that an inventory refers to: environment variables, files, keys of sops files.

Owns reading them, which happens for `build --with-secrets` alone. A message names the reference,
never a part of the value.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.core.files import FileError, open_file, read_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from fabricgen.catalog.catalog import Catalog

MOST_BYTES = 4096
SOPS_SECONDS = 60
VALUE = re.compile(r"[A-Za-z0-9!$%&()*+./<=>\[\]^_{|}~-]{1,256}")
"""The values that every NOS takes with and without quotes."""

ENCRYPTED = re.compile(r"\$[A-Za-z0-9]+\$")
"""How values begin that Junos and SR Linux have encrypted."""
HASHED = ("management", "users")
"""The key of the secrets that are hashes, which begin so."""


class SecretError(Exception):
    """A secret that cannot be read; its text is the reason."""


def read_secrets(asked: Mapping[str, tuple[str | int, ...]], catalog: Catalog) -> dict[str, str]:
    """Return the value of each reference. Raises Refusal `no-secret` with all that are missing."""
    values, findings = {}, []
    for reference, path in asked.items():
        try:
            values[reference] = _checked(_read(reference, catalog), hashed=path == HASHED)
        except SecretError as error:
            fact = f"the secret `{reference}` cannot be read"
            hint = "set it, or build without `--with-secrets`"
            findings.append(Finding("no-secret", fact, path, (str(error),), hint))
    if findings:
        raise Refusal(findings)
    return values


def _read(reference: str, catalog: Catalog) -> str:
    """Return what a reference leads to. Raises SecretError."""
    kind, _, name = reference.partition(":")
    if kind == "env":
        if name not in os.environ:
            raise SecretError(f"the environment has no variable `{name}`")
        return os.environ[name]
    name, _, key = name.partition("#")
    path = catalog.relative_path(name).absolute()  # so that no program takes it for an option
    try:
        return _decrypted(path, key) if key else _text(read_bytes(path, MOST_BYTES))
    except FileError as error:
        raise SecretError(f"`{name}` {error.fact}") from None


def _decrypted(path: Path, key: str) -> str:
    """Return the value of a key of a file that sops encrypted. Raises SecretError, FileError."""
    program = shutil.which("sops")
    if program is None:
        raise SecretError("there is no program `sops` in PATH")
    open_file(path).close()
    steps = "".join(f'["{step}"]' for step in key.split("."))
    command = [program, "--decrypt", "--extract", steps, str(path)]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=SOPS_SECONDS)  # noqa: S603 - the path is absolute
    except OSError as error:
        raise SecretError(f"`sops` cannot be run: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise SecretError(f"`sops` took more than {SOPS_SECONDS} s") from None
    if done.returncode:
        raise SecretError(f"`sops` ended with exit code {done.returncode} for `{path}`")
    return _text(done.stdout)


def _text(content: bytes) -> str:
    """Return a value without the end of its line. Raises SecretError for what is no text."""
    try:
        return content.decode("ascii").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise SecretError("it is not ASCII") from None


def _checked(value: str, *, hashed: bool) -> str:
    """Return a value that every NOS takes. Raises SecretError without showing it."""
    if value == "none":
        raise SecretError("`none` is no value: NVUE removes a setting by it")
    if not hashed and ENCRYPTED.match(value):
        raise SecretError(
            "it begins like an encrypted value (`$9$`), which Junos and SR Linux would decrypt"
        )
    if not VALUE.fullmatch(value):
        raise SecretError(
            "it must be 1 to 256 letters, digits and `!$%&()*+-./<=>[]^_{|}~`, without spaces"
        )
    return value
