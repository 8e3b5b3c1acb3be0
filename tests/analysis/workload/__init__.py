"""Tests of `fabricgen.analysis.workload`."""
