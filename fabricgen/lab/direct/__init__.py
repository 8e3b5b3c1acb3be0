"""Labs of direct rails: each GPU is a router, joined to others by cables alone."""
