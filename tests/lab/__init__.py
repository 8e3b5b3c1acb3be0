"""The lab for real: FRR in network namespaces. Skipped with a reason where the machine cannot; FABRICGEN_LAB=require makes that a failure."""
