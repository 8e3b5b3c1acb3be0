"""What schedulers and automation read.

`build` computes stripes and HB domains in their terms, `hostlists` the short form of host names,
and `view` is what templates see.
"""
