"""The lab: boots the emitted files on one Linux machine, without containers and without root.

A network namespace for each switch, each GPU and each HB domain (a bridge between its GPUs), a veth
pair for each cable, FRR in each switch. `topology` defines the contents of a lab, `namespaces`
wraps the kernel, `boot` starts a lab, `frr` runs the routing daemons, `probes` sends packets,
`verify` holds the trials, `registry` the labs in the background.
"""
