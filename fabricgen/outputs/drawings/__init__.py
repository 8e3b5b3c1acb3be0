"""Drawings of rails and stripes: what stands in them, where, and what their templates see."""
