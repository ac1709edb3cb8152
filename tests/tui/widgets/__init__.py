"""Widgets by themselves."""
