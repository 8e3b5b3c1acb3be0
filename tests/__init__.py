"""The tests. Their folders are those of the package; what tests the whole project is at the top."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
"""The checkout."""
