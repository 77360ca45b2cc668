"""The solver's compiled search: compact positions, beams, exhaustive search, proofs of loss."""
