"""The last resort: the rest of a game as a formula for a SAT solver."""
