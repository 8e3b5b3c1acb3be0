"""What technicians work from: bundles, the order of pulling, sheets and elevations.

`bundles` owns what is pulled together, `dependency_cycles` and `pull_order` the order, `faceplate`
the cages and the order of plugging, `pull_sheets`, `progress`, `host_lists`, `elevations`
and `port_maps` the pages, `power_cords` the list of power cords, `view` and `picture_view` what
templates see, `chips` the colours.
"""
