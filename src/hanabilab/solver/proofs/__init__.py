"""Certificates of loss: what they say, and how to check them from the deck alone."""
