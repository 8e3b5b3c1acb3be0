"""Tests of diff, growth and what becomes of a fabric that stands."""
