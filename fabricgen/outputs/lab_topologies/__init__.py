"""Topologies for containerlab, netlab and the like: `build` makes them, `view` is what templates see."""
