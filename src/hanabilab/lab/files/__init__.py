"""Results on disk: every game as a row, tables that survive being killed, links to games."""
