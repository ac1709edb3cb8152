"""What a user does, from the first key to the last, and what the program says meanwhile."""
