"""Tests of `fabricgen.cli`."""
