"""Addresses, routes and NCCL settings of hosts and their GPUs.

`nccl` owns the settings and their reasons, `build` everything else, and `view` what templates see.
"""
