"""The solver's compiled search: positions in short, beams, exhaustive search, proofs of loss."""
