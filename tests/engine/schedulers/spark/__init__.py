"""Tests of engine.schedulers.spark."""
