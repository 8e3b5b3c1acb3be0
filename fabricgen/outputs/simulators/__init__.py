"""What network simulators read: `build` makes it, and `view` is what templates see."""
