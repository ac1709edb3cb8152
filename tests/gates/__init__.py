"""Programs that check a law over all rows of a table; each is run with `python -m`."""
