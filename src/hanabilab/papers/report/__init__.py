"""The report on the papers, as a page of HTML or on the terminal."""
