"""The report on the reproduced papers, as an HTML page or on the terminal."""
