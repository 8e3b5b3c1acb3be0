"""Tests of `fabricgen.planning.cabling`."""
