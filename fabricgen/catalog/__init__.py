"""What can be bought: `catalog` finds the files, `models` define what they hold, `importers` convert others' files."""
