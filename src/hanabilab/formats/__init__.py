"""All parsing and printing."""
