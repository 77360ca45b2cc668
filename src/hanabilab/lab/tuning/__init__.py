"""Search for the options with which a strategy plays best."""
