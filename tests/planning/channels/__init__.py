"""Tests of `fabricgen.planning.channels`."""
