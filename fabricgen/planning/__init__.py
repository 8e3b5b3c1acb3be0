"""The steps from an inventory and the catalog to a plan.

`plan` calls them in order. A plan is one immutable value, complete when it is returned.
"""
