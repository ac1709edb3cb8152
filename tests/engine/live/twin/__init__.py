"""Tests of twins: what a snapshot says, its twin says at its start."""
