"""Counts that others printed, with the address where they stand, against the planner's own."""
