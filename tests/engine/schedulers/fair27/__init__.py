"""Tests of the fair scheduler of 2.7."""
