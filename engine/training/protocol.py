"""A drill played by a program: a JSON object a line in, a JSON object a line out.

The first line out is the brief. Then each line in is a step (`steps`): `observe` answers with a pane (`panes`), `why`
with the reasons, the verdict and, if asked, the remedies, `hint` with the hint, `answer` and every act with `ok` or the
reason why not, `advance` with the time. Each reply counts the steps so far and, but in an exam, the points they cost;
whether it is solved is in none. `finish`, the end of the input or of the drill's time ends it: the last line out is
the score.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, cast

import msgspec

from engine.errors import ConfigError, RefusedError, format_problems, nearest
from engine.explain.alerts import Alerts
from engine.explain.remedy_report import remedies_report
from engine.explain.remedy_search import RemedySearch
from engine.explain.why_question import WhyQuestion
from engine.grouping import grouped
from engine.observe.documents import document
from engine.observe.snapshot import Snapshot
from engine.observe.snapshots import terms_of_system, translate_terms
from engine.simulation.records import Record, kind_of
from engine.training.drill import WHY_PRICE, DrillScenario, Exam, ExamPage
from engine.training.exercise import DrillStage, Exercise, TakenStep
from engine.training.score import Score, ScoreBaselines, formulas, not_accepted, prices, steps_taken
from engine.training.steps import FinishStep, LookStep, WhyStep, read_steps, section_of
from engine.units import span

# The panes of the screen for a program: each as an object, or why it is shut.

ROWS: Final = ("applications", "queues", "nodes", "reservations", "users", "executors", "containers")
"""Panes that are a section of the picture."""
EVENTS: Final = 200  # So many of the latest records are told


class ProgramScreen:
    """The part of its exercise that a program can see."""

    def __init__(self, stage: DrillStage, *, foretells: bool = False) -> None:
        self._alerts, self._pages_told = Alerts(), 0
        self._events: deque[tuple[int, Record]] = deque(maxlen=EVENTS)
        self.exercise = Exercise(stage, [self, self._alerts], foretells=foretells)
        self._panes: Mapping[str, Callable[[], dict[str, object]]] = {
            "events": self._latest,
            "alerts": self._standing,
            "graphs": self._graphs,
            "settings": self._settings,
            "racks": self._racks,
        }

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self._events.extend((time_ms, record) for record in records)

    @property
    def _exam(self) -> Exam:
        drill = self.exercise.stage.drill
        return drill.drill.exam if drill.is_exam else Exam()

    def new_pages(self) -> Sequence[ExamPage]:
        told, pages = self._pages_told, [one for one in self._exam.pages if one.at_ms <= self.exercise.now_ms]
        self._pages_told = len(pages)
        return pages[told:]

    def pane(self, name: str) -> dict[str, object]:
        """The cluster, and what a pane shows. Raises RefusedError if there is none here, or it is shut."""
        wanted = section_of(name)
        snapshot: Snapshot = self.exercise.snapshot()
        if self.exercise.stage.drill.is_exam:
            snapshot = self._exam.reported(snapshot, self.exercise.now_ms)
        if wanted in snapshot.sections:
            return document(snapshot, [wanted])
        if wanted in self._panes:
            return {**document(snapshot, []), **self._panes[wanted]()}
        if wanted == "why":
            raise RefusedError("NoPane", 'ask why with {"do": "why", "application": ...}')
        there = sorted({*snapshot.sections, *self._panes})
        if wanted in ROWS:
            raise RefusedError("NoPane", f"this cluster has no {wanted}; there are {', '.join(there)}")
        raise RefusedError("NoPane", f"there is no pane {name[:40]!r}; {nearest(wanted, there) or ', '.join(there)}")

    def _latest(self) -> dict[str, object]:
        view, rows = self.exercise.fork().control_plane.view(), []
        for time_ms, record in self._events:
            fields = msgspec.to_builtins(record)
            if isinstance(fields.get("container"), list | tuple):
                fields["container"] = view.container_id(tuple(fields["container"]))
            rows.append({"time_ms": time_ms, "kind": kind_of(record), **fields})
        return {"events": rows}

    def _standing(self) -> dict[str, object]:
        if WHY_PRICE[self.exercise.drill.level] is None:
            raise RefusedError("AlertsAreShut", "alerts are shut in this drill: you are on your own")
        self._alerts.look(self.exercise.fork())
        return {"alerts": [msgspec.to_builtins(alert) for alert in self._alerts.active_alerts]}

    def _graphs(self) -> dict[str, object]:
        if not self._exam.has_graphs(self.exercise.now_ms):
            raise RefusedError("NoGraphs", "the graphs show nothing at this moment")
        return {"graphs": [sample._asdict() for sample in self.exercise.samples]}

    def _settings(self) -> dict[str, object]:
        scenario = self.exercise.stage.drill.scenario
        rows = [{"key": key, "value": str(value)} for key, value in scenario.settings.items()]
        file = scenario.allocations_xml()
        files = [] if file is None else [{"key": "allocations", "value": file}]
        return {"settings": [*rows, *files]}

    def _racks(self) -> dict[str, object]:
        racks = grouped((row.rack, str(row.state)) for row in self.exercise.snapshot().nodes())
        return {
            "racks": [
                {"rack": rack, "nodes": len(states), "states": dict(Counter(states))} for rack, states in racks.items()
            ]
        }


PROTOCOL: Final = 4  # Raised whenever a name or a meaning in it changes

PIECES: Final = 2_500  # So much work is spent on remedies, some seconds; the same for the same question everywhere


def brief_of(drill: DrillScenario) -> dict[str, object]:
    """The first line: all that a trainee knows at first."""
    one = drill.drill
    words = terms_of_system(drill.scenario.system)
    return {
        "protocol": PROTOCOL,
        "drill": drill.name,
        "title": drill.title,
        "brief": one.brief.strip(),
        "task": list(one.task),
        "begins": drill.begins.isoformat(timespec="seconds"),
        "lasts_s": one.lasts_ms / 1000,
        "level": one.level,
        "exam": drill.is_exam,
        "scheduler": drill.scenario.scheduler,
        "hints": 0 if drill.is_exam else len(one.hints),
        "questions": [
            {"asks": each.asks, "text": each.text, "choices": list(each.choices)} for each in one.all_questions()
        ],
        "not_accepted": [translate_terms(each, words) for each in not_accepted(one)],
        "may": list(one.may),
        "hardware": [offer.model_dump(mode="json") for offer in one.hardware],
        "points": [translate_terms(each, words) for each in formulas(one)],
    }


def converse(screen: ProgramScreen, lines: Iterable[str]) -> Iterator[dict[str, object]]:
    """Take each line as a step and answer it; a line that is none, or is in the past, is answered with its problems."""
    exercise = screen.exercise
    begins = exercise.stage.drill.begins
    for line in lines:
        if not line.strip():
            continue
        try:
            steps = read_steps([line], "", begins, now_ms=exercise.now_ms)
        except ConfigError as error:
            yield _refused(exercise, *format_problems(error.problems))
            continue
        for step in steps:
            if step.at_ms < exercise.now_ms:
                yield _refused(exercise, f"at +{span(step.at_ms)} is in the past: it is +{span(exercise.now_ms)}")
            else:
                yield reply_to(screen, exercise.take(step))
        if exercise.is_over:
            return


def _refused(exercise: Exercise, *problems: str) -> dict[str, object]:
    return {"ok": False, "at_s": exercise.now_ms / 1000, "problems": list(problems)}


def reply_to(screen: ProgramScreen, done: TakenStep) -> dict[str, object]:
    """The line that answers a step, with how many were taken by then and, but in an exam, the points they cost."""
    exercise = screen.exercise
    reply: dict[str, object] = {"ok": not done.refused, "at_s": done.at_ms / 1000, "do": done.step.do}
    reply["steps"] = steps_taken(exercise)
    if not exercise.stage.drill.is_exam:
        reply["cost"] = -sum(line.points for line in prices(exercise))
    if done.refused:
        return {**reply, "problems": [done.refused]}
    if done.said:
        reply["text"] = done.said
    if pages := screen.new_pages():
        reply["pages"] = [{"at_s": one.at_ms / 1000, "sender": one.sender, "words": one.words} for one in pages]
    try:
        if isinstance(done.step, LookStep):
            return {**reply, **screen.pane(done.step.pane)}
        if isinstance(done.step, WhyStep):
            return {**reply, "why": _why(exercise, done.step)}
    except RefusedError as refusal:
        return {**reply, "ok": False, "problems": [str(refusal)]}
    if isinstance(done.step, FinishStep):
        reply["over"] = True
    return reply


def _why(exercise: Exercise, step: WhyStep) -> dict[str, object]:
    simulation, row = exercise.fork(), exercise.named(step.application)
    if row is None:
        raise RefusedError("NoWhy", "only a screen answers this: name an application")
    report = WhyQuestion(simulation, row.number).answer()
    if step.remedies and report.proof is not None:
        search = RemedySearch(simulation, (row.number,))
        search.advance(PIECES)
        found = search.found()
        if found is not None:
            report = msgspec.structs.replace(report, would_help=remedies_report(simulation.control_plane, found))
    written = report.written(exercise.stage.drill.scenario.start.tzinfo)
    return cast("dict[str, object]", _by_name(written, simulation.control_plane.dimensions))


def _by_name(value: object, dimensions: Sequence[str]) -> object:
    if isinstance(value, dict):
        return {
            key: dict(zip(dimensions, part, strict=False))
            if key == "size" and isinstance(part, list | tuple)
            else _by_name(part, dimensions)
            for key, part in value.items()
        }
    return [_by_name(part, dimensions) for part in value] if isinstance(value, list | tuple) else value


def score_of(exercise: Exercise, yardstick: ScoreBaselines) -> dict[str, object]:
    """The last line: what it was worth, and what the fault was."""
    score = yardstick.score(exercise)
    return {
        "drill": exercise.stage.drill.name,
        **_score_object(score),
        "par": yardstick.score(yardstick.par).total,
        "debrief": exercise.drill.debrief.strip(),
    }


def _score_object(score: Score) -> dict[str, object]:
    return {
        "solved": score.solved_ms is not None,
        "score": score.total,
        "clocks_s": {name: None if at is None else at / 1000 for name, at in score.clocks.items()},
        "lines": [
            {"what": line.what, "measured": line.measured, "points": line.points, "of": line.most}
            for line in score.lines
        ],
        "harm": msgspec.to_builtins(score.harm),
        "steps": score.steps,
    }
