"""The only writer: whole directories, archives and files, or nothing.

`directory` owns how a directory replaces another, `archive` the same as one file, `single_file` how
a file replaces a file, `partial` the place where all are prepared and what a killed process left
there, `files` the files below a root, `manifest` their list, `changes` the differences between a
manifest and a directory, and `verification` the check of a directory or an archive.
"""
