"""Tests of `fabricgen.outputs`."""
