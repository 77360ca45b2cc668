"""Open games in numbers: decks solved, games analysed, winnable decks counted."""
