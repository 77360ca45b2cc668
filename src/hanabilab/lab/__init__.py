"""Many games: what comes out."""
