"""Tests of `fabricgen.analysis`."""
