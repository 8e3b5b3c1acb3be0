"""Tests of `fabricgen.build.write`."""
