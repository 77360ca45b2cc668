"""What several strategies share: hat guessing, knowledge of their own hands, explanations."""
