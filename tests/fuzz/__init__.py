"""Random search for faults. `make fuzz SEED=… SECONDS=…` runs it, and no test does.

A campaign draws cases with hypothesis. A case is files and one command line, so that a find is
saved in `found/` and is run again by `tests/test_fuzz.py` from then on.
"""
