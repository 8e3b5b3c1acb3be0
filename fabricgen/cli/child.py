"""The program as a child of another fabricgen process: it ends when its parent ends."""

from fabricgen.cli import main
from fabricgen.core.processes import end_with_stdin

if __name__ == "__main__":
    end_with_stdin()
    main()
