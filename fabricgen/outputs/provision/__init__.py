"""What switches boot from: DHCP servers and a web root.

`macs_csv` reads the MAC addresses, `build` makes the view, and `view` is what templates see.
"""
