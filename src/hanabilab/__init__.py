"""The laboratory for the cooperative card game Hanabi."""

__version__ = "0.1.0"
