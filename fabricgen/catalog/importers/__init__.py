"""Other projects' switch descriptions, converted to a catalog file: NetBox, SONiC, Hedgehog.

`detect` distinguishes the three, `netbox`, `sonic` and `hedgehog` read one each, `port_names`
derives the pattern of port names, and `model_draft` writes the file. A fact that a description
lacks is left out, or assumed and marked; both are reported.
"""
