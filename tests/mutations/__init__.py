"""Plans that are broken on purpose, one fault each, and the law that must object to it.

`plans` holds the sound plans, `breaking` the ways to put something broken into evidence, `table`
every mutation.
"""
