"""The pydantic models of catalog files: switches, hosts, accelerators, NICs, optics, prices, workloads.

Owns the shape of each kind of file and the facts of one file that contradict each other. The
directories, shadowing and refusals of bad files belong to `catalog.catalog`.

Each fact has its source in its file; a fact that could not be verified is listed under
`unverified`.
"""
