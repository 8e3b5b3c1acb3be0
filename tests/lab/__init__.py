"""The lab with real FRR in network namespaces.

Tests are skipped with a reason where the machine lacks something; FABRICGEN_LAB=require makes that
a failure.
"""
