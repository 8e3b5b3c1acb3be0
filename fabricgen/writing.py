"""The only writer: whole directories, or nothing.

Owns staging, the manifest and the swap. Files are written into a directory beside OUT; when all stand, it takes OUT's place in one
rename, and what was there before goes. A directory that fabricgen did not write is never touched.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen import __version__
from fabricgen.diagnostics import Finding, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_HERE, _EXCHANGE = -100, 2
"""AT_FDCWD and RENAME_EXCHANGE of renameat2(2)."""

MANIFEST = "manifest.json"
FORMAT = "fabricgen-manifest/1"


class Written(NamedTuple):
    """One file below OUT."""

    path: str
    sha256: str
    size: int


def check_target(out: Path) -> None:
    """Refuse an OUT that is no directory of ours. Raises Refusal `not-ours`."""
    if not out.exists() and not out.is_symlink():
        return
    ours = False
    if out.is_dir() and not out.is_symlink():
        if not any(out.iterdir()):
            return
        with contextlib.suppress(OSError, ValueError, AttributeError):
            ours = json.loads((out / MANIFEST).read_text(encoding="utf-8")).get("format") == FORMAT
    if not ours:
        hint = "choose a directory that does not exist, or remove this one yourself"
        raise Refusal(
            [Finding("not-ours", f"`{out}` was not written by fabricgen, so it is not overwritten", because=(f"it has no {MANIFEST} of ours",), hint=hint)]
        )


@contextlib.contextmanager
def staging(out: Path) -> Iterator[Path]:
    """Yield a directory beside OUT that replaces it when the block ends well; when it does not, OUT is as it was.

    Raises Refusal `cannot-write` where the place does not allow it.
    """
    check_target(out)
    target = out.resolve()  # `.` has neither a name nor a place beside it
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        staged = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".partial", dir=target.parent))
    except OSError as error:
        raise Refusal([Finding("cannot-write", f"`{out}` cannot be written: {error.strerror}", hint="choose another OUT")]) from None
    try:
        yield staged
        _swap(staged, target)
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        fact = f"`{Path(error.filename).name}` would be both a file and a directory"
        raise Refusal([Finding("path-twice", fact, hint="give one of the two outputs another `path` in its pack.yaml")]) from error
    except OSError as error:
        raise Refusal([Finding("cannot-write", f"`{out}` cannot be written: {error.strerror}", hint="free some space, or choose another OUT")]) from error
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _swap(staged: Path, out: Path) -> None:
    """Put the staged directory in the place of OUT, and the old one in its own, which is then cleared away."""
    staged.chmod(0o777 & ~_umask())
    if not out.exists():
        staged.rename(out)
    elif not _exchange(staged, out):
        _step_aside(staged, out)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two directories in one step, so that even a kill -9 finds OUT in its place; False where the system cannot.

    Linux has it as renameat2(2), and Python does not.
    """
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    return rename is not None and rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0


def _step_aside(staged: Path, out: Path) -> None:
    """Exchange in two steps; should the second fail, the old directory is put back."""
    aside = out.with_name(f".{out.name}.{os.getpid()}.old")
    out.rename(aside)
    try:
        staged.rename(out)
    except OSError:
        aside.rename(out)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def _umask() -> int:
    """Return the process's umask; it can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_text(root: Path, path: str, pieces: Iterable[str], mode: int | None = None) -> Written:
    """Write a text file below `root`, piece by piece, hashing as it goes. Raises Refusal `path-escapes` for a path that leaves it.

    `mode` is cut by the umask, as the mode of any file is; None is that of any file.
    """
    target = _below(root, path)
    digest, size = hashlib.sha256(), 0
    with target.open("wb") as stream:
        for piece in pieces:
            block = _encoded(piece, path)
            digest.update(block)
            size += len(block)
            stream.write(block)
    if mode is not None:
        target.chmod(mode & ~_umask())
    return Written(path, digest.hexdigest(), size)


def _encoded(piece: str, path: str) -> bytes:
    """Encode text. Raises Refusal `bad-template` for half a surrogate pair, which only a template can make."""
    try:
        return piece.encode()
    except UnicodeEncodeError as error:
        fact = f"`{path}` would hold {piece[error.start]!a}, which is no character"
        raise Refusal([Finding("bad-template", fact, hint="correct the template that writes it")]) from None


def adopt(root: Path, path: str) -> Written:
    """Note a file that a library wrote at `reserve(root, path)`."""
    block = (root / path).read_bytes()
    return Written(path, hashlib.sha256(block).hexdigest(), len(block))


def reserve(root: Path, path: str) -> Path:
    """Return where a library may write `path`, its directory made."""
    return _below(root, path)


def _below(root: Path, path: str) -> Path:
    """Join, refusing whatever would leave `root`."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\\" in path or "\0" in path:
        raise Refusal([Finding("path-escapes", f"`{path}` is no path below the output directory", hint="correct the `path` in the pack.yaml")])
    target = root.joinpath(*parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def write_manifest(root: Path, files: Iterable[Written], inventory: dict[str, Any], groups: list[str]) -> None:
    """Write the manifest: every file with its SHA-256, the inventory's digest and the version; no clocks, no machine's paths."""
    canonical = json.dumps(inventory, sort_keys=True, separators=(",", ":"))
    content = {
        "format": FORMAT,
        "version": __version__,
        "inventory_sha256": hashlib.sha256(canonical.encode()).hexdigest(),
        "groups": groups,
        "files": {file.path: file.sha256 for file in sorted(files)},
    }
    (root / MANIFEST).write_text(json_document(content), encoding="utf-8")


def json_document(content: object) -> str:
    """Write JSON as every file of ours holds it."""
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def write_file(path: Path, text: str | Iterable[str]) -> None:
    """Replace one file whole or not at all, by a text or by its pieces. Raises Refusal `cannot-write`."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.writelines([text] if isinstance(text, str) else text)
        staged = Path(name)
        staged.chmod(0o666 & ~_umask())
        staged.replace(path)
    except OSError as error:
        raise Refusal([Finding("cannot-write", f"`{path}` cannot be written: {error.strerror}", hint="choose another file")]) from None
