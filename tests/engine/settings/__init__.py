"""Tests of engine.settings."""
