"""Searches for values that end a wait when they are set from the start: plays rows of tables, and judges all alike.

1. The obstacles of the asks, in queues and on nodes, and those of the last offers name the rows to try
   (`Tunable.governs`). For an application that is not there, the way it was refused or lost names them.
2. Each row is tried at each place where it stands, with what it needs: the furthest value first, those before it where
   that goes too far; then the least that helps as well, by halving. 3. A setting that works without the ones set with
it is kept alone. 4. Limits that fail alone are loosened together; the obstacles that remain name more of them. From a
set that helps, each is taken away in turn, until none can go. 5. Changes that help are ranked: first without refusals,
then by the soonest effect, fewest changes, least harm.

A gain of less than a twentieth of the wait does not count.
"""

import pickle
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from engine.explain.change import Asked, Candidate, Change, StartRemedy, ValuePlace, takes_of
from engine.explain.counterfactuals import HALF, NEARLY_ALL, SLOW_MS, Ask, gain_of, is_near
from engine.explain.explainers import explainer_of
from engine.explain.obstacles import AT_MOST, LOST_TO_PREEMPTION, STARVED
from engine.explain.outages import waits_of
from engine.explain.remedy_trial import FOLLOW_MS, LAST_MS, delays, has_share, pending, waits_on, with_driven
from engine.explain.start_play import (
    LOOKED_MS,
    AskTally,
    Played,
    PlayGoal,
    ended_well_ms,
    play,
    play_on,
    refreshed,
    to_the_instant,
    without,
)
from engine.explain.tunable_places import setup_of
from engine.explain.tunable_values import Possibilities
from engine.formats.scenario_toml import dump_file, loads
from engine.incremental import Incremental, SharedSearch, least, one_minimal, run_to_end
from engine.run.player import Run
from engine.scenario import Scenario
from engine.settings.capacity_queue import CAPACITY
from engine.settings.tunable_yarn import LIMITS, LOST, PACE, REFUSED, TAKES, Ladder, Tunable
from engine.simulation.simulation import Simulation

REACH_MS: Final = 600_000
"""How far every change is played after the instant at first [ms]; further only where nothing helps by then."""

GIVEN_MS: Final = 60_000
"""How long after the first container is looked how many come: a limit that lets few through may not be alone [ms]."""

GROUPED: Final = 3  # Candidates of the same need that are tried together before each is tried alone

SIZES: Final = ("container", "cores")  # Fields of an application whose lower value makes more containers of the same

CORES: Final = ("cores_max", "spark.deploy.defaultCores")  # Most cores of an application that holds them

SETS: Final = 4  # How often what is in the way once limits are loosened brings further ones

ASKED: Final = 3  # Asks whose obstacles are looked at, of many that wait

JUDGED: Final = 16  # Changes that help whose harm is played, the most promising ones

QUIET: Final = frozenset({"OTHER_FIRST"})  # says nothing where a queue or an application says no

OWN_CORES: Final = frozenset({STARVED, AT_MOST})  # asked about as of one that is not there


class StartJob(NamedTuple):
    """One piece of the search that needs nothing of the others."""

    place: int  # Place of the candidate
    reach_ms: int  # How far it is played after the instant at most
    known: StartRemedy | None = None
    """What helps, when its harm is played; None looks for the least value of the candidate that helps."""


