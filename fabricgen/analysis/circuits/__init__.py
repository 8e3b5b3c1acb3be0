"""Circuits of rails of light: which ports are joined in each phase of training.

`matchings` has the rounds of each collective, `schedule` the configurations of a job, `reach` the
pairs that they join, `times` what a collective takes, and `port_map` the ports of each box.
"""
