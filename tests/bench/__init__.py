"""Speed and memory; `make bench` prints them."""
