"""Listeners and views of a running engine; they watch and never change anything."""
