"""`python -m hanabilab` is the command `hanabilab`."""

import sys

from hanabilab.cli import main

sys.exit(main())
