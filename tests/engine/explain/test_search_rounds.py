"""Which jobs a search of remedies has in each round, whatever comes of them."""

from collections.abc import Callable

import msgspec
import pytest

from engine.explain import remedy_search
from engine.explain.remedy import Family
from engine.explain.remedy_candidates import candidates
from engine.explain.remedy_search import (
    FIRST_PIECES,
    LEAST_PIECES,
    PLAYED_WHOLE,
    ROUNDS,
    SHORT_PIECES,
    WHOLE,
    Job,
    RemedySearch,
    limit_of,
    rank,
)
from engine.explain.remedy_trial import Start, Trial
from engine.incremental import finish
from tests.engine.explain.stuck import HALVES, at, scene

Taken = Callable[[Job], Trial | None]


def opened(monkeypatch: pytest.MonkeyPatch | None = None, group: int = 8) -> RemedySearch:
    """A search that is about to begin its first round."""
    if monkeypatch is not None:
        monkeypatch.setattr(remedy_search, "FIRST_GROUP", group)
    search = RemedySearch(at(scene(HALVES), 60))
    while not search.open():
        pass
    return search


def rounds(search: RemedySearch, taken: Taken) -> list[list[Job]]:
    """The jobs of each round, where this comes of them."""
    found = []
    while jobs := finish(search.more()):
        found.append(jobs)
        for job in jobs:
            search.take(job, taken(job))
    return found


def families(search: RemedySearch) -> list[Family]:
    """What it tries."""
    assert search.here is not None
    return list(candidates(search.here, [number for number, _ in search.targets]))


def trial_of(search: RemedySearch, place: int, **more: object) -> Trial:
    """A trial of a remedy, by which somebody starts the later the higher its place."""
    family = families(search)[place]
    trial = Trial(family.make(family.highs), starts=(Start(1, 10**12 + place, None),), is_whole=True)
    return msgspec.structs.replace(trial, **more)


def test_what_stays_open_is_played_in_each_of_its_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice as far each time; shortly in the third round by those that join later; then no more."""
    search = opened(monkeypatch, 2)
    found = rounds(search, lambda _: None)
    limits = {place: [job.limit for jobs in found for job in jobs if job.place == place] for place in range(search.of)}

    assert search.of > 6
    assert len({job.place for job in found[0]}) == 2
    turns = {place: turn for turn, place in enumerate(job.place for job in found[2])}
    for place, turn in turns.items():
        own = [limit_of(turn, each) or (SHORT_PIECES if each == 2 else 0) for each in range(99)]
        assert limits[place] == [each for each in own if each]
    assert limits[found[0][0].place] == [FIRST_PIECES << each for each in range(ROUNDS)]
    remedies = search.found()
    assert remedies is not None
    assert (remedies.open, search.tried, remedies.ranked) == (search.of, 0, ())
    assert finish(search.more()) == []


def test_what_is_decided_is_played_no_more() -> None:
    """The search ends when all are, with those that help ranked."""
    search = opened()
    found = rounds(search, lambda job: trial_of(search, job.place, starts=()))

    assert sorted(job.place for jobs in found for job in jobs) == list(range(search.of))
    remedies = search.found()
    assert remedies is not None
    assert (remedies.open, len(remedies.useless), remedies.failed) == (0, search.of, search.of)


def test_of_settings_the_least_value_is_looked_for_by_rank() -> None:
    """Once all are decided, each once; the others are known at once."""
    search = opened()
    found = rounds(search, lambda job: trial_of(search, job.place))
    last = found[-1]
    axes = {place for place, family in enumerate(families(search)) if family.highs}

    assert {job.limit for job in last} == {LEAST_PIECES}
    assert {job.place for job in last} == axes
    known = [job.known for job in last if job.known is not None]
    assert known == sorted(known, key=rank)
    assert [each.is_least for each in known] == [False] * len(axes)
    assert all(job.limit < LEAST_PIECES for jobs in found[:-1] for job in jobs)
    remedies = search.found()
    assert remedies is not None
    assert all(each.is_least for each in remedies.ranked)


def test_least_values_are_looked_for_when_remedies_are_played_as_far() -> None:
    """Though others are open: before the round in which they are played farther than that."""
    search = opened()
    place = next(place for place, family in enumerate(families(search)) if family.highs)
    found = rounds(search, lambda job: trial_of(search, place) if job.place == place else None)
    before = FIRST_PIECES
    index = next(index for index, jobs in enumerate(found) if any(job.known is not None for job in jobs))

    assert [(job.place, job.limit) for job in found[index]] == [(place, LEAST_PIECES)]
    assert max(job.limit for job in found[index - 1]) <= LEAST_PIECES < max(job.limit for job in found[index + 1])
    assert max(job.limit for job in found[0]) == before


def test_the_best_are_played_to_the_end() -> None:
    """Each once, those of settings with their least value; not those that are played to the end already."""
    search = opened()
    whole = {1, 3}
    found = rounds(search, lambda job: trial_of(search, job.place, is_whole=job.place in whole))
    trials = {place: trial_of(search, place) for place in range(search.of)}
    best = sorted(trials, key=lambda place: (*rank(trials[place]), place))[:PLAYED_WHOLE]
    played = [job for jobs in found for job in jobs if job.limit == WHOLE]

    assert search.of > PLAYED_WHOLE
    assert sorted(job.place for job in played) == sorted(set(best) - whole)
    assert all(job.known is not None and job.known.is_least for job in played)
