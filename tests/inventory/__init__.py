"""Tests of `fabricgen.inventory`."""
