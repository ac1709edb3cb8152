"""Tests of the readers and writers of foreign files."""
