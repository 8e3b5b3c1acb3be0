"""A cable and its two ends: `build` makes each `view`; `columns` and `labels` show them."""
