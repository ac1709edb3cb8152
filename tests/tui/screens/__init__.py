"""Screens driven by keys."""
