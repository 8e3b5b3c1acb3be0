"""Which part joins which two ports, and how long it is.

`plugging` owns what fits two cages, `offers` the parts for each kind of link, `ways` and `lengths` how far it is, `cages` what shares one,
`outfitting` the choice, and `trays` what lies in them.
"""
