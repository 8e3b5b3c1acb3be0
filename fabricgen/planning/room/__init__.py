"""The place of every device.

`footprints` owns the space a device takes, `place_names` the names of places, `positions_csv` and
`stated_positions` the table of an inventory, `rack_placement` the rule with `rack_capacity`,
`switch_order` and `rack_grid`, `rack_expansion` new devices beside existing ones, `room_positions`
the choice among them, and `room` the result.
"""
