"""What network simulators read: `viewing` makes it, and `views` is what templates see."""
