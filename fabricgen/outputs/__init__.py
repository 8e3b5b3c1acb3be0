"""What a plan is rendered into: packs, workbooks, labels, drawings, databases, the report.

Each package makes text or bytes; `build` decides which of them are written where.
"""
