"""Searches for what makes waiting applications start: tries every remedy on a copy, and ranks those that help.

Remedies that cannot help are left out first (`remedy_filter`). The others are tried in rounds, in groups, the most
promising first. Each group joins a round later than the one before it and is twice as large; a remedy that is still
undecided may be played twice as far in each round. So a remedy whose world goes on for hours does not keep others from
being tried, and a long list does not keep a remedy from being played far. Where the world without an act stands still,
remedies that have not joined yet get a short try first. The amount of work decides what is known, never the time it
took.

Once every remedy is decided, the ones that help some applications are played on, until all have started or nothing more
can come.

Remedies that help are ranked. What can be done now comes before a changed scheduler, and that before other machines.
Then comes the remedy that starts most of the applications asked about; then the one that does least harm
(`Trial.harm_s`: run time of containers thrown away, and how much later others start or end, summed up), to the minute,
and ends no application; then the one with the soonest last start; then by kind, as in `remedy.KINDS`. Remedies of one
family that start the same applications at the same second, and do the same harm to the minute, count as one.
"""

import pickle
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

import msgspec

from engine.control_plane.cluster_view import ApplicationSummary, ClusterView
from engine.explain.counterfactuals import HALF, NEARLY_ALL, Ask, Lookahead, is_near
from engine.explain.explainers import explainer_of
from engine.explain.instant import PARTIES, goes_round
from engine.explain.outages import stranded
from engine.explain.remedy import GROUPS, HARDWARE, KINDS, RemedyRange
from engine.explain.remedy_candidates import BlockingSet, candidates, core_of, may_help
from engine.explain.remedy_trial import Baseline, BaselineRun, Trial, starts_of, tried, wanted_of
from engine.incremental import Incremental, SharedSearch, Task, least, run_to_end
from engine.observe.snapshots import wait_of
from engine.simulation.checkpoint import from_bytes, to_bytes
from engine.simulation.simulation import Simulation

# The least value of a setting that helps: found by halving, axis by axis, each value tried on a copy of its own.
#
# A value is enough when as many start by it as by the largest one and, where the first of them starts anyway, it gains
# nearly all of what the largest gains; half of it for machines.


def least_of(
    here: Simulation, targets: Sequence[Ask], family: RemedyRange, most: Trial, base: Baseline, pieces: int
) -> Incremental[Trial]:
    """The trial of the least value that helps, where that of the largest (`most`) does.

    Each value is played for some pieces at most; what is not decided by then counts as no help.
    """
    value, follow_ms, beside = list(family.highs), 0, most
    if most.remedy.is_setting:  # a limit that lets few through may not be enough for all that is asked for
        follow_ms = GIVEN_MS
        beside = (yield from tried(here, targets, most.remedy, base, pieces, follow_ms=follow_ms)) or most

    def enough(size: int) -> Incremental[bool]:
        remedy = family.make((*value[:axis], size, *value[axis + 1 :]))
        trial = yield from tried(here, targets, remedy, base, pieces, follow_ms=follow_ms)
        return trial is not None and is_enough(trial, beside)

    for axis, low in enumerate(family.lows):
        if low < value[axis] and (yield from enough(low)):
            value[axis] = low
        value[axis] = yield from least(low, value[axis], enough)
    if tuple(value) == family.highs:
        return msgspec.structs.replace(most, is_least=True)
    found = yield from tried(here, targets, family.make(tuple(value)), base, pieces)
    return found if found is not None and found.helps else most


def is_enough(trial: Trial, most: Trial) -> bool:
    """Tell whether a value helps well enough, beside the largest one."""
    is_less = most.remedy.is_setting and trial.given < most.given - most.given // FEW_PARTS
    if len(trial.starts) < len(most.starts) or is_less:
        return False
    expected_ms = most.starts[0].expected_ms
    parts = HALF if trial.remedy.group == HARDWARE else NEARLY_ALL
    return expected_ms is None or is_near(trial.start_ms, most.start_ms, expected_ms, parts)


