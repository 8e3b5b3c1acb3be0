"""As-built against as-planned: readers on recorded output, faults injected by the thousand, and minimality against an exhaustive search."""
