"""Management in a lab: a bridge beside the fabric, over which an operator logs in by SSH."""
