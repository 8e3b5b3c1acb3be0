"""The report, served live: a user changes numbers on the page, and the page shows the new plan.

`controls` owns what the controls set in an inventory, `control_panel` what the page shows of them,
`plan_cache` the plans made from it, `worker` a second process that makes long tables, `zip_build` a
whole build as one file, `routes` which address returns what, and `server` the sockets and the
access checks. Pages come from `outputs.report`.
"""
