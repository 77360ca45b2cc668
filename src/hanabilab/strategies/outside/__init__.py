"""Players from outside the package: recognised, imported from files, offered by packages."""
