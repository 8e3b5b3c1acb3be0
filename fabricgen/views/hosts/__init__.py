"""What hosts and their GPUs are told: addresses, routes, and the settings of NCCL.

`nccl` owns the settings and their reasons, `viewing` everything else, and `views` what templates see.
"""
