"""Judges a drill by playing it: unsolved idle, solved by its reference and by no shortcut, hints that hold."""

import re
from collections.abc import Collection, Iterator
from typing import Final

import msgspec

from engine.explain.explainers import explainer_of
from engine.incremental import finish
from engine.observe.snapshot import Snapshot
from engine.training.answers import AnswerNames, named
from engine.training.drill import DrillQuestion, DrillScenario, Shortcut
from engine.training.exam import Exam
from engine.training.exercise import Exercise
from engine.training.score import Yardstick
from engine.training.stage import DrillStage

NAMED: Final = re.compile(r"`([^`]+)`")
SETTING: Final = re.compile(r"(yarn|spark|schedlab)(\.[a-zA-Z0-9-]+)+|[a-z]+(-[a-z]+)+|[a-z]+([A-Z][a-z]*)+")
"""A text written as a key of a configuration file."""
PANES: Final = frozenset({
    "Applications", "Queues", "Nodes", "Reservations", "Events", "Containers", "Users", "Executors", "Workers", "Why",
    "Graphs", "Settings", "Alerts", "Racks",
})  # fmt: skip
"""Panes and screens that hints and clues may name."""


class CheckLine(msgspec.Struct, frozen=True):
    """One thing that was tried."""

    what: str
    ok: bool
    detail: str = ""


def check_drill(drill: DrillScenario) -> Iterator[CheckLine]:
    """Try everything a drill promises, one after the other.

    Raises:
        ConfigError: The scheduler refuses the scenario's settings.
    """
    stage = DrillStage(drill)
    yardstick = Yardstick(stage)
    yield _unsolved("nothing is done", yardstick.idle)
    yield _solved(yardstick)
    for shortcut in drill.drill.forbidden:
        exercise = _tried(stage, shortcut)
        line = _unsolved(f"shortcut: {shortcut.name}", exercise)
        is_noticed = shortcut.name in exercise.used
        yield line if is_noticed else CheckLine(line.what, False, "is not noticed: " + _log(exercise))
    yield from _answers(stage, yardstick.par)
    yield _named("hints", drill.drill.hints, known_names(stage, drill))
    for clue in drill.drill.clues:
        since = yardstick.idle.seen.get(clue.about)
        is_pane = clue.pane in PANES
        detail = f"{clue.pane} is no pane" if not is_pane else "" if since is not None else "never shows"
        yield CheckLine(f"clue: {clue.about}", is_pane and since is not None, detail)
    yield _brief(drill)
    if drill.drill.exam != Exam():
        yield from _exam(drill.as_exam(), {row.host for row in Exercise(stage).snapshot().nodes()})


def _exam(exam: DrillScenario, hosts: Collection[str]) -> Iterator[CheckLine]:
    """Check that as an exam the reference solves it and nothing does not, and that no page names an answer."""
    yardstick = Yardstick(DrillStage(exam))
    yield from (_unsolved("exam: nothing is done", yardstick.idle), _in_exam(_solved(yardstick)))
    words = "\n".join(page.words for page in exam.drill.exam.pages)
    yield _in_exam(_brief(exam.model_copy(update={"drill": exam.drill.model_copy(update={"brief": words})})))
    strange = [one.node for one in exam.drill.exam.readings if one.node and one.node not in hosts]
    yield CheckLine("exam: readings are of nodes", not strange, ", ".join(strange))


def _in_exam(line: CheckLine) -> CheckLine:
    return CheckLine(f"exam: {line.what}", line.ok, line.detail)


def _tried(stage: DrillStage, shortcut: Shortcut) -> Exercise:
    """A shortcut, played to the end only when it is not noticed: nothing is solved by one that is."""
    exercise = Exercise(stage)
    for step in sorted(shortcut.tried, key=lambda one: one.at_ms):
        exercise.take(step)
    if shortcut.name not in exercise.used:
        exercise.complete()
    return exercise


def _unsolved(what: str, exercise: Exercise) -> CheckLine:
    solved_ms = exercise.solved_ms()
    return CheckLine(f"{what}: unsolved", solved_ms is None, "" if solved_ms is None else "it is solved")


