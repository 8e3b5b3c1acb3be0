"""Tests of `fabricgen.views`."""
