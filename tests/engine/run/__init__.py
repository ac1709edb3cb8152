"""Tests of playing scenarios."""
