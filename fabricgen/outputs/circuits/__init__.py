"""Files of circuits: ports, configurations, and the commands that set them."""
