"""Questions that the pages ask, answered in threads and within limits."""
