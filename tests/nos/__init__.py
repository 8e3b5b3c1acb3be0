"""Readers of each NOS's configuration, and checks against its vendor's models.

The readers know nothing of the plan.
"""
