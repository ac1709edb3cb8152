"""Moving an application between leaves, as of 3.x: all limits are asked before anything changes.

Source: FairScheduler#executeMove, Hadoop 3.4.1.
"""

from engine.errors import RefusedError
from engine.schedulers.fair.running_limit import RunningLimit
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf


class RunningLimit34(RunningLimit):
    """Counts running applications per user and parks those above a limit."""

    def move(self, attempt: FairAttempt, target: FairLeaf) -> None:
        """Take an attempt to another leaf, running or parked as the limits there have it.

        Raises:
            RefusedError: `YarnException`; nothing has changed then.
        """
        former, was_runnable = attempt.queue, attempt.runnable
        runnable = self.allows(target, attempt.user)
        if was_runnable and not runnable:
            raise RefusedError("YarnException", f"{attempt.name} would not be running in {target.path}")
        used = (attempt.used_memory_mb, attempt.used_vcores)
        held = (attempt.reserved_memory_mb, attempt.reserved_vcores)
        attempt.charge(-used[0], -used[1])
        if was_runnable:
            self.withdraw(attempt)
        else:
            former.parked.remove(attempt)
            if runnable:
                self.parked_by_user[attempt.user].remove(attempt)
        self._settle(attempt, target, used, held, runnable=runnable)
        if was_runnable:
            self.left(attempt, former)
