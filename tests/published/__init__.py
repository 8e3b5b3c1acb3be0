"""Published counts, with their addresses, compared with the planner's own."""
