"""Checks that take minutes and are run by hand: `python -m tests.gates.NAME`."""
