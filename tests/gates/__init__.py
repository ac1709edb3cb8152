"""Long gates: each runs as `python -m tests.gates.NAME`."""
