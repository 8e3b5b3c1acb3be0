"""The test suite: a package, so that `python -m tests.bench` runs and two directories may hold files of the same name."""
