"""Tests of `fabricgen.lifecycle.audit`."""
