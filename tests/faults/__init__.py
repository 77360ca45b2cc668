"""Commands under kill -9, full disks, limits, two owners, damaged files, odd streams."""
