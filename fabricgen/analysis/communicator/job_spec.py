"""A job's GPUs: from the words of a user, and back.

Owns the syntax: words separated by commas. `d3` is a whole HB domain, `d0-g5` a GPU, a host's name
all GPUs of the host; `d0..d15`, `d0-g0..d0-g7` and `host-01..host-04` are ranges, `d0-d15` too;
`@FILE` is the words in a file. `placement` checks whether the job is a legal one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.forwarding.failures import find_gpu
from fabricgen.core.diagnostics import Finding, Place, Refusal, refuse, suggest
from fabricgen.core.files import FileError, OpenError, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.arrays import Int32Array
    from fabricgen.planning.plan import Plan

LARGEST_FILE_BYTES = 64 * 2**20
"""The longest job, in characters: a job of a million GPUs, each by its name, takes a sixth."""

_WORD = re.compile(r"[^\s,]+")

LIKELY = 4096
"""Hosts that a mistyped name is compared with."""


def find_job(plan: Plan, job: str) -> Int32Array:
    """Return the GPUs of a job in order, counted over all domains.

    Raises Refusal `bad-job` or `unknown-gpu`.
    """
    reader = _Reader(plan)
    words = list(_words(job))
    runs = [_located(reader, word, place) for word, place in words]
    gpus = (
        np.sort(np.concatenate([np.arange(*run, dtype=np.int32) for run in runs]))
        if runs
        else np.zeros(0, dtype=np.int32)
    )
    if not len(gpus):
        raise refuse(
            "bad-job",
            "the job has no GPU",
            hint="name HB domains, GPUs or hosts, like `d0-d15` or `d0-g0,d1-g0`",
        )
    twice = gpus[1:][gpus[1:] == gpus[:-1]]
    if len(twice):
        name = plan.fabric.coordinates.name(int(twice[0]))
        because = (f"GPUs that it names again: {len(twice)}",)
        again = [
            place
            for (begin, end), (_, place) in zip(runs, words, strict=True)
            if begin <= twice[0] < end
        ][1]
        fact, hint = f"GPU `{name}` is in the job twice", "name every GPU once"
        raise Refusal([Finding("bad-job", fact, because=because, hint=hint, place=again)])
    return gpus


def _located(reader: _Reader, word: str, place: Place | None) -> tuple[int, int]:
    """Return the GPUs of `reader.run`; a refusal has the place of the word."""
    try:
        return reader.run(word)
    except Refusal as refusal:
        placed = (replace(finding, place=place) for finding in refusal.findings)
        raise Refusal(placed, refusal.more) from None


def _words(job: str) -> Iterator[tuple[str, Place | None]]:
    """Split a job into words, those of a file with their places; `#` begins a comment in a file."""
    for part in job.split(","):
        word = part.strip()
        if word.startswith("@"):
            yield from _words_of_file(word[1:])
        elif word:
            yield word, None


def _words_of_file(name: str) -> Iterator[tuple[str, Place]]:
    """Yield the words of a file, each with its line and column."""
    for number, line in enumerate(_text(name).splitlines(), start=1):
        for found in _WORD.finditer(line.partition("#")[0]):
            yield found[0], Place(name, number, found.start() + 1)


def _text(name: str) -> str:
    """Read the file of a job."""
    try:
        return read_text(name, LARGEST_FILE_BYTES)
    except FileError as error:
        why = error.reason.lower() if isinstance(error, OpenError) else f"it {error.fact}"
        place = Place(name, error.line, error.column) if error.line else None
    fact, hint = (
        f"cannot read a job from `{name}`",
        "`@FILE` takes the path of a text file that names GPUs",
    )
    raise Refusal([Finding("bad-job", fact, because=(why,), hint=hint, place=place)])


@dataclass(frozen=True)
class _Reader:
    """The GPUs that words select in a plan."""

    plan: Plan

    def run(self, word: str) -> tuple[int, int]:
        """Return the first GPU of a word, and the one after its last."""
        domains = re.fullmatch(r"(d\d+)-(d\d+)", word)
        first, dots, last = (domains[1], "..", domains[2]) if domains else word.partition("..")
        begin, end = self._one(first)
        if not dots:
            return begin, end
        other, after = self._one(last)
        if other < begin or after - other != end - begin:
            hint = (
                f"write `{last}..{first}`"
                if after - other == end - begin
                else "let both ends be GPUs, both domains, or both hosts"
            )
            because = (
                (
                    f"`{first}` begins with GPU {begin} of the fabric, and `{last}` ends with GPU"
                    f" {after - 1}"
                ),
            )
            raise refuse("bad-job", f"`{word}` is no range", because=because, hint=hint)
        return begin, after

    def _one(self, word: str) -> tuple[int, int]:
        """Return the GPUs of a GPU, a domain or a host."""
        coordinates = self.plan.fabric.coordinates
        if re.fullmatch(r"d\d+-g\d+", word):
            gpu = find_gpu(self.plan, word)
            return gpu, gpu + 1
        last = coordinates.domains - 1
        if re.fullmatch(r"d(0|[1-9]\d{0,8})", word):
            if int(word[1:]) > last:
                raise refuse(
                    "bad-job",
                    f"there is no HB domain `{word}`",
                    because=(f"they go from d0 to d{last}",),
                    hint=f"the last one is `d{last}`",
                )
            gpus = coordinates.domain_range(int(word[1:]))
            return gpus.start, gpus.stop
        if word not in self._hosts:
            hint = suggest(
                word,
                self.plan.hosts[:LIKELY],
                "write `d0` for an HB domain, `d0-g0` for a GPU, or a host like"
                f" `{self.plan.hosts[0]}`",
            )
            raise refuse(
                "bad-job", f"`{word}` is no HB domain, GPU or host of this fabric", hint=hint
            )
        gpus = coordinates.host_range(self._hosts[word])
        return gpus.start, gpus.stop

    @cached_property
    def _hosts(self) -> dict[str, int]:
        """The number of each host, by name."""
        return {name: number for number, name in enumerate(self.plan.hosts)}


def job_text(plan: Plan, gpus: Int32Array) -> str:
    """Return a job in few words of `find_job`: runs of domains, and runs of GPUs within one.

    `gpus` are in order.
    """
    coordinates = plan.fabric.coordinates
    domain, count = np.unique(coordinates.domain(gpus), return_counts=True)
    whole = domain[count == coordinates.domain_gpus]
    parts = gpus[~np.isin(coordinates.domain(gpus), whole)]
    runs = [
        (
            coordinates.gpu(int(run[0]), 0),
            f"d{run[0]}" if len(run) == 1 else f"d{run[0]}-d{run[-1]}",
        )
        for run in _runs(whole, whole)
    ]
    for run in _runs(
        parts + coordinates.domain(parts), parts
    ):  # one more for each domain, so that a run ends with its domain
        first, last = (coordinates.name(int(gpu)) for gpu in (run[0], run[-1]))
        runs.append((int(run[0]), first if first == last else f"{first}..{last}"))
    return ",".join(text for _, text in sorted(runs))


def _runs(numbers: Int32Array, things: Int32Array) -> list[Int32Array]:
    """Split things at the gaps of their ascending numbers."""
    return [run for run in np.split(things, np.flatnonzero(np.diff(numbers) > 1) + 1) if len(run)]
