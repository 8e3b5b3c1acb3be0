"""Plans with one injected fault each, and the law that it violates.

`plans` holds the correct plans, `breaking` the ways to change evidence, `table` every mutation;
each other module has the mutations of some laws.
"""
