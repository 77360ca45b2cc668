"""Inputs that nobody would think of: parsers, the command line, and random kernels.

A small sample runs with the other tests; `make fuzz` throws a hundred thousand::

    python -m tests.fuzz --inputs 100000 --seed 7
    python -m tests.fuzz --inputs 5000 --only kernels
"""
