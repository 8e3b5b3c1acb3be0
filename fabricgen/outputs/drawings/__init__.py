"""Drawings of rails and stripes.

`build` selects what they show, `layout` places it, and `view` is what templates see.
"""
