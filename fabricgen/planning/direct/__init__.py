"""Rails without switches: the graph of the GPUs of a rail, and its links."""
