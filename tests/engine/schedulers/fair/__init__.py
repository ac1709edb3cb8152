"""Tests of the fair scheduler."""
