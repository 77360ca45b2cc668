"""The web page: a local server, its protocol, and what it serves."""
