"""Tests of engine.schedulers."""
