"""Tests of the models of a scenario."""
