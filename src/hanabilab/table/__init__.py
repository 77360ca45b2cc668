"""One game at a table: the game, the loop that plays it, its seats, and why players acted."""
