"""Tests of the report: its documents, its bundle, and the page in a browser."""
