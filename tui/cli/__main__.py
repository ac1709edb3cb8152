"""`python -m tui.cli` is the program, as `python -m tui` is."""

from tui.__main__ import main

if __name__ == "__main__":
    main()
