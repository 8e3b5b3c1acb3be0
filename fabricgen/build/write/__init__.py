"""The only writer: whole directories, archives and files, or nothing.

`directory` owns how a directory replaces another, `archive` the same as one file, `single_file` how a file replaces a file, `partial`
where all are made until then and what a killed process left there, `files` the files below a root, `manifest` their list, `changes`
what in a directory differs from it, and `verification` asks that of a directory or an archive.
"""

from fabricgen.build.write.archive import KINDS, Archive, archiving, check_archive, kind_of
from fabricgen.build.write.changes import Changes
from fabricgen.build.write.directory import Tree, check_target, staging
from fabricgen.build.write.files import Root, adopt, reserve, write_manifest, write_text
from fabricgen.build.write.manifest import FORMAT, MANIFEST, Written, json_document
from fabricgen.build.write.single_file import check_file, write_file
from fabricgen.build.write.verification import verify

__all__ = [
    "FORMAT", "KINDS", "MANIFEST", "Archive", "Changes", "Root", "Tree", "Written", "adopt", "archiving", "check_archive", "check_file", "check_target",
    "json_document", "kind_of", "reserve", "staging", "verify", "write_file", "write_manifest", "write_text",
]  # fmt: skip
