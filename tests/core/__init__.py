"""Tests of `fabricgen.core`."""
