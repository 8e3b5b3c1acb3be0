"""The InfiniBand subnets of a plan: `viewing` makes them, and `views` is what templates see."""
