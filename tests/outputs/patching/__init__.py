"""Tests of `fabricgen.outputs.patching`."""
