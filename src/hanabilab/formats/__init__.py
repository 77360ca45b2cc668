"""Parsing and printing: cards, decks, actions, games and boards, as text, JSON or pictures."""
