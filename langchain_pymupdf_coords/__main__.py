"""The command line: ``python -m langchain_pymupdf_coords --help``."""

import sys

from langchain_pymupdf_coords.command_line import main

if __name__ == "__main__":
    sys.exit(main())
