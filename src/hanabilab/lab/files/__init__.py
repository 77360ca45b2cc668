"""Results on disk: every game as a row, tables that survive a kill, links to games."""
