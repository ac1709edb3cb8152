"""Tests of the figures that judge a run."""
