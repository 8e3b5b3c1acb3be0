"""What switches boot from: DHCP servers and a web root.

`macs_csv` reads what identifies switches, `build` makes the view, and `view` is what templates see.
"""
