"""Who plays the pieces of a run: threads, processes of this machine, or a cluster."""
