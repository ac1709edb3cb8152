"""Tests of the scenarios that come with the program."""
