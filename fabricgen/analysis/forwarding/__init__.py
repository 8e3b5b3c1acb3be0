"""How packets get from any GPU to any other: paths, relays through HB domains, tables, failures.

Rails never meet in a rail-only network, and still every GPU reaches every other: a packet for
another rail makes a hop inside an HB domain first, or last. `relay_rules` owns the rules,
`failures` the names of failed parts, `reachability` what still works in a block, `path_selection`
the path between two GPUs, `paths` its hops, and `tables` the forwarding tables as documents.
"""
