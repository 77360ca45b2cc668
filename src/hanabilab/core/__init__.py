"""Infrastructure below the game: kernels, records, bit sets and random numbers."""
