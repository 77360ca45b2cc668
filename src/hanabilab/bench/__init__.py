"""Benchmarks: how fast the laboratory is, beside other programs where they are installed."""
