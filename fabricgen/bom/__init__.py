"""What must be bought, what it costs and what it asks of the room.

`tallying` owns the counts, `pricing` the prices, `bill` the one list of parts, and `loads` power, heat, weight and rack units.
"""
