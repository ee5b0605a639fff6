"""``python -m modelcompare``."""

import sys

from modelcompare.cli import main

if __name__ == "__main__":
    sys.exit(main())
