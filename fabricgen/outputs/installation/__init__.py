"""What people work from in the machine room: bundles, the order of pulling, sheets and pictures.

`bundling` owns what is pulled together, `knots` and `pulling` the order, `pullsheets` and `elevations` the pages, and `views` what templates see.
"""
