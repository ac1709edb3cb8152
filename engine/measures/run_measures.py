"""The figures by which a whole run is judged, and their definitions."""

from collections.abc import Iterable, Mapping

import msgspec


class Quantiles(msgspec.Struct, frozen=True):
    """Quantiles of a number of values, each of them one of the values (nearest rank)."""

    number: int = 0  # Values; with 0 the others are 0
    median: float = 0
    p95: float = 0  # The least value that 95 % of the values do not exceed
    worst: float = 0


def quantiles(values: Iterable[float]) -> Quantiles:
    """Quantiles of values in any order.

    >>> quantiles(range(1, 101))
    Quantiles(number=100, median=50, p95=95, worst=100)
    """
    ordered = sorted(values)
    number = len(ordered)
    if not number:
        return Quantiles()
    return Quantiles(number, ordered[(number - 1) // 2], ordered[-(-number * 95 // 100) - 1], ordered[-1])


class ApplicationTimes(msgspec.Struct):
    number: int
    name: str = ""
    user: str = ""
    queue: str = ""  # The last queue it was in
    submitted_ms: int = 0  # Epoch ms, as the others
    first_ms: int | None = None
    """When it was given its first container, its application master's included; None while it was not."""
    served_ms: int | None = None
    """When it was given the first container that it asked for: no application master's, no setup task's."""
    asks: bool = False  # Whether it has asked for one, also where that was refused
    ended_ms: int | None = None
    state: str = "NEW"  # The last state; one of `FINAL_APPLICATION_STATES` once it ended
    ran_at_start: bool = False  # Whether it had containers when the run began; then it has no wait

    @property
    def start_ms(self) -> int | None:
        """When its work began: with the first container it asked for, or with its master, which asks for nothing."""
        return self.served_ms if self.asks or self.served_ms is not None else self.first_ms

    def wait_ms(self, until_ms: int) -> int | None:
        """Time to the start of its work, else to its end or that of the run; None when it ran as the run began."""
        return self._waited_ms(self.start_ms, until_ms)

    def master_wait_ms(self, until_ms: int) -> int | None:
        """The same to its first container, which is its application master's where it has one."""
        return self._waited_ms(self.first_ms, until_ms)

    def _waited_ms(self, start_ms: int | None, until_ms: int) -> int | None:
        if self.ran_at_start:
            return None
        end_ms = self.ended_ms if start_ms is None else start_ms
        return (until_ms if end_ms is None else end_ms) - self.submitted_ms


class Evenness(msgspec.Struct, frozen=True):
    """The evenness of shares among users, or among queues.

    The dominant share of one is the largest of its shares of the cluster's dimensions. One is active while it has an
    application that was submitted and has not ended.
    """

    jain: float | None = None
    """Jain's index (sum of x)² / (n · sum of x²) of the dominant shares of the n active ones, its mean over the time in
    which two or more are active, something is held and somebody waits: 1 when all have the same, 1/n when one has all.
    None when there was no such time."""
    contended_ms: int = 0  # That time
    dominant_share: Mapping[str, float] = {}  # Name → mean dominant share, 0 to 1, over the whole run; in order of name


class RunMeasures(msgspec.Struct, frozen=True):
    """The measures of a run, from its start to its end. Times are ms, work is in container-seconds."""

    until_ms: int  # The end [ms after the start]
    applications: int  # Taken by the control plane, those that ran at the start included
    refused: int  # Submissions that the control plane refused
    finished: int
    failed: int  # FAILED, or killed by whomever
    unfinished: int  # Not ended by the end of the run
    makespan_ms: int
    """From the first submission to the end of the last application; to the end of the run while one is unfinished."""
    waits: Quantiles
    """Waits of applications for the first container that they ask for [ms]; without a start it counts to the end, as a
    lower bound. A master alone is no work; where it asks for nothing the wait ends with it."""
    waits_of_queues: Mapping[str, Quantiles]
    waits_of_users: Mapping[str, Quantiles]
    never_started: int  # Applications without a container that they asked for by their end, or that of the run
    starved: int  # Applications whose wait was `STARVED_MS` or longer
    waiting_most: int
    """Most applications that waited at once: for any container, or for the first that their master asks for."""
    slowdown: Quantiles
    """Bounded slowdown of FINISHED applications: (wait + run) / max(run, 10 s), at least 1; run is from the end of
    the wait to the end. Source: Feitelson et al., Theory and Practice in Parallel Job Scheduling, 1997."""
    used_share: Mapping[str, float]
    """Dimension (`memory_mb`, `vcores`, `cores`, `map_slots`, `reduce_slots`) → part of the cluster held, mean over the
    run, weighted by the cluster's size; 0 where there is no such thing. Reservations hold nothing. While the control
    plane is away the nodes it had go on and count; once it has started a node counts from its registration on."""
    held_s: Mapping[str, int]  # Dimension → amount held × time [s]
    users: Evenness
    queues: Evenness
    containers: int  # Containers allocated
    preempted: int  # Containers preempted
    preempted_s: int  # Their run time
    lost: int
    """Containers whose work was lost: preempted, lost with their node, on a node that changed its label, killed by a
    user, or lost by a restart."""
    lost_s: int
    reserved_most: int  # Most nodes reserved at once
    reserved_most_by_one: int  # Most nodes reserved at once for one application
    reserved_in_vain_s: int
    """Node-seconds from a reservation to its end without a container of it; to the end of the run while it stands."""
    standstill_ms: int  # The longest stretch in which an application waited all the time and nothing was allocated
    master_waits: Quantiles = Quantiles()
    """Waits of applications for their application master's container [ms]; none where there are no masters."""
    still_waiting: int = 0  # Applications of `never_started` that have not ended
    frozen_ms: int = 0  # How long, as was proved, nothing could be allocated any more; 0 where it was not looked for
    livelock_ms: int = 0  # How long, as was proved, containers were preempted again and again and none ended by itself

    @property
    def lost_applications(self) -> int:
        return self.refused + self.failed + self.unfinished
