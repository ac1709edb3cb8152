"""Tests of engine.observe."""
