"""Tests of the three schedulers of MapReduce 1."""
