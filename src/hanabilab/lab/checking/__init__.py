"""Whether a strategy can be trusted: legal, repeatable, blind to hidden cards, well compiled."""
