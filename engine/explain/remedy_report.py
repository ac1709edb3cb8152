"""Reports of what would help: remedies of an instant, and values set from the start, numbered as one list.

Units and ids are those of `answer`.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Final

import msgspec

from engine.control_plane.protocol import ControlPlane
from engine.explain.answer import (
    ActReport,
    ChangeReport,
    DelayReport,
    EndedReport,
    ExpectedReport,
    FreedReport,
    LostReport,
    RefusedReport,
    RemediesReport,
    RemedyReport,
    SearchReport,
    StartRemedyReport,
    StartReport,
    WhyReport,
)
from engine.explain.change import (
    SWITCHES,
    Asked,
    Change,
    StartRemedy,
    act_lines,
    after_words,
    changes_sentence,
    takes_of,
    with_unit,
    written_lines,
    written_value,
)
from engine.explain.counterfactuals import HALF, HORIZON_MS, Ask, is_near
from engine.explain.explainers import explainer_of
from engine.explain.obstacles import DRIVER_LOST, SCHEMA, STARVED, ObstacleRow
from engine.explain.outages import waits_of
from engine.explain.recent_decisions import Departure
from engine.explain.remedy import AGAIN_MS, HARDWARE, NOW, PATCH, Remedy
from engine.explain.remedy_search import Remedies, asks_of
from engine.explain.remedy_trial import ACT_MS, Delay, Trial
from engine.explain.start_search import ASKED, StartSearch
from engine.explain.tunable_places import numbers_of, setup_of
from engine.incremental import run_to_end
from engine.model.identity import application_name
from engine.model.request import DIMENSIONS
from engine.observe.snapshot import ApplicationRow
from engine.observe.snapshots import terms_for, translate_terms
from engine.scenario import Scenario
from engine.scenario.acts import Act
from engine.scenario.scenario import system_of
from engine.schedulers.interface import Setting
from engine.settings.fair import RESERVATION_RULE
from engine.settings.tunable_yarn import TAKES, Takes
from engine.simulation.records import Submitted
from engine.simulation.simulation import Simulation
from engine.units import format_duration
from engine.workload.arrivals import arrivals


def remedies_report(control_plane: ControlPlane, found: Remedies) -> RemediesReport:
    """The remedies of an instant of a cluster."""
    base, id_of = found.base, control_plane.view().application_id
    terms = terms_for(control_plane.dimensions)
    tried = len(found.ranked) + sum(len(trial.alike) for trial in found.ranked) + found.failed
    # What has not come by the horizon may come later, but for what is taken away again and again.
    is_final = base.ends and (base.until_ms < base.from_ms + HORIZON_MS or bool(base.losing))
    return RemediesReport(
        schema=SCHEMA,
        at_ms=found.from_ms,
        targets=tuple(id_of(number) for number, _ in found.targets),
        looked_until_ms=base.until_ms,
        expected=tuple(
            ExpectedReport(
                application=id_of(ask[0]),
                priority=ask[1],
                starts_ms=base.starts.get(ask),
                next=terms.asked(ask[1]) if ask[0] in found.running else "",
                count=base.wanted.get(ask, 1),
                has_sooner_ask=ask[0] in base.first and base.first[ask[0]] != base.starts.get(ask),
            )
            for ask in found.targets
        ),
        never=is_final and not base.starts,
        tried=tried,
        of=tried + found.open,
        remedies=tuple(
            _trial_report(number, trial, found, control_plane) for number, trial in enumerate(found.ranked, 1)
        ),
        useless=tuple(trial.remedy for trial in found.useless),
        refused=tuple(RefusedReport(remedy=trial.remedy, why=trial.refused) for trial in found.refused),
    )


def _trial_report(number: int, trial: Trial, found: Remedies, control_plane: ControlPlane) -> RemedyReport:
    id_of = control_plane.view().application_id
    remedy, act_ms = trial.remedy, found.from_ms + ACT_MS - found.start_ms
    act = act_by_id(remedy.act, id_of)
    return RemedyReport(
        number=number,
        kind=remedy.kind,
        group=remedy.group,
        remedy=remedy,
        application=id_of(remedy.application) if remedy.application else None,
        step=ActReport(act=act, at_s=act_ms / 1000),
        lines=tuple(act_lines(act, remedy.host, control_plane.name)),
        then=tuple(ActReport(act=submission, at_s=(act_ms + AGAIN_MS) / 1000) for submission in trial.then),
        starts=tuple(
            StartReport(application=id_of(start.application), at_ms=start.start_ms, expected_ms=start.expected_ms)
            for start in trial.starts
        ),
        first_ms=trial.start_ms,
        last_ms=trial.starts[-1].start_ms,
        is_last=trial.is_last,
        also_start=trial.also_start,
        frees=FreedReport(memory_mb=trial.frees_mb, vcores=trial.frees_vcores, reservations=trial.drops),
        loses=LostReport(containers=trial.lost_containers, drivers=trial.lost_drivers, seconds=trial.lost_ms // 1000),
        delays=_delay_reports(trial.delays, id_of),
        harm_s=trial.harm_s,
        is_least=trial.is_least,
        is_whole=trial.is_whole,
        alike=trial.alike,
        until_ms=trial.until_ms,
    )


def _delay_reports(delays: Iterable[Delay], id_of: Callable[[int], str]) -> tuple[DelayReport, ...]:
    return tuple(
        DelayReport(application=id_of(delay.application), seconds=delay.by_ms // 1000, is_least=delay.is_least)
        for delay in delays
    )


def act_by_id(act: Act, id_of: Callable[[int], str]) -> Act:
    """The act with the id of its application for the number, as a file may name it."""
    number = getattr(act, "application", None)
    return msgspec.structs.replace(act, application=id_of(number)) if isinstance(number, int) else act


# Finds a submission that was refused at once, so that no control plane knows an application of it.

REFUSED_STATE: Final = "REFUSED"  # The state told of an application that was not let in
STARVED_STATE: Final = "STARVED"  # The state told of one that waits for nothing but its own cores
LOST_STATE: Final = "LOST"  # The state told of an application that ended as its driver was lost


def refused_submission(
    scenario: Scenario, heard: Sequence[tuple[int, Submitted]], name: str
) -> tuple[int, EndedReport] | None:
    """The number and the end of one of the submissions heard that was refused; None where none is meant.

    It is meant by its name, or by the number that it would have had.
    """
    numbers = numbers_of(setup_of(scenario))
    arriving = heard[len(heard) - min(len(heard), len(arrivals(scenario.workload))) :]
    for number, (time_ms, record) in zip(numbers, arriving, strict=False):
        if record.rejected and name in (record.name, str(number)):
            known = application_name(scenario.timestamp, number)
            detail = record.detail or record.rejected
            return number, EndedReport(application=known, state=REFUSED_STATE, at_ms=time_ms, diagnostics=detail)
    return None


_Entry = RemedyReport | StartRemedyReport

_ALIKE: Final = ("kill", "label", "move")  # Kinds of remedies of which one is as good as another

FIRST: Final = 3  # Number of remedies among which one has to change what stands in the way

_OF_GROUPS: Final = {NOW: TAKES.index("refresh"), PATCH: TAKES.index("patch"), HARDWARE: TAKES.index("hardware")}
"""Group of remedies → its place among what changes take."""


def with_found(
    answer: RemediesReport, simulation: Simulation, targets: Sequence[Ask], search: StartSearch | None
) -> RemediesReport:
    """The answer with what was found from the start; what can be done on the instant alone is not told twice.

    What helps only from the start is not named as no help. One of the first three changes a setting that is named as
    what stands in the way, and one takes back what is kept idle, where any does. Of several alike the first alone
    stands among them. What helps late comes after what helps soon.
    """
    found, id_of = [] if search is None else search.ranked(), simulation.control_plane.view().application_id
    ample = {
        _thing_of(each.changes[0]) for each in found if len(each.changes) == 1 and each.is_now and not each.is_last
    }
    # The least value that gives one container alone gives way to the one that gives the rest as well.
    kept = [entry for entry in answer.remedies if not (entry.is_last and _setting_of(entry) in ample)]
    done = {_setting_of(entry) for entry in kept} - {("", "")}
    new = [each for each in found if len(each.changes) > 1 or _thing_of(each.changes[0]) not in done]
    offered = {_thing_of(each.changes[0]) for each in new if len(each.changes) == 1}
    # Limits that are loosened together bring more than one of them alone.
    parts = {_thing_of(change) for each in found if each.given and len(each.changes) > 1 for change in each.changes}
    entries: list[tuple[_Turn, _Entry]]
    entries = [(_turn(each, is_part=_setting_of(each) in parts), each) for each in kept]
    idle: list[_Entry] = []
    for each in new:
        entry, is_alone = _reported(each, id_of), len(each.changes) == 1
        entries.append((_turn(entry, is_part=is_alone and _thing_of(each.changes[0]) in parts), entry))
        if any(change.keeps_idle for change in each.changes):
            idle.append(entry)
    entries.sort(key=lambda pair: pair[0])
    ranked = _with_one_kill([entry for _, entry in entries], partial(_is_late, answer))
    ranked = _with_cause(ranked, _causes_of(simulation, targets), idle)
    numbered = [msgspec.structs.replace(each, number=number) for number, each in enumerate(ranked, 1)]
    return msgspec.structs.replace(
        answer,
        remedies=tuple(each for each in numbered if isinstance(each, RemedyReport)),
        from_start=tuple(each for each in numbered if isinstance(each, StartRemedyReport)),
        useless=tuple(each for each in answer.useless if not _is_offered(each, offered)),
        tried_from_start=0 if search is None else search.tried,
        of_from_start=0 if search is None else search.of,
    )


def _causes_of(simulation: Simulation, asks: Sequence[Ask]) -> set[str]:
    """The settings that are named as what stands in the way of some asks; of many the first ones are looked at."""
    explainer = explainer_of(simulation)
    rows = [row for number, priority in asks[:ASKED] for row in run_to_end(explainer.obstacles(number, priority))]
    return {each.key for row in rows for each in (row.decided_by, *row.together) if each is not None}


def _with_one_kill(entries: Sequence[_Entry], is_late: Callable[[_Entry], bool]) -> Sequence[_Entry]:
    """Of several kills, moves or nodes relabelled, the others come after all that takes no other machines.

    So does what helps late, where something else but a kill that takes no machines helps soon.
    """
    first = next((place for place, each in enumerate(entries) if _is_far(each)), len(entries))
    near, far = entries[:first], entries[first:]
    kinds = {kind: [each for each in near if isinstance(each, RemedyReport) and each.kind == kind] for kind in _ALIKE}
    kills, repeated = kinds["kill"], [each for some in kinds.values() for each in some[1:]]
    late = [each for each in near if is_late(each)]
    helps_soon = any(each not in kills and each not in late for each in near)
    later = [each for each in near if each in repeated or (helps_soon and each in late)]
    later.sort(key=lambda each: each in kills)
    return [*(each for each in near if each not in later), *later, *far]


def _is_far(entry: _Entry) -> bool:
    """Tell whether it takes another release or other machines, brings one container alone, or has others refused."""
    return _turn(entry, is_part=False)[:3] >= (False, False, TAKES.index("patch"))


def _is_late(answer: RemediesReport, entry: _Entry) -> bool:
    """Tell whether an application waits more than half as long with it as without, which may be for ever."""
    last, expected = entry.starts[-1], {each.application: each.starts_ms for each in answer.expected}
    known_ms = expected.get(last.application)
    if known_ms is None and answer.never:
        return False
    expected_ms = answer.looked_until_ms if known_ms is None else known_ms
    return not is_near(last.at_ms, answer.at_ms, expected_ms, HALF)


def _with_cause(entries: Sequence[_Entry], causes: Collection[str], idle: Sequence[_Entry]) -> Sequence[_Entry]:
    """Rank the best that changes what stands in the way third, and the best that gives back what is idle before it.

    An entry that stands higher already stays there.
    """
    ranked = list(entries)
    of_cause = next((each for each in entries if _is_of_cause(each, causes)), None)
    unused = next((each for each in entries if each in idle), None)
    _raise(ranked, unused, FIRST - 1 if of_cause is None else FIRST - 2)
    _raise(ranked, of_cause, FIRST - 1)
    return ranked


def _raise(ranked: list[_Entry], wanted: _Entry | None, place: int) -> None:
    if wanted is not None and ranked.index(wanted) >= FIRST:
        ranked.remove(wanted)
        ranked.insert(place, wanted)


def _is_of_cause(entry: _Entry, causes: Collection[str]) -> bool:
    if isinstance(entry, RemedyReport):
        key, queue = _setting_of(entry)
        names = {key, f"{queue}.{key}", getattr(entry.remedy.act, "key", "")}
        return entry.group != PATCH and not names.isdisjoint(causes)
    names = {name for each in entry.changes for name in (each.key, f"{each.queue}.{each.key}")}
    helps_all = entry.takes in ("refresh", "restart") and not entry.refuses and not entry.is_last
    return helps_all and not names.isdisjoint(causes)


def starved_of(simulation: Simulation, row: ApplicationRow) -> EndedReport | None:
    """What an application is told whose tasks wait for its own cores alone; None of any other."""
    known = simulation.control_plane.view().application(row.number)
    rows = waits_of(simulation, row.number) if known is not None and not known.waits else ()
    why = next((each.sentence for each in rows if each.code == STARVED), None)
    return None if why is None else EndedReport(application=row.id, state=STARVED_STATE, at_ms=None, diagnostics=why)


def ended_of(simulation: Simulation, row: ApplicationRow) -> EndedReport:
    """How an application ended, or that it was not let in; a Master says FINISHED of one whose driver was lost."""
    state = REFUSED_STATE if row.state == "FAILED" and row.finished_ms == row.submitted_ms else row.state
    rows = run_to_end(explainer_of(simulation).obstacles(row.number)) if state == "FINISHED" else ()
    why = next((each.sentence for each in rows if each.code == DRIVER_LOST), None)
    if why is not None:
        return EndedReport(application=row.id, state=LOST_STATE, at_ms=row.finished_ms, diagnostics=why)
    return EndedReport(application=row.id, state=state, at_ms=row.finished_ms, diagnostics=row.diagnostics)


def departed(gone: Departure, timestamp: int) -> EndedReport:
    """How an application ended of which no control plane knows any more."""
    known = application_name(timestamp, gone.submitted.application)
    return EndedReport(application=known, state=gone.state, at_ms=gone.at_ms, diagnostics=gone.detail)


def ended_answer(ended: EndedReport, now_ms: int) -> RemediesReport:
    """The answer about an application that is not there any more, or was never let in; nothing is tried yet."""
    return RemediesReport(
        schema=SCHEMA,
        at_ms=now_ms,
        targets=(ended.application,),
        looked_until_ms=now_ms,
        expected=(),
        never=False,
        tried=0,
        of=0,
        remedies=(),
        useless=(),
        refused=(),
        ended=ended,
    )


_Turn = tuple[bool, bool, int, bool, int, bool, int, bool, int]


def _turn(entry: _Entry, *, is_part: bool) -> _Turn:
    """Sort a list of both kinds: by refusals, more than one container, the soonest effect, who starts, harm.

    Parts of a set come after others that start as many.
    """
    if isinstance(entry, RemedyReport):
        is_last = entry.is_last and entry.kind != "return"
        own = (-len(entry.starts), is_part, entry.harm_s // 60, entry.kind == "kill", entry.harm_s)
        return (False, is_last, _OF_GROUPS[entry.group], False, *own)
    is_later = entry.takes == "refresh" and not entry.is_now
    harm = (entry.harm_s // 60, False, entry.harm_s)
    turn = (entry.refuses > 0, entry.is_last, TAKES.index(entry.takes), is_later, -len(entry.starts))
    return (*turn, is_part, *harm)


def _setting_of(entry: RemedyReport) -> tuple[str, str]:
    """What a remedy of the instant changes, and its queue; empty where it changes no setting and no application."""
    if entry.kind == "preemption":
        key = next((each for each in SWITCHES.values() if any(each in line for line in entry.lines)), "")
        return (key, entry.remedy.queue)
    return _act_setting(entry.remedy)


def _act_setting(remedy: Remedy) -> tuple[str, str]:
    if remedy.kind in ("priority", "move"):
        return ("priority" if remedy.kind == "priority" else "queue", remedy.queue)
    if remedy.kind == "rule":
        return (RESERVATION_RULE.name, "")
    return (remedy.setting or getattr(remedy.act, "key", ""), remedy.queue)


def _is_offered(remedy: Remedy, offered: Collection[tuple[str, str]]) -> bool:
    if remedy.kind == "preemption":
        return any(key in SWITCHES.values() for key, _ in offered)
    return _act_setting(remedy) in offered


def _thing_of(change: Change) -> tuple[str, str]:
    if change.key == "queue" and change.where == "own":
        return (change.key, change.value if "." in change.value else f"root.{change.value}")
    if change.where == "user" and not change.has_xml_file:
        return (change.property, "")
    return (change.key, change.place.path)


def _reported(found: StartRemedy, id_of: Callable[[int], str]) -> StartRemedyReport:
    takes: Takes = takes_of(found.changes)
    dimensions = DIMENSIONS[system_of(found.changes[0].scheduler)]
    return StartRemedyReport(
        number=0,
        sentence=changes_sentence(found.changes),
        takes=takes,
        changes=tuple(
            ChangeReport(
                key=key,
                queue=each.place.path,
                partition=each.place.label,
                application=each.place.name,
                value=each.value,
                before=before,
                lines=tuple(written_lines(each)) if turn == 0 else (),
            )
            for each in found.changes
            for turn, (key, before) in enumerate(each.written_as)
        ),
        after=after_words(found.changes),
        risk=translate_terms(found.changes[0].risk, terms_for(dimensions)),
        is_now=found.is_now,
        is_last=found.is_last,
        has_all=found.has_all,
        ends_well=found.ends_well,
        is_judged=found.is_judged,
        runs_on=found.is_alive,
        starts=tuple(
            StartReport(application=id_of(target[0]), at_ms=time_ms, expected_ms=None)
            for target, time_ms in found.starts
        ),
        refuses=found.refused,
        loses=LostReport(containers=found.lost_containers, seconds=found.lost_ms // 1000),
        delays=_delay_reports(found.delays, id_of),
        harm_s=found.harm_s,
        dimensions=dimensions,
    )


# Finds values that decide a wait beside the ones that its obstacles name.

DECIDES: Final = "DECIDES"
"""Code of a row of a value without which something would have come; what it holds up is told by other rows."""


def deciding_search(scenario: Scenario, simulation: Simulation, answer: WhyReport) -> StartSearch:
    """What finds the values that decide the wait an answer of a run of the scenario is about; it has not begun."""
    asks = tuple(asks_of(simulation, [answer.application.number])[0])
    codes = {refusal.code for refusal in answer.facts}
    return StartSearch(scenario, simulation.now_ms - scenario.start_ms, Asked(asks), codes)


def deciding_report(search: StartSearch, *, is_whole: bool) -> SearchReport | None:
    """How far a search for values that decide came; None where it is whole."""
    return None if is_whole else SearchReport(tried=search.tried, of=search.of)


def deciding_rows(
    found: Iterable[tuple[Change, str, int]], rows: Sequence[ObstacleRow], now_ms: int
) -> tuple[ObstacleRow, ...]:
    """Values as of `StartSearch.decided` that no row names yet."""
    named = {each.key for row in rows for each in (row.decided_by, *row.together) if each is not None}
    deciding = []
    for change, value, start_ms in found:
        is_plain = not change.has_xml_file or change.where == "root"
        kind = "user " if change.where == "user" else "pool " if change.scheduler == "mr1-fair" else ""
        place = f"{kind}{change.place.path}"
        before = with_unit(change, change.before) or "not set"
        setting = Setting(change.property if is_plain else f"{place}.{change.key}", before)
        if setting.key not in named:
            sentence = _deciding_sentence(change, value, start_ms - now_ms)
            deciding.append(ObstacleRow(DECIDES, sentence, "APP", "SKIPPED", decided_by=setting))
    return tuple(deciding)


def _deciding_sentence(change: Change, value: str, after_ms: int) -> str:
    span = format_duration(abs(after_ms) // 1000 * 1000)
    when = f"be given more in {span}" if after_ms > 0 else f"have been given more {span} ago"
    when = "have been given more by now" if -1000 < after_ms <= 0 else when
    if not value:
        return f"it would {when} without it"
    written, whose = written_value(change), change.place.name
    if whose and written != "true":
        return f"it would {when} if {whose} had {written}"
    return f"it would {when} if it were {written}{f' of {whose}' if whose else ''}"
