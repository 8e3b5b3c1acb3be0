"""The program as another one of ours starts it: it ends, and cleans up, when that one ends."""

from fabricgen.cli import main
from fabricgen.core.processes import end_with_stdin

if __name__ == "__main__":
    end_with_stdin()
    main()
