"""The edges of the terminal, its colours, how values are written, what is saved."""
