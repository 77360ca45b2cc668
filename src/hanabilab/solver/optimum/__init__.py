"""The exact optimum of small games with hidden cards."""
