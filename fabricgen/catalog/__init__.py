"""Hardware, prices and workloads: `catalog` finds files, `models` define them, `importers` convert.

The importers read other projects' descriptions of switches.
"""
