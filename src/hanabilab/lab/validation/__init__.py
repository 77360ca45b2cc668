"""Check whether a strategy can be trusted: its promises, tested by playing it in every way."""
