"""A cable and its two ends: `build` makes the views, `columns` are those of the sheet, `labels` what is printed."""
