"""Labs of the networks beside the compute fabric, with the hosts and devices that are on them."""
