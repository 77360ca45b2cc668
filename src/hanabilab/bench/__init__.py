"""Benchmarks of the package, and of other programs where they are installed."""
