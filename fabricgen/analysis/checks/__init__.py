"""The laws that every plan satisfies, each with its figure and its violations.

Owns the list of laws and their order. A law is a small function from `Evidence` to a `Verdict`: it
measures the links of the whole fabric, the names, the addresses and the outputs by means other
than those that made them. `law` defines what a law is, and `evidence` what it examines.
"""
