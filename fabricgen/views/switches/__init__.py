"""A switch and its ports: `ports` has what switches of a role share, `build` makes each `view`."""
