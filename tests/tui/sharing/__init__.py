"""Tests of the session's door on a socket."""