GIVEN_MS: Final = 30_000  # How long values of a setting are played to compare how much they bring [ms]
FEW_PARTS: Final = 20  # A lesser value may bring so much less: one part of so many

FIRST_PIECES: Final = 50  # Pieces of work for a remedy in its first round at most

SHORT_PIECES: Final = 12
"""Pieces of work for remedies that have not joined in yet, where all stands still without an act."""

SHORT_ROUND: Final = 2
"""The round in which they are tried so, counted from 0: most change nothing, which is known at once."""

FIRST_GROUP: Final = 8  # Remedies of the first group

FILTER: Final = 0  # Limit of a job that only finds out whether a remedy may help, as of `remedy_filter`

LEAST_PIECES: Final = 250
"""Pieces of work for each value when the least one is looked for; not before remedies are played as much."""

ROUNDS: Final = 9  # Number of rounds each remedy has; one that is open after its last stays so

WHOLE: Final = FIRST_PIECES << ROUNDS
"""Pieces of work for a remedy that helps some, until all have started or nothing more can come."""

PLAYED_WHOLE: Final = 12  # Number of the best remedies that are played to the end


class Remedies(NamedTuple):
    """The remedies known at an instant."""

    start_ms: int  # The start of the run [epoch ms]
    from_ms: int  # The instant [epoch ms]
    targets: tuple[Ask, ...]  # The asks they are for
    running: frozenset[int]  # Numbers of applications that run and wait for more
    base: Baseline
    ranked: tuple[Trial, ...]  # Remedies that help, the best first
    useless: tuple[Trial, ...]  # Remedies that were tried and do not help
    refused: tuple[Trial, ...]  # Remedies that the control plane refuses
    open: int  # Number of remedies that are not decided

    @property
    def failed(self) -> int:
        """Return the number of acts that were tried and are no remedy."""
        return len(self.useless) + len(self.refused)


class RemedyJob(NamedTuple):
    """One piece of the search that needs nothing of the others."""

    place: int  # Place of the family among the candidates
    limit: int  # Pieces of work for it at most; or `FILTER`
    known: Trial | None = None
    """What is known of it, when its least value is looked for or, with the limit `WHOLE`, it is played to the end;
    None tries the largest value."""


