"""Hostile input against every reader and command: `python -m tests.gates.attacks [--seed N] [--only NAME]`.

Whatever is tried must be refused with bounded problems or be accepted and played, within time and memory. Everything
else is wrong: a traceback, a mistake of our own, silence, a hang. Programs that keep a run are killed, lose their
terminal or fill their disk; what is on disk must be an exact beginning of what happened.
"""
