"""Kernels from outside the package: what they reach, and why they cannot be compiled."""
