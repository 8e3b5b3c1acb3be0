"""What an expansion keeps of an existing plan.

`baseline` owns the addresses, names and cables that stay, `expansion_stages` the numbers of
switches, `rack_positions` the racks, and `run_length` the form of columns in a plan file.
"""
