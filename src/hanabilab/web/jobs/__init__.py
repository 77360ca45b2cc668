"""Jobs: work that the pages request, run in worker processes and within limits."""
