"""A scenario played: its operator's script, its expectations, and what came of them."""

from engine.run.expectations import Result
from engine.run.player import Mishap, Outcome, Run, play

__all__ = ["Mishap", "Outcome", "Result", "Run", "play"]
