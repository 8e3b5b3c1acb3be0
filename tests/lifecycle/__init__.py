"""Tests of `fabricgen.lifecycle`."""
