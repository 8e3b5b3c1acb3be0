"""The fabric as data-centre databases and other planners hold it.

`devices` owns sites, racks, devices and interfaces, `cables` the cables, `wiring_lists` the formats
of Hedgehog and NVIDIA, and `view` what templates see.
"""
