"""Questions that a page asks: what each kind answers, in threads and within limits."""
