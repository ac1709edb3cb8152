"""A scenario played: its operator's script, its expectations, what came of them, and runs kept on disk.

`run_writer` keeps a run while it is played, `run_reader` reads it; `run_file` says what its file looks like,
`run_store` where it is; `run_survey` finds damage and cuts it off.
"""

from engine.run.expectations import Result
from engine.run.player import FailedScriptStep, Outcome, Run, play

__all__ = ["FailedScriptStep", "Outcome", "Result", "Run", "play"]
