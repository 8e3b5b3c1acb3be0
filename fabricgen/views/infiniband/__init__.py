"""The InfiniBand subnets of a plan: `build` makes them, and `view` is what templates see."""
