"""A switch and its ports: `ports` owns what all switches of a role share, `build` makes the views, `view` is their shape."""
