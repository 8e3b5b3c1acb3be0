"""Readers of each NOS's configuration, independent of the plan, and checks against its vendor's models."""
