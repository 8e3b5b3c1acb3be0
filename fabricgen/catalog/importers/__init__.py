"""Other projects' switch descriptions, converted to a catalog file: NetBox, SONiC, Hedgehog.

`detect` tells the three apart, `netbox`, `sonic` and `hedgehog` read one each, `port_names` finds
the rule behind the names of ports, and `draft` makes the file. A fact that the description lacks is
left out, or assumed and marked; both are reported.
"""
