"""What a file can cost: every file of a stranger is answered within 5 seconds and 1 GiB."""
