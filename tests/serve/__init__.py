"""Tests of `fabricgen.serve`."""
