"""Live tables: people and strategies in their seats, saved after every action."""
