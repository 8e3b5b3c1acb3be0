"""The foundation of every package: diagnostics, terms, arrays, files, YAML and CSV text.

It knows nothing of fabrics.
"""
