"""The place of every device.

`footprints` owns the space a device takes, `positions_csv` the table of an inventory,
`rack_placement` the rule, `rack_expansion` new devices beside existing ones, and `room` the result.
"""
