"""Tests of engine.model.spark."""
