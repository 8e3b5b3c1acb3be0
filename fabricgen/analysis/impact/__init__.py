"""What a failure costs: GPUs, bandwidth, paths, and the load on the relays that replace paths.

`surviving` owns what still works, `pair_counts` how many pairs are connected, `relay_selection` and
`relay_load` which GPUs relay, `bandwidth` what each GPU loses, `measure` the figures. `ranking`
measures every kind of part, and `compare` the corresponding part of another design.
"""
