"""Tests of `fabricgen.outputs.installation`."""
