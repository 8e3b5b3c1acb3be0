"""Tests of `fabricgen.bom`."""
