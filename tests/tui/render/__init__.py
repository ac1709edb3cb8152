"""Renderers: plain text in, plain text compared."""
