"""A drill drafted from an instant of any scenario: clues, goals, questions and a solution for an author to edit."""

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

import tomli_w

from engine.explain.remedy_search import RemedySearch
from engine.explain.shared_lookahead import Basis
from engine.explain.why import WhyQuestion
from engine.observe.snapshot import ApplicationRow, Snapshot
from engine.observe.snapshots import snapshot_of
from engine.run.player import Run
from engine.scenario import Scenario
from engine.scenario.timed_acts import timed, written_act
from engine.simulation.run_export import KeptAct
from engine.simulation.simulation import Simulation
from engine.training.recorded_steps import written_steps

LASTS: Final = "10m"
MOST: Final = 6
"""The number of those that wait longest that it is asked why."""
STEP_S: Final = 60
"""When the solution acts [s after the beginning]."""

EDIT: Final = "EDIT: "
"""What an author has to write stands behind this."""
MOST_PIECES: Final = 100_000
"""Pieces of work that may be spent on a solution."""


def draft_drill(scenario: Scenario, source: str, around_ms: int, acts: Sequence[KeptAct] = ()) -> str:
    """The text of a drill that begins at an instant [ms after the scenario's start].

    Args:
        source: The name or path it was read by, which the drill extends.
        around_ms: When somebody is called.
        acts: What came from outside in a kept run of it; those up to the instant become the drill's script.

    Raises:
        ConfigError: The scheduler refuses the scenario's settings.
    """
    outside = [(position[0] - scenario.start_ms, act) for position, act in acts]
    script = [timed(act, at_ms) for at_ms, act in outside if at_ms <= around_ms]
    scenario = scenario.model_copy(update={"script": (*scenario.script, *script)})
    run = Run(scenario, until_ms=around_ms, is_judged=False)
    run.advance(around_ms)
    simulation = run.simulation
    snapshot = snapshot_of(simulation)
    waiting = _waiting(snapshot)
    holder, pattern = _cause(simulation, waiting)
    steps = _solution(simulation, waiting)
    begins = scenario.start + timedelta(milliseconds=around_ms)
    first = waiting[0] if waiting else None
    questions, answers = _questions(holder, pattern)
    drill: dict[str, Any] = {
        "brief": f"{begins:%A, %H:%M}. {_symptom(snapshot, waiting)}\n\n{EDIT}who reports what; no cause.",
        "task": [f"{EDIT}what is to be reached"],
        "begins": f"{around_ms}ms",
        "lasts": LASTS,
        "minutes": 10,
        "difficulty": "practised",
        "teaches": f"{EDIT}one sentence",
        "hints": _hints(first, holder),
        "debrief": f"{EDIT}the cause, and what there is to learn.",
        "goals": [_goal(row) for row in waiting[:1]],
        "questions": questions,
        "clues": _clues(snapshot, first),
        "forbidden": [
            {
                "name": "kill everything",
                "reason": "the users' work is what the cluster is for",
                "do": ["kill"],
                "at_most": sum(step["do"] == "kill" for step in steps),
                "tried": [{"at": 0, "do": "kill-everything"}],
            }
        ],
        "reference": [*answers, *steps],
    }
    head: dict[str, Any] = {"extends": source, "title": f"{EDIT}a title", "expectations": [], "drill": drill}
    if acts:
        head["script"] = [json.loads(line) for line in written_steps(scenario.script)]
    return f"# {EDIT}what it shows, and what to watch.\n" + tomli_w.dumps(head, multiline_strings=True)


def _questions(holder: str, pattern: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The questions, and the steps that answer them right."""
    answers: list[dict[str, Any]] = [{"at": 15, "do": "answer", "question": "fault", "answer": ["yes"]}]
    questions: list[dict[str, Any]] = []
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


def _waiting(snapshot: Snapshot) -> list[ApplicationRow]:
    """Return who waits, the longest first."""
    rows = [row for row in snapshot.applications(why=False) if row.waiting_since_ms is not None]
    return sorted(rows, key=lambda row: row.waiting_since_ms or 0)


def _cause(simulation: Simulation, waiting: list[ApplicationRow]) -> tuple[str, str]:
    """(who holds what most of those that wait longest need, the pattern); each empty when there is none."""
    held: dict[int, int] = {}
    pattern = ""
    basis: Basis | None = None
    for row in waiting[:MOST]:
        question = WhyQuestion(simulation, row.number, None, basis)
        basis = question.basis or basis
        answer = question.answer()
        pattern = pattern or answer.pattern
        for holder in answer.holders:
            if holder.hold.application != row.number:
                held[holder.hold.application] = held.get(holder.hold.application, 0) + 1
    most = max(held, key=lambda number: held[number], default=None)
    return ("" if most is None else str(most)), pattern


def _solution(simulation: Simulation, waiting: list[ApplicationRow]) -> list[dict[str, Any]]:
    """The acts of the best remedy for who waits longest; none when none was found."""
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
    waits = "Applications wait" if waiting else "Nobody waits"
    return f"{waits}; {share} % of the memory is used on {header.nodes} nodes."


def _goal(row: ApplicationRow) -> dict[str, Any]:
    """That who waits longest gets something."""
    return {
        "about": f"{row.name or row.number} gets what it waits for",
        "of": "application",
        "application": str(row.number),
        "what": "containers",
        "at_least": row.containers + 1,
    }


def _clues(snapshot: Snapshot, first: ApplicationRow | None) -> list[dict[str, Any]]:
    """Reservations where there are many, and who waits longest."""
    header = snapshot.header
    clues: list[dict[str, Any]] = []
    if isinstance(header.nodes_reserved, int) and header.nodes_reserved > 1:
        shown: dict[str, Any] = {"of": "cluster", "what": "nodes_reserved", "at_least": header.nodes_reserved}
        clues.append({"pane": "Reservations", "about": f"{header.nodes_reserved} nodes are reserved", "shown": shown})
    if first is not None:
        shown = {"of": "application", "application": str(first.number), "what": "state", "equals": first.state}
        clues.append({"pane": "Applications", "about": f"{first.name or first.number} waits", "shown": shown})
    return clues


def _hints(first: ApplicationRow | None, holder: str) -> list[str]:
    hints = [] if first is None else [f"Ask why `{first.number}` waits, in `Applications`."]
    return [*hints, f"{EDIT}the answer" + (f": it is `{holder}`." if holder else ".")]
