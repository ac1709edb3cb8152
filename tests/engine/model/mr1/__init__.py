"""Tests of engine.model.mr1."""
