"""What follows from a plan: graph, forwarding, the laws, impact of failures, communicators, workload, search.

`graph` is the only user of networkx. Nothing here changes a plan or writes a file.
"""
