"""Judges a drill by playing it: unsolved idle, solved by its reference and other remedies, not by blunt tactics."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final, NamedTuple

import msgspec
import tomli_w

from engine.explain.explainers import explainer_of
from engine.explain.instant import SharedLookahead
from engine.explain.remedy_search import RemedySearch
from engine.explain.why_question import WhyQuestion
from engine.formats.file_schema import file_schema
from engine.incremental import run_to_end
from engine.observe.snapshot import SECTIONS, ApplicationRow, Snapshot
from engine.observe.snapshots import snapshot_of
from engine.run.player import Run
from engine.scenario import Scenario
from engine.scenario.acts import timed, written_act
from engine.scenario.cluster import Table
from engine.scenario.scenario import MEASURES, NARROWED_BY
from engine.simulation.build import KeptAct
from engine.simulation.simulation import Simulation
from engine.training.drill import DrillQuestion, DrillScenario, Exam, OtherWay, drill_model, load_drill, packaged_drills
from engine.training.exercise import AnswerNames, DrillStage, Exercise, named
from engine.training.score import ScoreBaselines, played
from engine.training.steps import HARMLESS, PANES, written_steps
from engine.training.tactics import at_once, tactics_played
from engine.units import plural

# A drill drafted from an instant of any scenario: clues, goals, questions and a solution for an author to edit.

LASTS: Final = "10m"
MOST: Final = 6  # So many of the longest waiting applications are asked about
STEP_S: Final = 60  # When the solution acts [s after the beginning]

EDIT: Final = "EDIT: "  # What an author has to write stands behind this
MOST_PIECES: Final = 100_000  # Pieces of work that may be spent on a solution


def draft_drill(scenario: Scenario, source: str, around_ms: int, acts: Sequence[KeptAct] = ()) -> str:
    """The text of a drill that begins at an instant [ms after the scenario's start].

    `source` is what it extends; `around_ms` is when the operator is called; `acts` up to the instant become its script.
    Raises ConfigError if the scheduler refuses the scenario's settings.
    """
    outside = [(position[0] - scenario.start_ms, act) for position, act in acts]
    script = [timed(act, at_ms) for at_ms, act in outside if at_ms <= around_ms]
    scenario = scenario.model_copy(update={"script": (*scenario.script, *script)})
    run = Run(scenario, until_ms=around_ms, is_judged=False)
    run.advance(around_ms)
    simulation = run.simulation
    snapshot = snapshot_of(simulation)
    rows = (row for row in snapshot.applications(why=False) if row.waiting_since_ms is not None)
    waiting = sorted(rows, key=lambda row: row.waiting_since_ms or 0)
    holder, pattern = _cause(simulation, waiting)
    steps = _solution(simulation, waiting)
    begins = scenario.start + timedelta(milliseconds=around_ms)
    first = waiting[0] if waiting else None
    asks = [] if first is None else [f"Ask why `{first.number}` waits, in `Applications`."]
    questions, answers = _questions(holder, pattern)
    drill: Table = {
        "brief": f"{begins:%A, %H:%M}. {_symptom(snapshot, waiting)}\n\n{EDIT}who reports what; no cause.",
        "task": [f"{EDIT}what is to be reached"],
        "begins": f"{around_ms}ms",
        "lasts": LASTS,
        "minutes": 10,
        "difficulty": "practised",
        "teaches": f"{EDIT}one sentence",
        "hints": [*asks, f"{EDIT}the answer" + (f": it is `{holder}`." if holder else ".")],
        "debrief": f"{EDIT}the cause, and what there is to learn.",
        "goals": [_goal(row) for row in waiting[:1]],
        "questions": questions,
        "clues": _clues(snapshot, first),
        "accepts": {"ended": sum(step["do"] == "kill" for step in steps)},
        "reference": [*answers, *steps],
    }
    head: Table = {"extends": source, "title": f"{EDIT}a title", "expectations": [], "drill": drill}
    if acts:
        head["script"] = [json.loads(line) for line in written_steps(scenario.script)]
    return f"# {EDIT}what it shows, and what to watch.\n" + tomli_w.dumps(head, multiline_strings=True)


def _questions(holder: str, pattern: str) -> tuple[list[Table], list[Table]]:
    answers: list[Table] = [{"at": 15, "do": "answer", "question": "fault", "answer": ["yes"]}]
    questions: list[Table] = []
    if holder:
        questions.append({"asks": "application", "text": "Who holds what the others wait for?", "answers": [holder]})
        answers.append({"at": 30, "do": "answer", "question": "application", "answer": [holder]})
    if pattern:
        choices = sorted({pattern, "queue limit", "user limit", "lost nodes"})
        questions.append(
            {"asks": "cause", "text": "What kind of fault is it?", "answers": [pattern], "choices": choices}
        )
        answers.append({"at": 45, "do": "answer", "question": "cause", "answer": [pattern]})
    return questions, answers


def _cause(simulation: Simulation, waiting: list[ApplicationRow]) -> tuple[str, str]:
    """(the holder of what most of the longest waiting need, the pattern); each empty when there is none."""
    held = Counter[str]()
    pattern = ""
    basis: SharedLookahead | None = None
    for row in waiting[:MOST]:
        question = WhyQuestion(simulation, row.number, None, basis)
        basis = question.basis or basis
        answer = question.answer()
        pattern = pattern or answer.pattern
        held.update(holder.application for holder in answer.holders if holder.application != row.id)
    most = max(held, key=held.__getitem__, default="")
    numbers = {row.id: str(row.number) for row in snapshot_of(simulation).applications(why=False)}
    return numbers.get(most, ""), pattern


def _solution(simulation: Simulation, waiting: list[ApplicationRow]) -> list[Table]:
    if not waiting:
        return []
    search = RemedySearch(simulation, (waiting[0].number,))
    for _ in range(MOST_PIECES):
        if search.advance():
            break
    found = search.found()
    if found is None or not found.ranked:
        return []
    return [{"at": STEP_S, **written_act(found.ranked[0].remedy.act)}]


def _symptom(snapshot: Snapshot, waiting: list[ApplicationRow]) -> str:
    header = snapshot.header
    share = header.used[0] * 100 // header.total[0] if header.total[0] else 0
    waits = "Applications wait" if waiting else "Nothing waits"
    return f"{waits}; {share} % of the memory is used on {plural(header.nodes, 'node')}."


def _goal(row: ApplicationRow) -> Table:
    return {
        "about": f"{row.name or row.number} gets what it waits for",
        "of": "application",
        "application": str(row.number),
        "what": "containers",
        "at_least": row.containers + 1,
    }


def _clues(snapshot: Snapshot, first: ApplicationRow | None) -> list[Table]:
    header = snapshot.header
    clues: list[Table] = []
    if isinstance(header.nodes_reserved, int) and header.nodes_reserved > 1:
        shown: Table = {"of": "cluster", "what": "nodes_reserved", "at_least": header.nodes_reserved}
        clues.append({"pane": "Reservations", "about": f"{header.nodes_reserved} nodes are reserved", "shown": shown})
    if first is not None:
        shown = {"of": "application", "application": str(first.number), "what": "state", "equals": first.state}
        clues.append({"pane": "Applications", "about": f"{first.name or first.number} waits", "shown": shown})
    return clues


WORTH_OF_WAY: Final = 5  # Points that another remedy may be worth less than par
NAMED: Final = re.compile(r"`([^`]+)`")
SETTING: Final = re.compile(r"(yarn|spark|schedlab)(\.[a-zA-Z0-9-]+)+|[a-z]+(-[a-z]+)+|[a-z]+([A-Z][a-z]*)+")
"""A text written as a key of a configuration file."""


class CheckLine(msgspec.Struct, frozen=True):
    what: str
    ok: bool
    detail: str = ""


def check_drill(yardstick: ScoreBaselines) -> Iterator[CheckLine]:
    """Try everything a drill promises. Raises ConfigError if the scheduler refuses the scenario's settings."""
    stage, drill = yardstick.stage, yardstick.stage.drill
    yield _unsolved("nothing is done", yardstick)
    yield _solved(yardstick)
    yield from (_way(yardstick, way) for way in drill.drill.ways)
    yield from _answers(stage, yardstick.par)
    yield _named("hints", drill.drill.hints, _known_names(stage, drill))
    absent = SECTIONS.keys() - Exercise(stage).snapshot().sections
    for clue in drill.drill.clues:
        is_pane = clue.pane in PANES and PANES[clue.pane] not in absent
        detail = "" if clue.about in yardstick.idle.seen else "never shows"
        detail = detail if is_pane else f"{clue.pane} is not a pane here"
        yield CheckLine(f"clue: {clue.about}", not detail, detail)
    yield _brief(drill)
    if drill.drill.exam != Exam():
        yield from _exam(drill.as_exam(), {row.host for row in Exercise(stage).snapshot().nodes()})


def _exam(exam: DrillScenario, hosts: Collection[str]) -> Iterator[CheckLine]:
    yardstick = ScoreBaselines(DrillStage(exam))
    yield from (_unsolved("exam: nothing is done", yardstick), _in_exam(_solved(yardstick)))
    words = "\n".join(page.words for page in exam.drill.exam.pages)
    yield _in_exam(_brief(exam.model_copy(update={"drill": exam.drill.model_copy(update={"brief": words})})))
    strange = [one.node for one in exam.drill.exam.readings if one.node and one.node not in hosts]
    yield CheckLine("exam: readings are of nodes", not strange, ", ".join(strange))


def _in_exam(line: CheckLine) -> CheckLine:
    return CheckLine(f"exam: {line.what}", line.ok, line.detail)


def _unsolved(what: str, yardstick: ScoreBaselines) -> CheckLine:
    is_solved = yardstick.solved_ms(yardstick.idle) is not None
    return CheckLine(f"{what}: unsolved", not is_solved, "it is solved" if is_solved else "")


def _way(yardstick: ScoreBaselines, way: OtherWay) -> CheckLine:
    answers = [step for step in yardstick.stage.drill.drill.reference if isinstance(step, HARMLESS)]
    exercise = played(yardstick.stage, (*answers, *way.steps))
    score, par = yardstick.score(exercise), yardstick.score(yardstick.par).total
    is_solved = score.solved_ms is not None
    what = f"{way.name}: {'solved' if way.solves else 'unsolved'}"
    is_well = score.total >= par - WORTH_OF_WAY if way.solves else not is_solved
    total = plural(score.total, "point")
    lines = "; ".join(f"{line.what} {line.measured}" for line in score.lines if not line.most)
    detail = f"{total}; {lines}" if lines else total
    return CheckLine(what, is_well and is_solved == way.solves, detail)


def check_tactics(yardstick: ScoreBaselines) -> Iterator[CheckLine]:
    """Blunt tactics are worth little, unless one is a remedy. Raises ConfigError if the settings are refused."""
    for one in tactics_played(yardstick, at_once(yardstick.stage)):
        points = plural(one.points, "point")
        detail = f"{points}: {', '.join(one.acts)}" if one.is_cheat else points
        yield CheckLine(f"tactic: {one.name}", not one.is_cheat, detail)


def _solved(yardstick: ScoreBaselines) -> CheckLine:
    par = yardstick.par
    refused = [f"{done.step.do}: {done.refused}" for done in par.log if done.refused]
    unmet = [goal for goal, at_ms in par.goals_met() if at_ms is None]
    right = {asks for asks, given in par.answers.items() if given.worth == 1}
    wrong = [one.asks for one in par.drill.all_questions() if one.asks not in right]
    problems = [
        *refused,
        *(f"not met: {goal}" for goal in unmet),
        *(f"not answered right: {one}" for one in wrong),
        *(f"not accepted: {name}, {amount}" for name, amount in yardstick.unaccepted(par)),
    ]
    is_solved = yardstick.solved_ms(par) is not None and not problems
    detail = f"{yardstick.score(par).total} points" if is_solved else "; ".join(problems) or "no goal is met"
    return CheckLine("reference: solved", is_solved, detail)


def _answers(stage: DrillStage, par: Exercise) -> Iterator[CheckLine]:
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
    simulation, snapshot = stage.simulation.fork(), Exercise(stage).snapshot()
    right = {key.rpartition(".")[2] for key in question.answers}
    for row in snapshot.applications(why=False):
        if row.waiting_since_ms is None:
            continue
        for reason in run_to_end(explainer_of(simulation).obstacles(row.number)):
            if reason.decided_by is not None and reason.decided_by.key.rpartition(".")[2] in right:
                yield reason.decided_by.key


def _known_names(stage: DrillStage, drill: DrillScenario) -> frozenset[str]:
    snapshot: Snapshot = Exercise(stage).snapshot()
    names = {*PANES, *drill.scenario.settings}
    for node in snapshot.nodes():
        names |= {node.id, node.host, node.rack, node.partition}
    for application in snapshot.applications(why=False):
        names |= {application.id, application.name, str(application.number), application.user, application.state}
    for queue in snapshot.queues():
        names |= {queue.path, queue.path.removeprefix("root.")}
    return frozenset(names)


def _named(what: str, texts: Collection[str], known: frozenset[str]) -> CheckLine:
    found = [name for text in texts for name in NAMED.findall(text)]
    strange = [name for name in found if name not in known and not SETTING.fullmatch(name)]
    detail = f"not on the screen: {', '.join(strange)}" if strange else "" if found else "name nothing in backquotes"
    return CheckLine(f"{what} name what is there", not detail, detail)


def _brief(drill: DrillScenario) -> CheckLine:
    named = [
        answer
        for question in drill.drill.questions
        for answer in question.answers
        if re.search(rf"\b{re.escape(answer)}\b", drill.drill.brief, re.IGNORECASE)
    ]
    detail = f"names {', '.join(named)}" if named else ""
    return CheckLine("brief names symptoms only", not named, detail)


# The words an author of drills may write, each with an example, as the models of a drill file have them.

_NAMED: Final = ("queue", "node", "application")  # Subjects that need a name
_WHEN: Final = ("at", "within", "until")  # Keys of a goal, of which it has one

Schema = Mapping[str, Any]  # as JSON Schema has it


class DrillWord(NamedTuple):
    """One word, with an example of its use in a drill file."""

    kind: str
    """`measure` (of goals and clues), `goal` (when it has to hold), `pane` (of clues and hints), `act` (of steps),
    `exam` (its tables), or `cause`."""
    word: str
    about: str
    example: str


def drill_words() -> Iterator[DrillWord]:
    """Every word, kind by kind. Raises ConfigError if a packaged drill cannot be read."""
    yield from _measures()
    yield from _of_models(file_schema(drill_model(), "drill")["$defs"])
    for pane in sorted(PANES):
        yield DrillWord("pane", pane, "a clue stands there, a hint names it", f'pane = "{pane}"')
    found: dict[str, str] = {}
    for name in packaged_drills():
        question = load_drill(name).drill.question("cause")
        for cause in question.answers if question is not None else ():
            found.setdefault(cause, name)
    for cause, name in sorted(found.items()):
        yield DrillWord("cause", cause, f"asked for in {name}", f'answers = ["{cause}"]')


def _measures() -> Iterator[DrillWord]:
    for of, measures in MEASURES.items():
        name = f', {of} = "..."' if of in _NAMED else ""
        for what, about in measures.items():
            example = f'{{ of = "{of}"{name}, what = "{what}", at_least = 1 }}'
            narrowed = sorted(NARROWED_BY[of] - {of})
            more = f"; narrowed by {', '.join(narrowed)}" if narrowed else ""
            no_clue = "; of goals only" if of == "decisions" else ""
            yield DrillWord("measure", f"{of}.{what}", f"{about}{more}{no_clue}", example)


def _of_models(parts: Mapping[str, Schema]) -> Iterator[DrillWord]:
    """Return when a goal has to hold, every act, and the tables of an exam; `parts` has the schema of each model."""
    for key in _WHEN:
        form = parts["Expectation"]["properties"][key]
        yield DrillWord(
            "goal", key, form.get("description", "Holds at this instant."), f"{key} = {_value(form, parts)}"
        )
    acts = {
        do: part
        for part in parts.values()
        if "at" in part.get("required", ())
        for do in _choices(part["properties"].get("do", {}))
    }
    for do, part in sorted(acts.items()):
        yield DrillWord("act", do, _sentence(part), _table(part, parts, do))
    for name, form in parts["Exam"]["properties"].items():
        if "$ref" in form["items"]:
            part = parts[form["items"]["$ref"].rpartition("/")[2]]
            example = _table({**part, "required": part["properties"]}, parts)
        else:
            part, example = form, _table(acts["lose"], parts, "lose")
        yield DrillWord("exam", name, _sentence(part), f"{name} = [{example}]")


def _sentence(schema: Schema) -> str:
    return str(schema["description"]).partition("\n")[0]


def _choices(schema: Schema) -> list[Any]:
    return list(schema.get("enum", [schema["const"]] if "const" in schema else []))


def _table(part: Schema, parts: Mapping[str, Schema], do: str = "") -> str:
    form = part["properties"]
    needed = {key: form[key] for key in (*part.get("required", ()), *form.keys() & {"allocations_file"})}
    values = [f"{key} = {json.dumps(do) if key == 'do' else _value(form, parts)}" for key, form in needed.items()]
    return f"{{ {', '.join(values)} }}"


def _value(form: Schema, parts: Mapping[str, Schema]) -> str:
    """A value of a field, as TOML writes it; that of an instant or a size is a number."""
    if "oneOf" in form or "$ref" in form:
        one = form["oneOf"][0] if "oneOf" in form else form
        return _table(parts[one["$ref"].rpartition("/")[2]], parts)
    if choices := _choices(form):
        return json.dumps(choices[0])
    if "anyOf" in form:
        return "60"
    if form.get("type") == "array":
        return f"[{_value(form['items'], parts)}]"
    return {"boolean": "true", "integer": "1", "number": "1", "string": '"..."'}[form["type"]]
