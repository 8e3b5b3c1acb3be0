"""Tests of `fabricgen.outputs.packs`."""
