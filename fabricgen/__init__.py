"""fabricgen: a compiler from one YAML inventory to a complete GPU training fabric.

This package root owns the version and nothing else; programs import from `fabricgen.api`.
"""

__version__ = "0.1.0"
