"""Drawings of rails and stripes: `build` selects what they show, `layout` places it, `view` is what templates see."""
