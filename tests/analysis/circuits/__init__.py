"""Circuits of rails of light."""
