"""A scenario played: its operator's script, its expectations, and what came of them."""
