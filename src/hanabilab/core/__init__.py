"""The machinery below the game: kernels, records, bits, random numbers. No Hanabi in here."""
