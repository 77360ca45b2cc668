"""Questions that the pages ask, answered in processes and within limits."""
