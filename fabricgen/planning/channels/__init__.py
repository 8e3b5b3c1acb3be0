"""Structured cabling: the panels, trunks and jumpers that links run through.

`plan` shows the steps in order: `parts` chooses the hardware, `ends` and `panel_racks` the panels
of each end, `trunk_routes` sizes the trunks, `trunks` and `panels` place them, `patch_ends`
measures the jumpers, and `verification` refuses channels by `polarity` and `loss`.
"""
