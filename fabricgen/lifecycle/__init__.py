"""What happens to a fabric after its first plan: `change` (growth, diff, phases, import) and `audit` (as built)."""
