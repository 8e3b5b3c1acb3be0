"""What must be bought, what it costs, and its power, heat, weight and rack units.

`bill` is the one list of parts, and `priced_bill` makes it, `cluster_bill` with all networks:
`counts` owns the quantities, `pricing` what is paid. `loads` owns power, heat, weight and rack
units, `summary` the figures of a plan, and `bill_table` and `comparison_table` the views.
"""
