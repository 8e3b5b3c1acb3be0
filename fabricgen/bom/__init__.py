"""What must be bought, what it costs, and its power, heat, weight and rack units.

`counts` owns the quantities, `pricing` the prices, `bill` the one list of parts, `loads` power,
heat, weight and rack units, `summary` the figures of a plan, and `tables` the views of all of it.
"""
