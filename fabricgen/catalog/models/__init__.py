"""The pydantic models of catalog files.

Owns the shape of each kind of file (switches, hosts, accelerators, NICs, optics, prices, workloads)
and the contradictions between facts of one file. `catalog.catalog` owns the directories, the
shadowing and the refusals of bad files.

Each fact has its source in its file; a fact that could not be verified is listed under
`unverified`.
"""
