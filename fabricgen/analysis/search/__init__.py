"""The cheapest designs of a cluster, out of all that are on offer.

`space` owns what is tried, `sizing` the parts by counts alone, `failing` the worst single failure,
`judging` the figures of a candidate and the limits, `pareto` which candidates are worth showing,
`choosing` the search itself, and `telling` its answer as JSON.

Nothing optimal is lost, by three facts. Every candidate is drafted, which is all of planning but
names and wires, and its figures are those that its plan would have. What is left out is refused,
beyond a limit, or no better in any figure than another that is kept. And whatever is shown is
planned in full; one that then proves impossible is struck out, and the rest is compared anew.
"""
