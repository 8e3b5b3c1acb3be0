"""The bill divided by role, rack and phase, and what rail-only saves.

`breakdown` owns the divisions, `cluster_racks` the racks with those of all networks, `savings` the
comparison in sentences, `build` the sums, and `view` what templates see.
"""
