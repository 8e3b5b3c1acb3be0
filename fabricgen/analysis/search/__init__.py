"""The cheapest designs of a cluster among all that are on offer, and cheaper rails for a plan.

`candidates` owns what is tried, `pool` which of it is sized and which is scored, `bounds` the least
that the figures of a fabric can be, `part_counts` the parts by counts alone, `worst_failure` the
worst single failure, `score` the figures of a candidate and the limits, `pareto` which candidates
are worth showing, `search` the search itself, and `result` its JSON. `cheaper` compares a plan with
other rails of the same cluster.

No optimal design is lost, for three reasons. Every candidate is sized. A candidate is left out only
if it is refused, exceeds a limit, or if another one is no worse than its least figures and better
in one; the figures of all others are those of their plans. And every row of the table is planned in
full; one that then proves impossible is removed, and the others are compared again.
"""
