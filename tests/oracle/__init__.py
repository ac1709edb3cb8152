"""Recorded cases of the real schedulers, replayed against ours."""
