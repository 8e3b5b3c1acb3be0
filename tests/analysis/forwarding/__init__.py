"""Tests of `fabricgen.analysis.forwarding`."""
