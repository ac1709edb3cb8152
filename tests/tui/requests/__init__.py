"""Tests of what carries out the requests of screens."""
