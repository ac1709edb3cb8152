"""Tests of pasts that were recorded."""
