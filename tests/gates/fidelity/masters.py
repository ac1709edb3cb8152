"""The masters of a recorded run: when they registered, asked and ended, and how long their containers ran.

A master calls once a second, counted from its registration; a call may come some ms late. The player counts an ask's
`at` and an application's `finish` from the end of the registration, so the call of that second may come too soon, and
then the next one does it. The recording says which call it was; all instants here are when calls and heartbeats were
due.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from engine.formats.traces.rm_timeline import LogContainer, ResourceManagerTimeline
from tests.gates.fidelity.log_text import LogText
from tests.gates.fidelity.rhythm import BEAT_MS, Rhythm
from tests.gates.fidelity.script import JavaRandom, PlayedAsk, Script, Submission

AM_START_MS: Final = 2_000
"""From the start of a master's process to its registration."""
SLACK_MS: Final = 30
"""So much sooner or later than it should a container's end may be in the log."""
UNREGISTERED: Final = "FINAL_SAVING"
"""The state of an application whose master has made the first of its last two calls."""


class Masters:
    """What a log says of the masters of a script's applications."""

    def __init__(
        self, text: LogText, timeline: ResourceManagerTimeline, nodes: Mapping[str, Rhythm], start_ms: int
    ) -> None:
        self._text, self._timeline, self._nodes = text, timeline, nodes
        self._firsts = self._first_masters()
        self._calls = self._rhythms(start_ms)
        """Attempt, as the ids of its containers begin → the rhythm of its master's calls."""
        self._registered_ms = {number: self._registration_ms(first) for number, first in self._firsts.items()}
        self.latencies_ms = {
            number: max(0, self._registered_ms[number] - AM_START_MS - self.heartbeat_ms(first, first.allocated_ms))
            for number, first in self._firsts.items()
        }
        """Number → from the heartbeat that allocated its master's container until its process began."""

    def heartbeat_ms(self, container: LogContainer, instant_ms: int) -> int:
        """When the heartbeat of a container's node was due that was handled at an instant [epoch ms]."""
        rhythm = self._nodes.get((container.node or "").partition(":")[0])
        return instant_ms if rhythm is None else rhythm.due_ms(instant_ms)

    def durations_s(self, script: Script, matched: Mapping[int, Submission]) -> dict[int, dict[int, list[float]]]:
        """Number → priority → how long each container ran that its master fetched, in this order.

        One draw for each container, in the order of the log. It runs from when the master's call was due, and its end
        is in the heartbeat that it was recorded in. Where two masters drew at once the order is not known; then its end
        is half a heartbeat before.
        """
        random, found = JavaRandom(script.seed), dict[int, dict[int, list[float]]]()
        for acquired_ms, container in self._text.acquired():
            each = self._timeline.containers[container]
            number = application_number(each.application)
            if each.is_master or each.end == "RELEASED" or number not in matched:
                continue
            ask = matched[number].ask_of_size(each.memory_mb or 0)
            ends_ms = acquired_ms + round(1000 * (ask.low_s + (ask.high_s - ask.low_s) * random.next_double()))
            if each.end == "COMPLETED" and each.ended_ms is not None:
                ends_ms = _before(self.heartbeat_ms(each, each.ended_ms), ends_ms)
            ran_ms = ends_ms - self._calls[attempt_of(container)].due_ms(acquired_ms)
            found.setdefault(number, {}).setdefault(ask.priority, []).append(ran_ms / 1000)
        return found

    def asks_after_s(self, number: int, submission: Submission, ask: PlayedAsk) -> int:
        """From the registration to the call that brings an ask in.

        That of the second it is due in, or the next: whichever is nearer to a line of the log about an ask. Before its
        first container it must have come, and where the log has no such lines it came with the last call before that.
        """
        at_s: int = ask.spec.get("at", 0)
        registered_ms, lines_ms = self._registered_ms.get(number), self._text.asked_ms
        if not at_s or registered_ms is None:
            return at_s
        served_ms = min(self._served_ms(number, submission, ask), default=None)
        calls = [at_s, at_s + 1]
        if served_ms is not None and served_ms < registered_ms + 1000 * calls[-1]:
            return at_s
        if not lines_ms:
            return calls[-1]
        return min(calls, key=lambda call: min(abs(line - registered_ms - 1000 * call) for line in lines_ms))

    def ends_after_s(self, number: int, finish_s: int) -> int:
        """From its registration to the call by which a first master ends after a time; if none did, as scripted.

        One that crashes makes no call: its process ends in the second before the heartbeat that tells of it.
        """
        first = self._firsts.get(number)
        if first is None or first.ended_ms is None or first.end != "COMPLETED":
            return finish_s
        states = self._timeline.applications[first.application].states
        ended_ms = self.heartbeat_ms(first, first.ended_ms)
        calls = [time_ms for time_ms, state in states if state == UNREGISTERED and time_ms < ended_ms]
        after_ms = (calls[0] if calls else ended_ms - BEAT_MS // 2) - self._registered_ms[number]
        return round(after_ms / BEAT_MS)

    def _served_ms(self, number: int, submission: Submission, ask: PlayedAsk) -> Iterator[int]:
        """When containers were allocated that answer an ask [epoch ms]."""
        for each in self._timeline.containers.values():
            is_its = application_number(each.application) == number and not each.is_master
            if is_its and submission.ask_of_size(each.memory_mb or 0).priority == ask.priority:
                yield each.allocated_ms

    def _first_masters(self) -> dict[int, LogContainer]:
        """Number → the container of its first master, where that registered."""
        found: dict[int, LogContainer] = {}
        for each in self._timeline.containers.values():
            if each.is_master and self._timeline.applications[each.application].registered_ms is not None:
                found.setdefault(application_number(each.application), each)
        return found

    def _rhythms(self, start_ms: int) -> dict[str, Rhythm]:
        """By the call that brought the first asks in, where the scheduler logs it, as all the rest depends on it.

        Else by the calls that fetched containers, each at its first line; where none did by the registration.
        """
        calls: dict[str, list[int]] = {}
        for acquired_ms, container in self._text.acquired():
            if not self._timeline.containers[container].is_master:
                instants = calls.setdefault(attempt_of(container), [acquired_ms])
                if acquired_ms - instants[-1] > BEAT_MS // 2:
                    instants.append(acquired_ms)
        for first in self._firsts.values():
            registered_ms = self._timeline.applications[first.application].registered_ms or 0
            attempt = attempt_of(first.id)
            calls.setdefault(attempt, [registered_ms])
            asked = [each for each in self._text.calls_ms.get(attempt, ()) if each > registered_ms]
            if asked:
                calls[attempt] = asked[:1]
        return {attempt: Rhythm.of(instants, start_ms) for attempt, instants in calls.items()}

    def _registration_ms(self, first: LogContainer) -> int:
        registered_ms = self._timeline.applications[first.application].registered_ms
        assert registered_ms is not None, "of masters that registered"
        return self._calls[attempt_of(first.id)].due_ms(registered_ms)


def _before(heartbeat_ms: int, ends_ms: int) -> int:
    """When a container ended [epoch ms] whose end was in a heartbeat and that by its draw ended at an instant."""
    if not -SLACK_MS <= heartbeat_ms - ends_ms <= BEAT_MS + SLACK_MS:
        return heartbeat_ms - BEAT_MS // 2
    return min(max(ends_ms, heartbeat_ms - BEAT_MS + 1), heartbeat_ms - 1)


def attempt_of(container: str) -> str:
    """The ids of all containers of its attempt begin so."""
    return container.rpartition("_")[0]


def application_number(identity: str) -> int:
    return int(identity.rpartition("_")[2])
