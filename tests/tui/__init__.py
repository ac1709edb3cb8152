"""The terminal, with fakes in place of an engine."""
