"""The web pages: a local server, its protocol, and the pages themselves."""
