"""The playbooks that load configurations onto switches: `build` makes the view of `view`."""
