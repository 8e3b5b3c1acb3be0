"""What an expansion keeps of an existing plan.

`baseline` owns the addresses and names that stay, `rack_positions` the racks, and `run_length` the
form of long columns in a plan file.
"""
