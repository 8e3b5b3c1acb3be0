"""The steps and results of a lab, as lines while it runs, or as one JSON document at its end."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

from fabricgen.cli.printing import echo, print_document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabricgen.core.diagnostics import Finding

    Emit = Callable[[dict[str, Any]], None]

SHOWN = 5
"""Findings of a trial that are printed."""


@contextlib.contextmanager
def printed_steps(*, as_json: bool) -> Iterator[Emit]:
    """Yield a function that prints each step: as lines, or as one JSON document at the end."""
    messages: list[dict[str, Any]] = []

    def emit(document: dict[str, Any]) -> None:
        messages.append(document)
        if "fault" in document:
            echo(f"the lab failed to answer: {document['fault']}", err=True)
        elif "done" in document:
            if sys.stderr.isatty():
                echo(
                    f"\r{document['done']} of {document['total']}\r",
                    nl=False,
                    err=True,
                    cleaned=True,
                )
        elif not as_json and (line := _message_text(document)):
            echo(line)

    yield emit
    if as_json:
        steps = [document for document in messages if "step" in document]
        trials = [document for document in messages if "title" in document]
        print_document({"steps": steps, "trials": trials}, _findings(messages))


def _findings(messages: list[dict[str, Any]]) -> Iterator[Finding]:
    """Yield a finding for each fault of a lab and for each finding of a trial that failed."""
    from fabricgen.core.diagnostics import Finding

    for message in messages:
        if "fault" in message:
            yield Finding("fault", f"the lab failed to answer: {message['fault']}")
        elif not message.get("ok", True):
            because = (f"{message['title']}: {message['figure']}",)
            for fact in message["findings"] or because:
                yield Finding(message["code"], fact, because=because)


def _message_text(document: dict[str, Any]) -> str:
    """Lay out one message."""
    if "title" in document:
        return _trial_text(document)
    return (
        f"{document['seconds']:6.2f} s  {document['step']}"
        if "step" in document
        else str(document.get("text", ""))
    )


def _trial_text(trial: dict[str, Any]) -> str:
    """Lay out the result of a trial with its first findings."""
    lines = [f"{'ok' if trial['ok'] else 'FAILED':<8}{trial['title']:<40}{trial['figure']}"]
    lines += [f"          {finding}" for finding in trial["findings"][:SHOWN]]
    more = len(trial["findings"]) - SHOWN
    return "\n".join([*lines, f"          and {more} more"] if more > 0 else lines)
