"""Why something waits, and what would end it."""
