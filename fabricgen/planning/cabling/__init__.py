"""Which part joins which two ports, and its length.

`compatibility` owns what fits two cages, `link_cages` the cages of each kind of link, `candidates`
its parts, `candidate_order` which comes first, `alternatives` what else would do, `cable_runs` and
`lengths` the distances, `cages` what shares a cage, `selection` the choice, `label_format` the
labels, `trays` what a tray holds.
"""
