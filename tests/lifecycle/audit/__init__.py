"""As-built against as-planned: readers on recorded output, and thousands of random faults.

The number of moves is compared with an exhaustive search.
"""
