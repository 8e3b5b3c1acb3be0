"""The fabric as databases of a data centre and other planners hold it.

`assets` owns sites, racks, devices and interfaces, `pieces` the cables, `wire_lists` what Hedgehog and NVIDIA read, and `views` their shapes.
"""
