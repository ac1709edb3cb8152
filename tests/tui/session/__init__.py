"""Tests of what the session owns."""
