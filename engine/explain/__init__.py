"""Explains why something waits, whether it will ever run, and what would have helped; works on copies only."""
