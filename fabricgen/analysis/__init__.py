"""What follows from a plan: graph, forwarding, laws, impact of failures, communicators, workload.

`search` compares whole designs. `graph` is the only user of networkx. No module here changes a plan
or writes a file.
"""
