"""Tests of `fabricgen.lifecycle.change`."""