class RemedySearch(SharedSearch[RemedyJob]):
    """Looks for remedies a piece at a time; the run it asks about is only looked at."""

    def __init__(
        self,
        simulation: Simulation,
        numbers: Sequence[int] = (),
        *,
        alarmed: Collection[int] = (),
    ) -> None:
        """Begin; the run may go on once `here` is there.

        Without any numbers it is for the applications that wait by standing alerts (`alarmed`); where alerts name none,
        for all that a header counts.
        """
        super().__init__()
        self._numbers, self._alarmed = tuple(numbers), frozenset(alarmed)
        self.targets: tuple[Ask, ...] = ()
        """The asks that are to start; empty until they are known, or when no application waits."""
        self.here: Simulation | None = None  # The instant, closed; None until it is copied
        self.base: Baseline | None = None  # The course of events without any act; None until that was looked at
        self._running: frozenset[int] = frozenset()
        self._from_ms, self._start_ms = simulation.now_ms, simulation.world.ground.start_ms
        self._families: list[RemedyRange] = []
        self._trials: dict[int, Trial] = {}
        self._sorted: tuple[tuple[Trial, ...], tuple[Trial, ...], tuple[Trial, ...]] | None = None
        """The trials as of `sorted_out`; None until they are asked for, and once there are others."""
        self._unacted: BaselineRun | None = None
        self._core: BlockingSet | None = None
        self._order: list[int] = []
        """Places of the remedies that may help, the most promising first; empty until that is looked for."""
        self._round = 0  # Number of rounds begun
        self._turn: list[RemedyJob] = []  # Jobs of this round that are not done
        self._played: set[int] = set()  # Places of the remedies that were played to the end, or as far as any is
        self._opening = Task(self._open(simulation))

    @property
    def opened(self) -> bool:
        """Tell whether its applications and the remedies to try are known."""
        return self._opening.done

    @property
    def tried(self) -> int:
        """Return the number of remedies that are decided."""
        return len(self._trials)

    @property
    def of(self) -> int:
        """Return the number of remedies to try; 0 while that is not known."""
        return len(self._families)

    def found(self) -> Remedies | None:
        """Return the remedies known so far; None before anything is known."""
        if self.base is None:
            return None
        if self._sorted is None:
            self._sorted = sorted_out(self._trials[place] for place in sorted(self._trials))
        return Remedies(
            self._start_ms,
            self._from_ms,
            self.targets,
            self._running,
            self.base,
            *self._sorted,
            self.of - self.tried,
        )

    def answer(self) -> Remedies:
        """All that can be known; the rest of the work is done first."""
        self._working.result()
        found = self.found()
        assert found is not None, "there is a baseline when the work is done"
        return found

    def open(self) -> bool:
        """Do a piece of what comes before the first job: the copy, its applications, the world without an act."""
        return self._opening.advance()

    def _open(self, simulation: Simulation) -> Incremental[None]:
        self.here = here = yield from simulation.fork_in_steps(closed=True, stands=True)
        unacted = self._unacted = BaselineRun((yield from here.fork_in_steps()))
        self.base = unacted.baseline()
        asks = asks_of(here, self._numbers or whom_of(here.control_plane.view(), self._alarmed))
        yield from unacted.play(FIRST_PIECES, [ask for some in asks for ask in some])
        unheard = () if here.control_plane.answers else _asking_for_nothing(here, asks)
        losing = (yield from goes_round(here, PARTIES)) if unacted.ahead.preempted_ms is not None else ()
        if losing or unheard:  # what is taken back again and again is no start
            unacted = self._unacted = BaselineRun((yield from here.fork_in_steps()), losing, unheard)
            yield from unacted.play(FIRST_PIECES, [ask for some in asks for ask in some])
        targets = worst_of(unacted.ahead, asks)
        if (wanted := wanted_of(unacted.ahead, targets)) and not losing and not unheard:
            unacted = self._unacted = BaselineRun((yield from here.fork_in_steps()), wanted=wanted)
            yield from unacted.play(FIRST_PIECES, targets)
        self.targets = unacted.targets = targets
        self._running = frozenset(here.control_plane.view().numbers_running())
        self._families = []
        if self.targets:
            self._families = candidates(here, [number for number, _ in self.targets])
        self._core = None if losing or unheard else (yield from core_of(here, self.targets))
        self._begin_round()

    def _begin_round(self) -> None:
        assert self._unacted is not None, "the world without an act comes first"
        self.base = self._unacted.baseline()
        if self._core is not None and not self._order:
            self._turn = [RemedyJob(place, FILTER) for place in range(self.of)]
            self._order = list(range(self.of))
            return
        if self._round == 0:
            self._order = [place for place in range(self.of) if place not in self._trials]
        least = SHORT_PIECES if self.base.ends and self._round == SHORT_ROUND else 0
        limits = [(place, limit_of(turn, self._round) or least) for turn, place in enumerate(self._order)]
        self._turn = [RemedyJob(place, limit) for place, limit in limits if limit and place not in self._trials]
        self._round += 1

    def more(self) -> Incremental[list[RemedyJob]]:
        while not self._turn:
            coarse = [place for place, trial in self._trials.items() if not trial.is_least]
            is_last = self._round == ROUNDS + late(len(self._order) - 1) or self.tried == self.of
            if is_last:
                self._turn = self._unfinished()
            if self._turn or (is_last and not coarse):
                return list(self._turn)
            # Least values are looked for once remedies are played as far as that takes.
            if coarse and (is_last or FIRST_PIECES << self._round > LEAST_PIECES):
                by_rank = sorted(coarse, key=self._rank_at)
                self._turn = [RemedyJob(place, LEAST_PIECES, self._trials[place]) for place in by_rank]
            else:
                assert self._unacted is not None, "the world without an act comes first"
                self.between_jobs = False
                yield from self._unacted.play(limit_of(0, min(self._round, ROUNDS - 1)), self.targets)
                self._begin_round()
        return list(self._turn)

    def _unfinished(self) -> list[RemedyJob]:
        """The best remedies by which others may start later than was played, each once, with its least value."""
        helping = sorted((place for place, trial in self._trials.items() if trial.helps), key=self._rank_at)
        best = [self._trials[place] for place in helping[:PLAYED_WHOLE]]
        open_ = [place for place, each in zip(helping, best, strict=False) if each.is_least and not each.is_whole]
        found = [RemedyJob(place, WHOLE, self._trials[place]) for place in open_ if place not in self._played]
        self._played.update(open_)
        return found

    def _rank_at(self, place: int) -> tuple[int, ...]:
        return (*rank(self._trials[place]), place)

    def take(self, job: RemedyJob, trial: Trial | None) -> None:
        self._turn.remove(job)
        if trial is not None:
            # The largest value is tried first: if that does not help, no smaller one does.
            is_coarse = job.known is None and trial.helps and bool(self._families[job.place].highs)
            self._trials[job.place] = msgspec.structs.replace(trial, is_least=not is_coarse)
            self._sorted = None

    def work_on(self, job: RemedyJob) -> Incremental[Trial | None]:
        here, base = self.here, self.base
        assert here is not None, "the instant is copied before the first job"
        assert base is not None, "there is a baseline before the first job"
        return work_on(job, here, self.targets, self._families, base, self._core)

    def order(self, job: RemedyJob) -> tuple[Callable[..., Trial | None], bytes, RemedyJob, Baseline]:
        assert self.base is not None, "there is a baseline before the first job"
        return (_done, self._packed, job, self.base)

    @cached_property
    def _packed(self) -> bytes:
        assert self.here is not None, "the instant is copied before the first job"
        return pickle.dumps((to_bytes(self.here), self.targets))

    def begin(self) -> Incremental[None]:
        while not self.open():
            yield


