"""Tests of engine.control_plane."""
