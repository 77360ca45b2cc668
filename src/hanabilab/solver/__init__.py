"""Exact answers about open games: whether a deck is winnable, and why it is not."""
