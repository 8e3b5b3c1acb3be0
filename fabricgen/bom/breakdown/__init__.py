"""The bill divided by role, rack and phase, and what rail-only saves.

`breakdown` owns the divisions, `savings` the comparison in sentences, `build` the sums, and `view`
what templates see.
"""
