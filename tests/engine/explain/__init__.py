"""Tests of engine.explain."""