class StartSearch(SharedSearch[StartJob]):
    """Looks for changes a piece at a time."""

    def __init__(self, scenario: Scenario, at_ms: int, asked: Asked, codes: Iterable[str] = ()) -> None:
        """Begin; `at_ms` counts from the start, `codes` are the obstacles that the last offers met."""
        super().__init__()
        self._scenario, self._at_ms, self._asked = scenario, at_ms, asked
        self._first_codes = frozenset(codes)
        self._codes = set(codes)
        self._named = set[str]()  # Settings that obstacles name
        self._found: dict[int, StartRemedy] = {}
        """Place of a candidate → what helps; a set of several has the place behind the last one."""
        self.tried = self.of = 0  # Values that are decided, and that there are, each at its place
        self._base: Played
        self._goal: PlayGoal
        self._here: Simulation
        self._tally: AskTally
        self._served = dict[str, set[int]]()  # Queue → its applications that live at the instant and had something
        self._wanted = self._least_given = 1
        """Containers that the asks want at the instant; how many of them a set of limits has to bring."""
        self.decided: dict[tuple[str, ValuePlace], tuple[Change, str, int]] = {}
        """Values that decide: the change, what it is played as (empty: not stated), when the ask has it then."""
        self._reach_ms = 0  # How far every change is played; 0 before the first round
        self._candidates: list[Candidate] = []
        self._possible: Possibilities
        self._turn: list[StartJob] = []  # Jobs of this round that are not done
        self._is_judging = self._is_slow = False
        self._losing: list[Ask] = []  # The asks whose containers are preempted again and again: they are to end well

    def answer(self) -> list[StartRemedy]:
        """What helps, the best first; the rest of the work is done first."""
        self._working.result()
        return self.ranked()

    def ranked(self) -> list[StartRemedy]:
        """What helps as far as it is known, the best first; one value, or settings that help together, once."""
        ranked, settings = list[StartRemedy](), set[frozenset[tuple[str, ValuePlace, str]]]()
        rows = {place: self._candidates[place] for place in self._found if place != self.of}
        plain = {(row.tunable.key, row.place) for row in rows.values() if not row.tunable.needs}
        doubled = {place for place, row in rows.items() if row.tunable.needs and (row.tunable.key, row.place) in plain}
        places = sorted(self._found.keys() - doubled)  # what helps without another setting is told once
        for found in sorted((self._found[place] for place in places), key=StartRemedy.rank):
            value = found.changes[0].value if len(found.changes) == 1 else ""
            together = frozenset((change.key, change.place, value) for change in found.changes)
            if together not in settings:
                ranked.append(found)
            settings.add(together)
        return ranked

    def more(self) -> Incremental[list[StartJob]]:
        while not self._turn and not self._is_judging:
            if self._reach_ms:
                yield from self._sets()
            if self._is_decided():
                self._is_judging = True
                best = sorted(sorted(self._found), key=lambda place: self._found[place].rank())[:JUDGED]
                self._turn = [StartJob(place, self._reach_ms, self._found[place]) for place in best]
            else:
                self._reach_ms = LOOKED_MS if self._reach_ms else REACH_MS
                hopeless = yield from self._hopeless()
                self.tried = len(hopeless)
                self._turn = [StartJob(place, self._reach_ms) for place in range(self.of) if place not in hopeless]
        return list(self._turn)

    def _is_decided(self) -> bool:
        gone = self._asked.gone
        if gone is not None and ended_well_ms(self._tally, self._here, gone) is not None:
            return True
        return bool(self._reach_ms) and (bool(self._found) or self._reach_ms == LOOKED_MS)

    def work_on(self, job: StartJob) -> Incremental[StartRemedy | None]:
        self._reach_ms = job.reach_ms
        if job.known is not None:
            return (yield from self._judged(job.known))
        return (yield from self._least(self._candidates[job.place]))

    def take(self, job: StartJob, found: StartRemedy | None) -> None:
        self._turn.remove(job)
        self.tried += job.known is None
        if found is not None and (found.starts or not found.is_judged):
            self._found[job.place] = found
        elif found is not None:  # what was lost is lost all the same, only later
            del self._found[job.place]

    def order(self, job: StartJob) -> tuple[Callable[..., StartRemedy | None], bytes, StartJob]:
        return (_done, self._packed, job)

    @cached_property
    def _packed(self) -> bytes:
        return pickle.dumps((dump_file(self._scenario), self._at_ms, self._asked, self._first_codes))

    @property
    def _now_ms(self) -> int:
        return self._here.now_ms

    def begin(self) -> Incremental[None]:
        """Play without a change: what each ask has at the instant, and what comes; then list what may be varied."""
        tally = self._tally = AskTally()
        run = Run(self._scenario, [tally], self._at_ms, is_judged=False)
        self._here = yield from to_the_instant(run)
        for each in self._here.control_plane.view().applications():
            if each.number in tally.first:
                self._served.setdefault(each.queue, set()).add(each.number)
        gone = self._asked.gone
        if gone is not None:
            is_short = self._here.world.core_shortage(gone).endless > 0
            is_lost = gone in tally.first and not is_short
            self._codes |= {STARVED} if is_short else {LOST, REFUSED} if is_lost else {REFUSED}
            self._goal = PlayGoal(self._scenario, self._at_ms, {(gone, None): 1}, until_end=is_lost, runs_all=is_short)
        else:
            yield from self._look(self._here)
            asks = self._losing or self._asked.targets
            counts = {target: tally.count(target) + 1 for target in asks}
            self._goal = PlayGoal(self._scenario, self._at_ms, counts, until_end=bool(self._losing))
        self._base = yield from play_on(self._goal, self._here, tally, self._now_ms + LOOKED_MS, FOLLOW_MS)
        if gone is None and not self._losing:
            yield from self._slow()
            self._wanted = sum(pending(self._here, target) for target in self._asked.targets)
        numbers = [None] if gone is not None else [number for number, _ in self._asked.targets[:ASKED]]
        setup = setup_of(self._scenario)
        made = [Possibilities(self._here, setup, number, gone) for number in dict.fromkeys(numbers)]
        self._possible, possible = made[0], dict[tuple[Tunable, ValuePlace], Candidate]()
        for candidate in [candidate for one in made for candidate in one.candidates(self._codes)]:
            _ = possible.setdefault((candidate.tunable, candidate.place), candidate)
        # Nothing is written about applications that were not submitted here, as in a twin.
        whole = possible.values()
        written = [each for each in whole if each.tunable.where not in ("own", "holder") or each.place.spec >= 0]
        self._candidates = sorted(written, key=self._promise)
        self.of = len(self._candidates)

    def _slow(self) -> Incremental[None]:
        """An application that gets something at once anyway is judged by its last container."""
        goal, first_ms = self._goal, max(self._base.starts.values(), default=None)
        if first_ms is None or len(self._base.starts) < len(goal.counts) or first_ms - self._now_ms >= SLOW_MS:
            return
        if self._codes <= QUIET:
            self._codes.add(PACE)
        self._is_slow = True
        counts = {target: count + max(0, pending(self._here, target) - 1) for target, count in goal.counts.items()}
        self._goal = goal._replace(counts=counts)
        self._base = yield from play_on(self._goal, self._here, self._tally, self._now_ms + LOOKED_MS, FOLLOW_MS)

    def _look(self, simulation: Simulation) -> Incremental[set[str]]:
        explainer, found, gone = explainer_of(simulation), set[str](), self._asked.gone
        live = simulation.control_plane.view().application
        let_in: list[Ask] = [] if gone is None or live(gone) is None else [(gone, None)]
        for target in let_in or self._asked.targets[:ASKED]:
            rows = yield from explainer.obstacles(*target)
            for row in rows:
                keys = [setting.key for setting in (row.decided_by, *row.together) if setting is not None]
                self._named.update(*((key, key.rpartition(".")[2]) for key in keys))  # an element without its queue
            codes = {row.code for row in rows} | {row.code for row in waits_of(simulation, target[0])} - OWN_CORES
            if LOST_TO_PREEMPTION in codes and simulation is self._here:
                self._losing.append(target)
            if any(row.level in ("QUEUE", "APP") and row.code not in QUIET for row in rows):
                codes -= QUIET
            found |= codes
        found = {LOST_TO_PREEMPTION} if self._losing else found
        new = found - self._codes
        self._codes |= found
        return new

    # Values that decide

    def find_deciding(self) -> Incremental[None]:
        """Find values by which an ask has not what it waits for (`decided`).

        Values that a file states are left out; values that make an application hold more than it uses, or slow
        allocation down where there is room, are taken as far as they go. None of them gets an application refused.
        """
        yield from self.begin()
        self._reach_ms, late_ms = REACH_MS, min(self._now_ms + REACH_MS, self._expected_ms)
        for candidate in self._candidates:
            change, value = candidate.change(candidate.values[-1]), ""
            fewer, played = without(self._scenario, change), None
            row = candidate.tunable
            is_extra = row.is_more_than_used or (row.takes == "owner" and change.value == "false")
            if is_extra or PACE in self._codes & row.governs:
                value, played = change.value, (yield from self._play([change]))
            elif fewer is not None:
                played = yield from play(self._goal._replace(scenario=fewer), (), late_ms)
            self.tried += 1
            if played is not None and self._helps(played) and played.tally.refused <= self._base.tally.refused:
                self.decided[change.key, change.place] = (change, value, self._gains(played)[0][1])

    # Single rows

    def _promise(self, candidate: Candidate) -> tuple[bool, bool, bool, int]:
        row = candidate.tunable
        is_direct = bool(row.governs & self._codes & (LIMITS | {REFUSED, LOST}))
        is_named = candidate.change("").property in self._named
        return (not is_named, not is_direct, not row.keeps_idle, TAKES.index(row.takes))

    def _hopeless(self) -> Incremental[set[int]]:
        """Places of candidates that need the same thing, where all of them together, as far as they go, do not help.

        One that is stated is tried alone as well: together they may take too much.
        """
        groups: dict[str, list[int]] = {}
        for place, candidate in enumerate(self._candidates):
            is_stated = without(self._scenario, candidate.change("")) is not None
            if candidate.tunable.needs and candidate.is_ordered and not is_stated:
                groups.setdefault(candidate.tunable.needs[0][0], []).append(place)
        found = set[int]()
        for places in groups.values():
            if len(places) < GROUPED:
                continue
            made: dict[tuple[str, ValuePlace], Change] = {}
            own = [self._candidates[place] for place in places]
            changes = [self._possible.with_needs(each.change(each.values[-1]), each.tunable) for each in own]
            for change in (*(first for first, *_ in changes), *(need for _, *needs in changes for need in needs)):
                _ = made.setdefault((change.key, change.place), change)
            played = yield from self._play(list(made.values()))
            if played is not None and not self._gains(played):
                found.update(places)
        return found

    def _least(self, each: Candidate) -> Incremental[StartRemedy | None]:
        def with_needs(value: str) -> tuple[Change, ...]:
            return self._possible.with_needs(each.change(value), each.tunable)

        if not each.is_ordered:
            for value in each.values:
                played = yield from self._play(with_needs(value))
                if self._helps(played):
                    return (yield from self._needed(with_needs(value), played))
            return None
        is_time = each.tunable.vary.way == "sooner"  # type: ignore[union-attr]  # choices have gone
        last, then_ms = len(each.values) - 1, 0 if is_time else GIVEN_MS
        most: Played | None = None
        high = last
        for high in dict.fromkeys((last,) if is_time else (last, last * 3 // 4, last // 2, last // 4)):
            most = yield from self._play(with_needs(each.values[high]), then_ms)
            if self._helps(most):
                break
            if most is not None and most.is_as(self._base):  # what changes nothing at its end changes nothing before
                return None
        else:
            return None
        best = most

        def is_enough(value: int) -> Incremental[bool]:
            nonlocal best
            played = yield from self._play(with_needs(each.values[value]), then_ms)
            is_it = self._is_enough(played, most, each, is_limit=then_ms > 0)
            if is_it and played is not None and each.tunable.key in CORES:
                is_it = has_share(played.end, self._goal.counts, played.tally.cores, int(each.values[value]))
            best = played if is_it else best
            return is_it

        high = yield from least(-1, high, is_enough)
        found = yield from self._needed(with_needs(each.values[high]), best)
        return found if found is None or most is None or not then_ms else found._replace(given=self._given(most))

    def _needed(self, changes: tuple[Change, ...], played: Played | None) -> Incremental[StartRemedy | None]:
        if len(changes) > 1 and changes[0].key != "queues":
            others = changes[1:]
            if self._helps((yield from self._play(others))):
                return None
            for change in others:
                fewer = tuple(one for one in changes if one is not change)
                again = yield from self._play(fewer)
                if self._helps(again):
                    changes, played = fewer, again
        assert played is not None, "it helped"
        return StartRemedy(changes, self._gains(played))

    # Sets of limits

    def _sets(self) -> Incremental[None]:
        few = {place for place in self._found if 0 < 2 * self._found[place].given < self._wanted}
        failed = [each for place, each in enumerate(self._candidates) if place not in self._found or place in few]
        self._least_given = max((2 * self._found[place].given for place in few), default=1)
        for owners in ((), ("owner",)):
            pool = [each for each in failed if self._may_join(each, owners)]
            if (found := (yield from self._together(pool, owners))) is not None:
                if len(found.changes) > 1:  # else it is known
                    self._found[self.of] = found
                return
        yield from self._all_together(failed)

    def _all_together(self, failed: Sequence[Candidate]) -> Incremental[None]:
        """Limits, sizes that the application asks for and what others hold, where no value alone helps but machines."""
        pool = [each for each in failed if each.tunable.may_join_all]
        rows = [self._candidates[place].tunable if place < self.of else None for place in self._found]
        is_only = all(row is not None and (row.where == "nodes" or row.key == "deploy_mode") for row in rows)
        if len(pool) > 1 and is_only:
            self._least_given = 1  # the smaller, the more of them
            played = yield from self._play([each.change(each.values[-1]) for each in pool], GIVEN_MS)
            if played is not None and self._brings(played):
                self._found[self.of] = yield from self._smallest(pool)

    def _may_join(self, each: Candidate, owners: Sequence[str]) -> bool:
        row = each.tunable
        return row.is_limit and row.takes in ("refresh", "restart", *owners)

    def _together(self, pool: list[Candidate], owners: Sequence[str]) -> Incremental[StartRemedy | None]:
        for _ in range(SETS):
            if not pool:
                return None
            played = yield from self._play([each.change(each.values[-1]) for each in pool], GIVEN_MS)
            if played is None:  # what is refused alone is left out
                pool = yield from self._accepted(pool)
                played = yield from self._play([each.change(each.values[-1]) for each in pool], GIVEN_MS)
            if played is None:
                return None
            if self._brings(played):
                self._least_given = max(self._least_given, self._given(played))
                return (yield from self._smallest(pool))
            new = yield from self._look(played.end)
            known = {(each.tunable.key, each.place) for each in pool}
            more = [each for each in self._possible.candidates(new) if self._may_join(each, owners)]
            more = [each for each in more if (each.tunable.key, each.place) not in known]
            if not more:
                return None
            pool = [*pool, *more]
        return None

    def _accepted(self, pool: Sequence[Candidate]) -> Incremental[list[Candidate]]:
        refused = set()
        for candidate in pool:
            if (yield from self._play([candidate.change(candidate.values[-1])])) is None:
                refused.add((candidate.tunable.key, candidate.place))
        return [each for each in pool if (each.tunable.key, each.place) not in refused]

    def _smallest(self, pool: Sequence[Candidate]) -> Incremental[StartRemedy]:
        def is_enough(some: Sequence[Candidate]) -> Incremental[bool]:
            return self._brings((yield from self._play([each.change(each.values[-1]) for each in some], GIVEN_MS)))

        needed = (yield from one_minimal(sorted(pool, key=self._meant)[::-1], is_enough))[::-1]
        values = [len(each.values) - 1 for each in needed]

        def at(some: Sequence[int]) -> list[Change]:
            return [each.change(each.values[value]) for each, value in zip(needed, some, strict=True)]

        for turn, candidate in enumerate(needed):

            def brings(value: int, turn: int = turn) -> Incremental[bool]:
                again = yield from self._play(at([*values[:turn], value, *values[turn + 1 :]]), GIVEN_MS)
                return self._brings(again)

            if candidate.is_ordered:
                values[turn] = yield from least(-1, values[turn], brings)
        played = yield from self._play(at(values), GIVEN_MS)
        assert played is not None, "it helped"
        return StartRemedy(tuple(at(values)), self._gains(played), self._given(played))

    def _meant(self, candidate: Candidate) -> tuple[int, int]:
        """Sort what may go first: what governs much else as well; wide settings that are stated stay for several."""
        row = candidate.tunable
        rank = 0
        if row.where in ("whole", "root"):
            rank = -1 if without(self._scenario, candidate.change("")) is None else 1
        return (rank, -len(row.governs))

    # The judge

    def _play(self, changes: Sequence[Change], then_ms: int = 0) -> Incremental[Played | None]:
        # Under another scheduler each gets through in turn: that may take longer, and still less than the wait. So may
        # work that is to end.
        is_long = bool(self._losing) or any(change.where == "release" for change in changes)
        reach_ms = LOOKED_MS if is_long else self._reach_ms
        late_ms = min(self._now_ms + reach_ms, self._expected_ms)
        return (yield from play(self._goal._replace(then_ms=then_ms), changes, late_ms))

    @property
    def _expected_ms(self) -> int:
        """Return when the last of the asks is served without a change, at most as far as is looked [epoch ms]."""
        starts, end_ms = self._base.starts, self._now_ms + LOOKED_MS
        return max(starts.values()) if len(starts) == len(self._goal.counts) else end_ms

    def _gains(self, played: Played) -> tuple[tuple[Ask, int], ...]:
        """Which asks gain, and when; none where a queue that others were served in gives nothing to any of them."""
        if any(numbers.isdisjoint(played.tally.first) for numbers in self._served.values()):
            return ()
        gaining = {}
        for target, time_ms in played.starts.items():
            expected_ms = self._base.starts.get(target)
            if expected_ms is None or expected_ms - time_ms >= gain_of(expected_ms - self._now_ms):
                gaining[target] = time_ms
        return tuple(sorted(gaining.items(), key=lambda pair: pair[1]))

    def _helps(self, played: Played | None) -> bool:
        return played is not None and bool(self._gains(played))

    def _brings(self, played: Played | None) -> bool:
        return played is not None and self._helps(played) and self._given(played) >= self._least_given

    def _given(self, played: Played) -> int:
        """How many containers the applications of the asks have more, their drivers' with them."""
        return sum(self._given_to(played, number) for number in {number for number, _ in self._goal.counts})

    def _given_to(self, played: Played, number: int) -> int:
        both = with_driven(played.end, number)
        return sum(played.tally.count((each, None)) - self._tally.count((each, None)) for each in both)

    def _is_enough(self, played: Played | None, most: Played | None, each: Candidate, *, is_limit: bool) -> bool:
        """Tell whether a value starts as many as the largest does and gains nearly as much.

        Half as much is enough for a value that takes machines, or takes from others. An ask that would never start
        gains as much as is looked ahead.
        """
        if played is None or most is None:
            return False
        gains, best = self._gains(played), self._gains(most)
        # What a holder gives up, or loses, it does not have itself.
        is_of_all = each.tunable.where != "holder" and (each.tunable.is_limit or each.tunable.is_cap)
        takes_from = each.tunable.where == "nodes" or each.tunable.key == str(CAPACITY)
        parts = 1 if is_of_all and not takes_from else HALF
        is_size = each.tunable.key in SIZES or each.tunable.where == "nodes"
        # The smaller containers, or the larger nodes, the more of them; of tasks that wait all have to run. Executors
        # of no stated cores are as many with one core each.
        is_counted = is_limit and not is_size and not self._goal.runs_all and each.tunable.key not in CORES
        if not gains or len(gains) < len(best) or (is_counted and parts * self._given(played) < self._given(most)):
            return False
        if is_size and is_limit and self._is_alone(played) and not self._is_alone(most):
            return False
        is_time = isinstance(each.tunable.vary, Ladder) and each.tunable.vary.way == "sooner"
        if is_time and best[-1][1] <= self._now_ms < gains[-1][1]:
            return False  # it would not have spared the one that asks
        expected = [self._base.starts[target] for target, _ in best if target in self._base.starts]
        if not expected and not is_time:
            return True
        is_free = is_time or (each.tunable.is_limit and not takes_from)
        parts = NEARLY_ALL if is_free else HALF
        return is_near(gains[-1][1], best[-1][1], max(expected, default=self._expected_ms), parts)

    def _judged(self, found: StartRemedy) -> Incremental[StartRemedy]:
        """What it costs: applications refused or failed, work lost, applications that start or end later."""
        now = yield from self._at_once(found.changes)
        goal = self._goal._replace(then_ms=LAST_MS)
        played = now or (yield from play(goal, found.changes, self._expected_ms, FOLLOW_MS))
        if played is None:
            return found
        base, own = self._base.tally, {number for number, _ in self._goal.counts}
        if any(change.key == "deploy_mode" for change in found.changes):  # drivers have other numbers then
            own = own | {number for number in base.ends[0] if number < 0}
        tally = played.tally
        live = played.end.control_plane.view().applications()
        idle = {each.number for each in live if not each.waits and each.number not in tally.first}
        failed = len(tally.failed - base.failed - {n for n in own if n < 0}) + max(0, tally.refused - base.refused)
        return found._replace(
            is_now=now is not None,
            is_stated=any(without(self._scenario, each) is not None for each in found.changes),
            is_last=self._is_alone(played),
            has_all=self._is_slow,
            ends_well=self._goal.until_end,
            is_alive=self._goal.until_end and not self._goal.starts(tally, played.end),
            starts=self._gains(played) if now is not None or self._goal.until_end else found.starts,
            refused=failed,
            lost_ms=max(0, tally.lost_ms - base.lost_ms),
            lost_containers=max(0, tally.lost_containers - base.lost_containers),
            delays=delays(base.ends, tally.ends, min(played.until_ms, self._base.until_ms), own | idle),
            until_ms=played.until_ms,
            is_judged=True,
        )

    def _is_alone(self, played: Played) -> bool:
        """Tell whether somebody is given one container alone and waits for more."""
        numbers = set() if self._goal.until_end else {number for number, _ in self._goal.counts}
        ones = (number for number in numbers if self._given_to(played, number) == 1)
        return any(waits_on(played.end, with_driven(played.end, number)) for number in ones)

    def _at_once(self, changes: Sequence[Change]) -> Incremental[Played | None]:
        """What comes when they are set at the instant; None where that takes more than a refresh, or does not help."""
        if takes_of(changes) != "refresh" or self._asked.gone is not None:
            return None
        copy = yield from self._here.fork_in_steps()
        if not refreshed(copy, self._goal.scenario, changes):
            return None
        played = yield from play_on(self._goal, copy, self._tally, self._expected_ms, FOLLOW_MS)
        return played if self._helps(played) else None


# Another process gets the question packed: the result does not depend on which process does a job.


def _done(packed: bytes, job: StartJob) -> StartRemedy | None:
    return run_to_end(_begun(packed).work_on(job))


@lru_cache(maxsize=1)
def _begun(packed: bytes) -> StartSearch:
    text, *question = pickle.loads(packed)
    search = StartSearch(loads(text), *question)
    run_to_end(search.begin())
    return search
