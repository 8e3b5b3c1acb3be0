"""Tests of direct rails."""
