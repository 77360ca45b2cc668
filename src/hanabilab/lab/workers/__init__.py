"""Executors for the chunks of a run: threads, processes of this machine, or a Dask cluster."""
