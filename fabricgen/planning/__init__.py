"""From an inventory and the catalog to a plan: resolve, size, map, name, address, place, wire, cable.

`plan` calls these steps in order. A plan is one immutable value, complete when it is returned.
"""
