"""The lab: boots the emitted files on one Linux machine, without containers and without root.

A network namespace for each switch, each GPU and each HB domain (a bridge between its GPUs), a veth
pair for each cable, FRR in each switch. `topology` owns what a lab consists of, `namespaces` the
kernel's interface, `boot` the start, `frr` the routing daemons, `probes` the packets, `verify` the
trials, `registry` the labs that run in the background.
"""
