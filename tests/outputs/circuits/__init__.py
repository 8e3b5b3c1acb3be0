"""Files of circuits."""
