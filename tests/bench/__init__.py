"""Speed and memory, measured; `make bench` prints them."""
