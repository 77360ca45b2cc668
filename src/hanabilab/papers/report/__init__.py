"""The report on the papers: findings, figures and sections as a page or on a terminal."""
