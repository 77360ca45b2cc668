"""What several strategies share: hats, hint sets, a look at one's own hand, explanations."""