def _solved(yardstick: Yardstick) -> CheckLine:
    par = yardstick.par
    refused = [f"{done.step.do}: {done.refused}" for done in par.log if done.refused]
    unmet = [goal for goal, at_ms in par.goals_met() if at_ms is None]
    wrong = [one.asks for one in par.drill.all_questions() if _worth(par, one.asks) < 1]
    problems = [
        *refused,
        *(f"not met: {goal}" for goal in unmet),
        *(f"not answered right: {one}" for one in wrong),
        *(f"forbidden: {name}" for name in par.used),
    ]
    is_solved = par.solved_ms() is not None and not problems
    detail = f"{yardstick.score(par).total} points" if is_solved else "; ".join(problems) or "no goal is met"
    return CheckLine("reference: solved", is_solved, detail)


def _worth(exercise: Exercise, asks: str) -> float:
    given = exercise.answers.get(asks)
    return 0.0 if given is None else given.worth


def _answers(stage: DrillStage, par: Exercise) -> Iterator[CheckLine]:
    """Each right answer by every name that a screen shows, each other choice, and each setting that explains a wait."""
    drill, begun = par.drill, Exercise(stage)
    names = AnswerNames(begun.snapshot(), drill)
    for question in drill.all_questions():
        right = [name for answer in question.answers for name in names.shown(question.asks, answer)]
        if question.asks == "setting":
            right += list(_explaining(stage, question))
        missed = [name for name in right if begun.worth(question, named(question, name)) < 1]
        taken = [
            name
            for name in question.choices
            if name not in question.answers and begun.worth(question, named(question, name)) > 0
        ]
        unknown = [name for name in question.answers if not names.is_there(question.asks, name)]
        kinds = ("not taken", missed), ("taken, too", taken), ("not there", unknown)
        detail = "; ".join(f"{what}: {', '.join(found)}" for what, found in kinds if found)
        yield CheckLine(f"answers: {question.asks}", not detail, detail)


def _explaining(stage: DrillStage, question: DrillQuestion) -> Iterator[str]:
    """The accepted settings as `why` prints them for those that wait when the drill begins."""
    simulation, snapshot = stage.simulation.fork(), Exercise(stage).snapshot()
    right = {key.rpartition(".")[2] for key in question.answers}
    for row in snapshot.applications(why=False):
        if row.waiting_since_ms is None:
            continue
        for reason in finish(explainer_of(simulation).obstacles(row.number)):
            if reason.decided_by is not None and reason.decided_by.key.rpartition(".")[2] in right:
                yield reason.decided_by.key


def _log(exercise: Exercise) -> str:
    return ", ".join(f"{done.step.do} {done.refused}".strip() for done in exercise.log) or "nothing was done"


def known_names(stage: DrillStage, drill: DrillScenario) -> frozenset[str]:
    """Return the names on the screen when a drill begins: ids and names of everything, panes and settings."""
    snapshot: Snapshot = Exercise(stage).snapshot()
    names = {*PANES, *drill.scenario.settings}
    for node in snapshot.nodes():
        names |= {node.id, node.host, node.rack, node.partition}
    for application in snapshot.applications(why=False):
        ends = {application.id, application.name, str(application.number), application.user, application.state}
        names |= ends
    for queue in snapshot.queues():
        names |= {queue.path, queue.path.removeprefix("root.")}
    return frozenset(names)


def _named(what: str, texts: Collection[str], known: frozenset[str]) -> CheckLine:
    """Check that every name in backquotes is there, and at least one is named."""
    found = [name for text in texts for name in NAMED.findall(text)]
    strange = [name for name in found if name not in known and not SETTING.fullmatch(name)]
    detail = f"not on the screen: {', '.join(strange)}" if strange else "" if found else "name nothing in backquotes"
    return CheckLine(f"{what} name what is there", not detail, detail)


def _brief(drill: DrillScenario) -> CheckLine:
    """The brief names no right answer of a question."""
    named = [
        answer
        for question in drill.drill.questions
        for answer in question.answers
        if re.search(rf"\b{re.escape(answer)}\b", drill.drill.brief, re.IGNORECASE)
    ]
    detail = f"names {', '.join(named)}" if named else ""
    return CheckLine("brief names symptoms only", not named, detail)