def work_on(
    job: RemedyJob,
    here: Simulation,
    targets: Sequence[Ask],
    families: Sequence[RemedyRange],
    base: Baseline,
    core: BlockingSet | None,
) -> Incremental[Trial | None]:
    """Do a job of a search; None when it was not enough to know whether the remedy helps."""
    family = families[job.place]
    if job.known is not None and job.limit == WHOLE:
        return (yield from tried(here, targets, job.known.remedy, base, job.limit))
    if job.known is not None:
        return (yield from least_of(here, targets, family, job.known, base, job.limit))
    remedy = family.make(family.highs)
    if job.limit == FILTER:
        is_useless = core is not None and not (yield from may_help(core, targets, remedy))
        return Trial(remedy, until_ms=base.until_ms) if is_useless else None
    return (yield from tried(here, targets, remedy, base, job.limit))


def late(place: int) -> int:
    """Return the rounds after the first group at which a remedy joins in, by its place among the candidates."""
    return (place // FIRST_GROUP + 1).bit_length() - 1


def limit_of(place: int, turn: int) -> int:
    """Return the pieces of work for the remedy at a place in a round, counted from 0; 0 when it has no part in it."""
    own = turn - late(place)
    return FIRST_PIECES << own if 0 <= own < ROUNDS else 0


def asks_of(here: Simulation, numbers: Sequence[int]) -> list[list[Ask]]:
    """The asks of each of some applications; without any, the asks of all that get nothing or are stranded."""
    view, explainer, left = here.control_plane.view(), explainer_of(here), stranded(here)
    live = sorted(view.applications(), key=_patience)
    whom = numbers or [each.number for each in live if each.waits or each.number in left]
    return [[(number, priority) for priority in explainer.priorities(number)] or [(number, None)] for number in whom]


def _asking_for_nothing(here: Simulation, asks: Sequence[Sequence[Ask]]) -> tuple[int, ...]:
    waiting = {each.number for each in here.control_plane.view().applications() if each.waits}
    return tuple(some[0][0] for some in asks if some[0][0] not in waiting)


def whom_of(view: ClusterView, alarmed: Collection[int]) -> list[int]:
    """The applications that wait by standing alerts or, where these name none, all that the header counts."""
    live = sorted(view.applications(), key=_patience)
    named = [each.number for each in live if each.number in alarmed]
    return named or [each.number for each in live if wait_of(view, each.number) is not None]


def worst_of(ahead: Lookahead, asks: Sequence[Sequence[Ask]]) -> tuple[Ask, ...]:
    """The ask of each application that the closed world serves last, or never; `asks` are by application."""
    starts = starts_of(ahead, [ask for some in asks for ask in some])
    return tuple(max(some, key=lambda ask: starts.get(ask, ahead.end_ms)) for some in asks)


def _patience(each: ApplicationSummary) -> tuple[bool, int, int]:
    return (each.waiting_since_ms is None, each.waiting_since_ms or 0, each.number)


def sorted_out(trials: Iterable[Trial]) -> tuple[tuple[Trial, ...], tuple[Trial, ...], tuple[Trial, ...]]:
    """Return the remedies that help, ranked and folded; the ones that do not; and the refused ones."""
    known = list(trials)
    helping = sorted((each for each in known if each.helps), key=rank)
    useless = tuple(each for each in known if not each.helps and not each.refused)
    return tuple(folded(helping)), useless, tuple(each for each in known if each.refused)


def rank(trial: Trial) -> tuple[int, ...]:
    """Sorts remedies that help: one container alone last, what can be done now before what cannot, then the best.

    What makes a node work again is done whatever it brings.
    """
    remedy, starts = trial.remedy, trial.starts
    kind, group = KINDS.index(remedy.kind), GROUPS.index(remedy.group)
    last_ms = starts[-1].start_ms  # Which node's heartbeat comes first within a second tells nothing
    own = (trial.harm_s, last_ms // 1000, kind, last_ms, remedy.application)
    is_last = trial.is_last and remedy.kind != "return"
    return (is_last, group, -len(starts), trial.harm_s // 60, remedy.kind == "kill", *own)


def folded(ranked: Sequence[Trial]) -> list[Trial]:
    """Remedies of one family with the same effect as one, in the place of the best."""
    groups: dict[object, list[Trial]] = {}
    for turn, trial in enumerate(ranked):
        remedy = trial.remedy
        starts = tuple(each.application for each in trial.starts)
        effect = (remedy.kind, remedy.family, starts, trial.start_ms // 1000, trial.harm_s // 60)
        groups.setdefault(effect if remedy.family else turn, []).append(trial)
    return [
        msgspec.structs.replace(first, alike=tuple(each.remedy for each in others))
        for first, *others in groups.values()
    ]


# Another process gets the instant packed: the result does not depend on which process does a job.


def _done(packed: bytes, job: RemedyJob, base: Baseline) -> Trial | None:
    here, targets, families, core = _instant(packed)
    return run_to_end(work_on(job, here, targets, families, base, core))


@lru_cache(maxsize=1)
def _instant(packed: bytes) -> tuple[Simulation, tuple[Ask, ...], list[RemedyRange], BlockingSet | None]:
    here_bytes, targets = pickle.loads(packed)
    here = from_bytes(here_bytes)
    here.stands = True
    return here, targets, candidates(here, [number for number, _ in targets]), run_to_end(core_of(here, targets))
