"""One case: files and a command line, run in this process, and the promises of every run.

Owns `Case`, `execute` and `faults`. The campaigns draw what to run.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import resource
import signal
import sys
import traceback
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple
from unittest import mock

from fabricgen.cli import run
from tests import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from types import FrameType

CPU_S, PEAK_MIB = 10, 500
"""Limits of one run of a fabric of at most 4,096 GPUs."""

FAULT = 3
"""The exit code of a fault of fabricgen itself."""

runs: Counter[str] = Counter()
"""Runs of this process so far, by command."""


@dataclass(frozen=True)
class Case:
    """Files, by name, and the arguments of one run beside them.

    Their text has undecodable bytes as surrogates. Where `before` has the arguments of another run
    and that one succeeds, this one succeeds after it.
    """

    arguments: tuple[str, ...]
    files: Mapping[str, str] = field(default_factory=dict)
    stdin: str = ""
    before: tuple[str, ...] = ()

    def document(self) -> dict[str, object]:
        """Return the case as JSON holds it."""
        before = {"before": list(self.before)} if self.before else {}
        held = {"arguments": list(self.arguments), "files": dict(self.files), "stdin": self.stdin}
        return {**held, **before}


def read_case(text: str) -> Case:
    """Read the output of `Case.document`."""
    held = json.loads(text)
    before = tuple(held.get("before", ()))
    return Case(tuple(held["arguments"]), held["files"], held["stdin"], before)


def replay(case: Case, home: Path) -> Iterator[str]:
    """Run a case that was found, and list the promises that it breaks."""
    refused = case.before and execute(replace(case, arguments=case.before), home).code
    ended = execute(case, home)
    yield from faults(case, ended)
    if case.before and not refused and ended.code:
        yield f"`{case.before[0]}` succeeds and `{case.arguments[0]}` ends with {ended.code}"


class Ended(NamedTuple):
    """The result of a run.

    `cpu_s` includes its worker processes, `grown_mib` is its addition to the peak of this process.

    `altered` names the files of the case that were changed.
    """

    code: int
    out: str
    err: str
    cpu_s: float
    grown_mib: float
    altered: tuple[str, ...] = ()


class EndlessError(Exception):
    """A run exceeded the limit of CPU time by far."""


def execute(case: Case, home: Path) -> Ended:
    """Write the files of a case into `home` and run it there."""
    written = {
        home / name: text.encode("utf-8", "surrogateescape") for name, text in case.files.items()
    }
    for path, content in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    streams = [
        io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)
    ]
    entered = io.TextIOWrapper(
        io.BytesIO(case.stdin.encode("utf-8", "surrogateescape")), encoding="utf-8"
    )
    before, peak = _cpu_s(), _peak_mib()
    with (
        contextlib.chdir(home),
        _stopped_after(6 * CPU_S),
        mock.patch.multiple(sys, stdin=entered, stdout=streams[0], stderr=streams[1]),
    ):
        try:
            code = run([*case.arguments])
        except BaseException:  # noqa: BLE001 - any exception of `run` is a find
            traceback.print_exc()
            code = FAULT
    out, err = (stream.buffer.getvalue().decode("utf-8", "replace") for stream in streams)
    runs[case.arguments[0] if case.arguments else ""] += 1
    cpu_s, grown_mib = _cpu_s() - before, _peak_mib() - peak
    altered = tuple(
        path.name
        for path, content in written.items()
        if not path.is_file() or path.is_symlink() or path.read_bytes() != content
    )
    return Ended(code, out, err, cpu_s, grown_mib, altered)


def faults(case: Case, ended: Ended) -> Iterator[str]:
    """List the promises that a run broke."""
    if ended.code not in (0, 1, 2) or "Traceback" in ended.err:
        yield f"exit code {ended.code}: {_raised(ended.err)}"
    if "Warning" in ended.err:
        yield "a warning of a library"
    if any(ord(sign) < ord(" ") and sign not in "\n\t\r" for sign in ended.out + ended.err):
        yield "a control character on the terminal"
    if ended.cpu_s > CPU_S:
        yield f"{ended.cpu_s:.0f} CPU seconds"
    if ended.altered:
        yield f"{', '.join(ended.altered)} was altered"
    if ended.grown_mib > PEAK_MIB:
        yield f"{ended.grown_mib:.0f} MiB"
    if ended.code and not ended.err.strip() and not ended.out.strip():
        yield "it failed without a word"
    elif "--json" in case.arguments:
        yield from _json_faults(ended)


def _raised(err: str) -> str:
    """Return where in the project an exception was raised, and its line."""
    places = re.findall(r'File ".*?(fabricgen/[^"]*)", line (\d+)', err)
    lines = [
        line
        for line in err.splitlines()
        if re.match(r"[\w.]+(Error|Exception|Warning|Interrupt)\b", line)
    ]
    place = ":".join(places[-1]) if places else "nowhere"
    return f"{place} {lines[-1][:200] if lines else ''}".strip()


def _json_faults(ended: Ended) -> Iterator[str]:
    """List the errors of one JSON document on stdout."""
    try:
        document = json.loads(ended.out)
    except ValueError as error:
        yield f"stdout is not one JSON document: {error}"
        return
    if not isinstance(document, dict):
        yield "the JSON document is not an object"
    elif document.get("ok") is not (ended.code == 0) or document["ok"] is bool(
        document["findings"]
    ):
        yield f"`ok` and `findings` do not agree with exit code {ended.code}"


def _cpu_s() -> float:
    """Return the CPU seconds of this process and of those that it waited for."""
    return sum(os.times()[:4])


def _peak_mib() -> float:
    """Return the peak memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@contextlib.contextmanager
def _stopped_after(cpu_s: int) -> Iterator[None]:
    """Interrupt a run after so many CPU seconds, so that an endless run does not end the search."""

    def stop(_: int, frame: FrameType | None) -> None:
        where = "nowhere"
        if frame:
            name = frame.f_code.co_filename.removeprefix(f"{ROOT}/")
            where = f"{name}:{frame.f_lineno}"
        raise EndlessError(f"more than {cpu_s} CPU seconds, at {where}")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, cpu_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
