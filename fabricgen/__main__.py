"""`python -m fabricgen`: the same program as the installed `fabricgen`."""

from fabricgen.cli import main

if __name__ == "__main__":
    main()
