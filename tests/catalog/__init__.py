"""Tests of `fabricgen.catalog`."""
