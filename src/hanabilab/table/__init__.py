"""A single game: the game itself, the loop that plays it, its seats, and explanations."""
