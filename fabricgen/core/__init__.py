"""What every package builds on: diagnostics, terms, arrays, files, YAML and CSV text with places. Knows nothing of fabrics."""
