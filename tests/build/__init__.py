"""Tests of `fabricgen.build`."""
