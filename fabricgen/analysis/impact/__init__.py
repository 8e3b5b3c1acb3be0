"""What is lost when something fails: GPUs, bandwidth, ways, and the load on the relays that take over.

`living` owns what lives, `counting` how many pairs are joined, `choosing` and `loading` who relays, `capacity` the bandwidth, `measuring` the
figures. `ranking` measures every kind of part, and `comparing` the part of another design that corresponds.
"""

from fabricgen.analysis.impact.measure import impact, measure

__all__ = ["impact", "measure"]
