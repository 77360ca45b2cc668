"""Inputs that nobody would think of: every parser, and the command line as a whole.

A small sample runs with the other tests; `make fuzz` throws a hundred thousand::

    python -m tests.fuzz --inputs 100000 --seed 7
"""
