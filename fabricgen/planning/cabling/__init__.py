"""Which part joins which two ports, and its length.

`compatibility` owns what fits two cages, `candidates` the parts for each kind of link, `cable_runs`
and `lengths` the distances, `cages` what shares a cage, `selection` the choice, `trays` what a tray
holds.
"""
