"""Operating a planned fabric: `change` (growth, diff, phases, import) and `audit` (as built)."""
