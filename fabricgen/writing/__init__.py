"""The only writer: whole directories and files, or nothing.

`directory` owns how a directory replaces another, `single_file` how a file does, `partial` where both are made until then and what
a killed process left there, `files` the files below a root, `manifest` their list, and `changes` what differs from it.
"""

from fabricgen.writing.changes import Changes
from fabricgen.writing.directory import check_target, staging
from fabricgen.writing.files import adopt, reserve, write_manifest, write_text
from fabricgen.writing.manifest import FORMAT, MANIFEST, Written, json_document
from fabricgen.writing.single_file import check_file, write_file

__all__ = [
    "FORMAT", "MANIFEST", "Changes", "Written", "adopt", "check_file", "check_target", "json_document", "reserve", "staging", "write_file",
    "write_manifest", "write_text",
]  # fmt: skip
