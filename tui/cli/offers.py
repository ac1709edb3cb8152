"""The scenarios and drills the chooser offers, from the catalogue and the packaged files."""

import os
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from engine.errors import ConfigError
from engine.formats.file_schema import catalogue, previews
from engine.formats.scenario_toml import dump_file, load, packaged
from engine.scenario import Scenario
from engine.scenario.catalogue import Preview
from engine.training.records import curriculum
from tui.pages.choice import DrillFacts, ScenarioEntry, ScenarioFacts

_SCHEDULERS: Final = {"fair": "FairScheduler", "capacity": "CapacityScheduler", "fifo": "FifoScheduler"}
_RELEASES: Final = {"2.7": "2.7.2", "3.4": "3.4.1"}
_OTHERS: Final = "Others"  # The group of what the catalogue does not name
_DRILLS: Final = "Drills"  # The group of the drills


def offered() -> list[ScenarioEntry]:
    """Every packaged scenario, group by group, as the catalogue has it; of others, what their files say."""
    known, placed = packaged(), list(_placed())
    named = {one.name for one in placed}
    others = [described(ScenarioEntry(name, "", "", _OTHERS)) for name in known if name not in named]
    return [*(one for one in placed if one.name in known), *others]


def offered_drills() -> list[ScenarioEntry]:
    """Every packaged drill with its title and brief, in the order they are best taken; nothing that tells a cause.

    One that cannot be read says so instead of its title.
    """
    drills, unreadable = curriculum()
    entries = [
        ScenarioEntry(
            one.name, one.title, one.drill.brief, _DRILLS, drill=DrillFacts(one.drill.minutes, one.drill.difficulty)
        )
        for one in drills
    ]
    unknown = DrillFacts(0, "cannot be read")
    entries += [ScenarioEntry(name, name, why, _DRILLS, drill=unknown) for name, why in unreadable.items()]
    return entries


def definition(name: str) -> str:
    """A scenario in full, as one file."""
    return dump_file(load(name))


def _placed() -> Iterator[ScenarioEntry]:
    for group in catalogue():
        for one in group.entries:
            plain = ScenarioEntry(one.name, "", "", group.title, one.tag, one.brief)
            yield plain._replace(story=one.story, watch=one.watch, attempts=one.attempts)
            for each in one.variants:
                tag = "3.4" if "-3.4" in each.name else one.tag
                yield ScenarioEntry(each.name, "", "", group.title, tag, each.brief, varies=one.name)


@cache
def _played() -> Mapping[str, Preview]:
    return previews()


def described(entry: ScenarioEntry) -> ScenarioEntry:
    """The entry with what its file says; one that cannot be read says so instead of what it shows."""
    try:
        scenario = load(entry.name)
    except ConfigError as error:
        words = os.linesep.join(str(one) for one in error.problems)
        return entry._replace(title="cannot be read", about=words, brief="cannot be read")
    facts = ScenarioFacts(
        _rules(scenario),
        scenario.start_ms,
        scenario.offset_ms,
        scenario.duration_ms,
        len(scenario.expectations),
        scenario.system == "spark",
        _played().get(entry.name),
    )
    return entry._replace(title=scenario.title, about=scenario.about or scenario.title, facts=facts)


def _rules(scenario: Scenario) -> str:
    if scenario.system == "spark":
        return "Spark standalone"
    if scenario.system == "mr1":
        return f"MapReduce 1, {scenario.scheduler.removeprefix('mr1-')}"
    policy, _, release = scenario.scheduler.partition("-")
    words = f"{_SCHEDULERS[policy]} {_RELEASES.get(release, _RELEASES['2.7'])}"
    rule = scenario.settings.get("schedlab.reservation.rule", "")
    return f"{words}, reservations {rule}" if rule else words
