"""The machinery below the game: kernels, records, bits, random numbers; nothing about Hanabi."""
