"""`schedlab get SOURCE workload`: what SOURCE submits, and the same for other programs."""

import io
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import msgspec

from engine.formats.traces.application import MappingRules
from engine.formats.traces.exports import applications_of, apps_json, described, sls_nodes, sls_trace, swim_trace
from engine.formats.traces.formats import BY_NAME
from engine.formats.traces.report import ImportReport
from engine.formats.traces.source import TraceSource
from engine.formats.traces.to_scenario import imported_scenario
from engine.formats.traces.trace_cluster import ClusterChoice
from engine.incremental import Budget
from engine.measures import Meter
from engine.run import Run
from engine.scenario import Scenario
from tui.cli.import_ import applications_in, rules_of
from tui.cli.opened import GetQuestion, opened
from tui.cli.output import Targets
from tui.cli.source import LOG, TRACE
from tui.cli.talk import note
from tui.report.workload_text import found_lines, picture_lines
from tui.terminal.format import duration, plural

KINDS: Final[dict[str, Callable[[Scenario, ImportReport], Iterator[str]]]] = {
    "sls": sls_trace,
    "sls-nodes": lambda scenario, _report: sls_nodes(scenario),
    "rest": apps_json,
    "swim": swim_trace,
}  # Form → how it is written

PLAYED: Final = frozenset({"sls", "swim"})  # Forms of which it is said whether they behave as the scenario does


def get_workload(asked: GetQuestion) -> None:
    source, given, targets, report = asked.source, asked.given, asked.targets, ImportReport()
    if targets.has("text") or targets.has("json"):
        if source.kind in (TRACE, LOG) and not given.is_on("at"):
            with applications_in(source.paths, report, rules_of(given), given) as read:
                picture = described(read)
        else:
            with opened(source, given) as run:
                picture = described(iter(list(applications_of(run.as_scenario(), report))))
        document = {"workload": msgspec.to_builtins(picture), "report": report.document()}
        lines = [*picture_lines(picture, is_ascii=given.is_on("ascii")), *found_lines(report)]
        targets.answer("workload/1", lambda: lines, document, source.document())
    forms = [form for form in KINDS if targets.has(form)]
    if forms:
        with opened(source, given, is_whole=True) as run:
            scenario = run.as_scenario()
        for form in forms:
            _export(scenario, form, targets)


def _export(scenario: Scenario, form: str, targets: Targets) -> None:
    report = ImportReport()
    text = "".join(KINDS[form](scenario, report))
    targets.write({form: lambda: text})
    for sentence in _lost_by(scenario, text, form) if form in PLAYED else ():
        report.note(sentence)
    for line in found_lines(report):
        note(line)


# What of a scenario's behaviour is lost where a form cannot hold all of it: both are played, settings alike.

SECONDS: Final = 20.0  # The most that each play may take [CPU s]
STEPS: Final = 50  # Parts in which a play is looked at for its budget
FAR_MS: Final = 5_000  # Waits that differ by less are as good as equal
CLUSTER: Final = "the scheduler {scheduler}, its settings, queues, script and faults are not written"
UNKNOWN: Final = (
    f"playing it takes more than {SECONDS:g} s: it is not known whether what is left out makes a difference"
)
SAME: Final = "played, what is left out makes no difference: the same applications end, and half of them wait as long"
CHANGED: Final = (
    "what is left out makes a difference: half of the applications wait at most {after_wait}, {before_wait} in the"
    " scenario; {after_ended} of {after_all} end, {before_ended} of {before_all} in the scenario"
)


class _Behaviour(NamedTuple):
    applications: int
    ended: int
    wait_ms: int


def _lost_by(scenario: Scenario, text: str, form: str) -> list[str]:
    sentences = [CLUSTER.format(scheduler=scenario.scheduler)]
    before, after = _played(scenario), _played(_read_back(scenario, text, form))
    if before is None or after is None:
        return [*sentences, UNKNOWN]
    far = abs(before.wait_ms - after.wait_ms) > max(FAR_MS, min(before.wait_ms, after.wait_ms))
    if not far and before.ended == after.ended:
        return [*sentences, SAME]
    changed = CHANGED.format(
        after_wait=_wait(after.wait_ms),
        before_wait=_wait(before.wait_ms),
        after_ended=after.ended,
        after_all=plural(after.applications, "application"),
        before_ended=before.ended,
        before_all=before.applications,
    )
    return [*sentences, changed]


def _wait(wait_ms: int) -> str:
    return "a second" if wait_ms < 1000 else duration(wait_ms)


def _read_back(scenario: Scenario, text: str, form: str) -> Scenario:
    report = ImportReport()
    with TraceSource([io.BytesIO(text.encode())], form, report) as source:
        read = list(BY_NAME[form].read([source], MappingRules()))
    queues = {each.name or each.id: each.queue for each in read}
    # Each keeps its queue as it is written, which the scenario has already.
    alike = [msgspec.structs.replace(each, queue=None) for each in read]
    again = imported_scenario(alike, report, ClusterChoice(policy=scenario.scheduler))
    later_ms = min((each.submitted_ms for each in read), default=0) - min(
        (spec.at_ms for spec in again.workload), default=0
    )
    workload = tuple(
        spec.model_copy(update={"queue": queues.get(spec.name), "at_ms": spec.at_ms + later_ms})
        for spec in again.workload
    )
    return scenario.model_copy(update={"workload": workload})


def _played(scenario: Scenario) -> _Behaviour | None:
    meter, budget = Meter(), Budget(SECONDS)
    run = Run(scenario, [meter], is_judged=False)
    meter.follow(run.simulation)
    step_ms = max(1, -(-scenario.duration_ms // STEPS))
    while not run.ended:
        if not budget.goes_on():
            return None
        run.advance(run.now_ms + step_ms)
    found = meter.measures(run.until_ms)
    return _Behaviour(found.applications, found.applications - found.unfinished, round(found.waits.median))
