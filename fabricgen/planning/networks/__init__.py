"""Who has ports on a network beside the compute fabric, and which of its leaves serve them."""
