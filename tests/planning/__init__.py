"""Tests of `fabricgen.planning`."""
