"""Where everything stands.

`footprints` owns what a device takes, `positions` the table of an inventory, `racking` the rule, `filling` what is new beside what stands,
and `room` the answer.
"""
