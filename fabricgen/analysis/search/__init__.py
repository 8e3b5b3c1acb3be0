"""The cheapest designs of a cluster among all that are on offer.

`candidates` owns what is tried, `part_counts` the parts by counts alone, `worst_failure` the worst
single failure, `score` the figures of a candidate and the limits, `pareto` which candidates are
worth showing, `search` the search itself, and `result` its JSON.

No optimal design is lost, for three reasons. Every candidate is drafted, which is all of planning
except names and wires, and its figures are those of its plan. A candidate is left out only if it is
refused, exceeds a limit, or is no better in any figure than another that is kept. And every result
is planned in full; one that then proves impossible is removed, and the others are compared again.
"""
