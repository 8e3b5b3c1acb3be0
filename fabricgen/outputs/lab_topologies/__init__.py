"""Topologies for containerlab, netlab and the like.

`build` makes them, and `view` is what templates see.
"""
