"""A scenario played: its operator's script, its expectations, what came of them, and runs kept on disk.

A `Run` is driven in pieces by a screen or a command: time passes, the script's acts are done at their instants, and
expectations are judged (`expectations`) as soon as they can be. `play` drives one to its end. `run_writer` keeps a run
while it is played, as a listener; `run_store` says what its file looks like, where it is and which process has it
locked; `run_reader` checks it line by line, cuts off what is damaged, and replays it.

On disk a run is its scenario, the acts from outside and the journal with its hash; everything else is rebuilt by
replaying it. A kept run that another version would play otherwise is refused and never shown as something else.
"""

from engine.run.expectations import Result
from engine.run.player import FailedScriptStep, Outcome, Run, play

__all__ = ["FailedScriptStep", "Outcome", "Result", "Run", "play"]
