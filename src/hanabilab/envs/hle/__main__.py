"""`python -m hanabilab.envs.hle SCRIPT.py` runs a program written for HLE."""

import sys

from hanabilab.envs.hle.substitution import main

sys.exit(main(sys.argv[1:]))
