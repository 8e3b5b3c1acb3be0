"""The kept bundle of the page.

It is made from these sources, includes licences, and loads nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = ("build.mjs", "package-lock.json", "package.json", "tsconfig.json")
NAMESPACES = re.compile(
    r"http://www\.w3\.org/(1998/Math/MathML|1999/xhtml|1999/xlink|2000/svg|XML/1998/namespace)"
)
"""Addresses of vocabularies, which are never opened."""


@pytest.fixture
def bundle(root: Path) -> Path:
    """Return the directory of the bundle."""
    return root / "fabricgen" / "outputs" / "report" / "page"


def test_the_bundle_was_made_from_these_sources(root: Path, bundle: Path) -> None:
    """The digest of the bundler is that of the sources.

    `make page` was run after the last change.
    """
    web, digest = root / "web", hashlib.sha256()
    sources = [
        *SETTINGS,
        *(path.relative_to(web).as_posix() for path in (web / "src").rglob("*") if path.is_file()),
    ]
    assert len(sources) > len(SETTINGS)
    for source in sorted(sources):
        digest.update(f"{source}\n".encode() + (web / source).read_bytes())
    assert (bundle / "digest.txt").read_text(encoding="utf-8") == f"{digest.hexdigest()}\n"


def test_the_licences_of_bundled_packages_are_included(root: Path, bundle: Path) -> None:
    """Each package that the page needs has its locked version and the text of its licence."""
    packages = json.loads((root / "web" / "package-lock.json").read_text(encoding="utf-8"))[
        "packages"
    ]
    ours = {
        path: package
        for path, package in packages.items()
        if path and not package.get("dev") and not package.get("peer")
    }
    named = {
        f"{path.removeprefix('node_modules/')} {package['version']} ({package['license']})"
        for path, package in ours.items()
    }
    texts = re.split(r"\n-{80}\n\n", (bundle / "licences.txt").read_text(encoding="utf-8"))
    assert {text.partition("\n")[0] for text in texts} == named
    assert all("Permission is hereby granted" in text for text in texts)


def test_the_lock_of_the_page_names_no_local_address(root: Path) -> None:
    """Each package is identified by its digest."""
    packages = json.loads((root / "web" / "package-lock.json").read_text(encoding="utf-8"))[
        "packages"
    ]
    assert [
        path
        for path, package in packages.items()
        if path and not package["integrity"].startswith("sha512-")
    ] == []
    assert [path for path, package in packages.items() if "resolved" in package] == []


@pytest.mark.parametrize("name", ["report.js", "report.css"])
def test_the_bundle_opens_no_address(bundle: Path, name: str) -> None:
    """No script, style, font or map is loaded from an address."""
    text = (bundle / name).read_text(encoding="utf-8")
    assert (
        re.findall(r"(?:https?:|wss?:)?//[\w.-]+\.\w+[^\s\"'`)]*", NAMESPACES.sub("", text)) == []
    )
    assert re.findall(r"@import|url\((?!data:|#)[^)]*\)|sourceMappingURL", text) == []
