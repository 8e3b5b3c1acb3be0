"""The only writer: whole directories, archives and files, or nothing.

`directory` owns how a directory replaces another, `archive` the same as one file, `single_file` how a file replaces a file, `partial`
where all are made until then and what a killed process left there, `files` the files below a root, `manifest` their list, `changes`
what in a directory differs from it, and `verification` asks that of a directory or an archive.
"""

from fabricgen.writing.archive import KINDS, Archive, archiving, check_archive, kind_of
from fabricgen.writing.changes import Changes
from fabricgen.writing.directory import Tree, check_target, staging
from fabricgen.writing.files import Root, adopt, reserve, write_manifest, write_text
from fabricgen.writing.manifest import FORMAT, MANIFEST, Written, json_document
from fabricgen.writing.single_file import check_file, write_file
from fabricgen.writing.verification import verify

__all__ = [
    "FORMAT", "KINDS", "MANIFEST", "Archive", "Changes", "Root", "Tree", "Written", "adopt", "archiving", "check_archive", "check_file", "check_target",
    "json_document", "kind_of", "reserve", "staging", "verify", "write_file", "write_manifest", "write_text",
]  # fmt: skip
