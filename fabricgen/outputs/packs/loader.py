"""Finding and reading the files of templates, in the order of `packs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jinja2 import BaseLoader, Environment, TemplateNotFound, TemplateSyntaxError
from jinja2.loaders import split_template_path
from jinja2.meta import find_referenced_templates

from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.core.files import FileError, read_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MOST_BYTES = 2**18
"""The largest template; a template is a section of a document."""


class Loader(BaseLoader):
    """A reader of templates; `find` returns the file of a path, or None."""

    def __init__(self, find: Callable[..., Path | None]) -> None:
        """Keep the function that finds a file."""
        self._find = find

    def get_source(self, environment: Any, template: str) -> tuple[str, str, None]:  # noqa: ANN401, ARG002 - the signature is that of Jinja
        """Return a template's text and path.

        Raises Refusal if it is not text, too large, or reached through a link that leaves its pack.
        """
        path = self._find(*split_template_path(template))
        if path is None:
            raise TemplateNotFound(template)
        try:
            return read_text(path, MOST_BYTES), str(path), None
        except FileError as error:
            raise Refusal(
                [Finding("bad-template", f"{template} {error.fact}", hint=error.hint)]
            ) from None


def included(template: str, find: Callable[..., Path | None]) -> list[str]:
    """List the templates that a template includes, imports or extends, directly or not, in order.

    Left out are names that a template computes, and files that cannot be read or parsed, whose
    rendering is refused with a better reason.
    """
    found, waiting = dict[str, None](), [template]
    while waiting:
        name = waiting.pop()
        path = find(*split_template_path(name))
        if name in found or path is None:
            continue
        found[name] = None
        waiting += reversed([word for word in references(path) if word])
    return list(found)[1:]


def references(path: Path) -> list[str | None]:
    """List the templates that a file includes, imports or extends; None for a computed name.

    A file that cannot be read or parsed has none: the refusal at its rendering is more precise.
    Raises Refusal `bad-template` for any other fault, such as brackets that nest too deeply.
    """
    try:
        tree = Environment(autoescape=True).parse(read_text(path, MOST_BYTES))
        return [*find_referenced_templates(tree)]
    except (FileError, TemplateSyntaxError):
        return []
    except Exception as error:
        fact = f"{path.parent.name}/{path.name}: {str(error) or type(error).__name__}"
        raise Refusal([Finding("bad-template", fact)]) from error
