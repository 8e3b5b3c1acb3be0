"""The bill divided by role, rack and phase, and what rail-only saves, as reports.

`portions` owns the divisions, `savings` the comparison in sentences, `viewing` the sums, and `views` what templates see.
"""
