"""The lab: the emitted files, booted on one Linux machine without containers and without root.

A network namespace for each switch, each GPU and each HB domain (a bridge between its GPUs), a veth pair for each cable, FRR in each
switch. `layout` says what stands in a lab, `kernel` asks for it, `booting` makes it, `daemons` runs the routing, `probing` sends packets,
`trials` judges what comes of it, `keeping` holds a lab up in the background.
"""
